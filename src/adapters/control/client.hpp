// The tools' side of the control socket.
#pragma once

#include "src/adapters/control/protocol.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/time.hpp>

#include <string>

namespace liftwarden::control {

// Asks the daemon that listens at `path` and waits for its reply at most `limit`. Errors:
// `transient` if nobody answers there, `refused` if this user may not connect, `corrupt` if what
// came is no reply.
[[nodiscard]] core::Result<Reply> call(const std::string& path,
                                       const Request& request,
                                       core::Duration limit);

}  // namespace liftwarden::control
