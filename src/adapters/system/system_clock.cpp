#include "src/adapters/system/system_clock.hpp"

#include <liftwarden/core/assert.hpp>

#include <sys/timex.h>

#include <chrono>
#include <ctime>

namespace liftwarden::system {
namespace {

std::chrono::nanoseconds read(clockid_t id) {
    timespec time{};
    const int result = ::clock_gettime(id, &time);
    LIFTWARDEN_ASSERT(result == 0);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
}

}  // namespace

core::TimePoint SystemClock::now() const {
    return core::TimePoint{read(CLOCK_BOOTTIME)};
}

core::WallTime SystemClock::wall() const {
    return core::WallTime{std::chrono::floor<std::chrono::milliseconds>(read(CLOCK_REALTIME))};
}

bool SystemClock::wall_is_synchronised() const {
    timex query{};  // no modes: only asks
    const int state = ::adjtimex(&query);
    return state >= 0 && state != TIME_ERROR && (query.status & STA_UNSYNC) == 0;
}

}  // namespace liftwarden::system
