#pragma once

#include "src/adapters/redis/check.hpp"
#include "src/adapters/redis/dialer.hpp"

#include <liftwarden/ports/clock.hpp>

#include <optional>
#include <string>

namespace liftwarden::redis {

// What one probe found; instance and time also when it failed after they were learned.
struct ProbeFinding {
    std::optional<Failure> failure;
    std::string instance;
    std::optional<ServerTime> time;
};

// Whether a lock could be taken: on a master, a key written and read back. Everything goes out in
// one write, so that what is learned before a hang is kept. After a failure the session is over.
[[nodiscard]] ProbeFinding probe(Session& session,
                                 const std::string& key,
                                 const ports::Clock& clock,
                                 Deadline deadline);

}  // namespace liftwarden::redis
