// How long a command that was just received may still wait.
#pragma once

#include <liftwarden/core/time.hpp>

#include <chrono>
#include <optional>

namespace liftwarden::wire {

// An `issued_at` further ahead of our clock than this says more about the clocks than about the
// message, and is ignored.
inline constexpr std::chrono::milliseconds issued_ahead_max{2000};

// What is known of a message's age. `asked` is ttl_ms or the default of its kind and counts from
// receipt.
struct TtlFacts {
    core::Duration asked{};
    std::optional<std::chrono::seconds> expiry;  // what is left of MQTT 5 Message Expiry
    std::optional<core::WallTime> issued_at;
    core::WallTime wall{};               // our wall clock
    bool wall_synchronised = false;      // the kernel vouches for it
    std::optional<core::Duration> away;  // just resumed: how long the session had been without us
};

// What is left of the TTL; zero: it arrived expired. Message Expiry bounds it. The age by a
// credible `issued_at` (clock synchronised, not more than issued_ahead_max in the future) is taken
// off. A message with neither that comes while stored ones may, after an absence longer than its
// TTL, may be that old: zero.
[[nodiscard]] core::Duration remaining_ttl(const TtlFacts& facts);

}  // namespace liftwarden::wire
