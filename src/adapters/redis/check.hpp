#pragma once

#include "src/adapters/redis/dialer.hpp"
#include "src/adapters/redis/known_server.hpp"
#include "src/adapters/redis/names.hpp"

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/lock.hpp>
#include <liftwarden/ports/clock.hpp>

#include <string>

namespace liftwarden::redis {

struct CheckAnswer {
    core::LockReading reading;
    ServerTime time;
    std::string detail;  // what is odd about it
};

// One verification: role and lock in one write, and the answer is this question's. Any failure ends
// the session. A counter that is no number makes the kind `other`: it cannot be judged.
[[nodiscard]] Outcome<CheckAnswer> ask_lock(Session& session,
                                            core::LockScheme scheme,
                                            const LockNames& names,
                                            const core::LockClaim& claim,
                                            const std::string& nonce,
                                            const ports::Clock& clock,
                                            Deadline deadline);

// The answer to ROLE: nullopt for a master.
[[nodiscard]] std::optional<Failure> not_a_master(const Reply& role);

// Seconds and microseconds, as TIME gives them.
[[nodiscard]] std::optional<core::WallTime> server_time(const Value& seconds, const Value& micros);

// Never the same twice, over all processes.
[[nodiscard]] std::string fresh_nonce();

}  // namespace liftwarden::redis
