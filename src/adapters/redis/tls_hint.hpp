#pragma once

#include "src/adapters/redis/connection.hpp"

namespace liftwarden::redis {

// Whether a TLS server answers there: its hello gets a TLS record back, be it a refusal. Tells a
// wrong port from a dead server.
[[nodiscard]] bool speaks_tls(const ports::HostPort& server,
                              Deadline deadline,
                              const WakeEvent& stop);

}  // namespace liftwarden::redis
