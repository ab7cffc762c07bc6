// Time as the decisions see it: a value handed in, never read.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>

namespace liftwarden::core {

using namespace std::chrono_literals;

// The steady time line of one boot: nanoseconds of CLOCK_BOOTTIME. It never jumps and counts
// suspend, so the same number is good for timeouts and, together with the boot id, for the journal.
// Only adapters/system reads it; everybody else gets it as an argument.
struct BootClock {
    using rep = std::int64_t;
    using period = std::nano;
    using duration = std::chrono::nanoseconds;
    using time_point = std::chrono::time_point<BootClock, duration>;
    static constexpr bool is_steady = true;
};

using Duration = BootClock::duration;
using TimePoint = BootClock::time_point;

// Wall clock, for printing and for the one comparison with `issued_at`. It decides nothing else.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

// Whole milliseconds of `d`, rounded down; negative stays negative.
[[nodiscard]] constexpr std::int64_t to_ms(Duration d) {
    return std::chrono::floor<std::chrono::milliseconds>(d).count();
}

// A moment that outlives the process: comparable with another only when the boot id is equal.
struct DurableTime {
    std::string boot_id;
    TimePoint at{};
    friend bool operator==(const DurableTime&, const DurableTime&) = default;
};

}  // namespace liftwarden::core
