// Keeps a flood of the same kind of line out of the log.
#pragma once

#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>

namespace liftwarden::app {

// Lets `burst` lines through in each `period` and counts the rest. For one thread.
class LogLimit {
  public:
    explicit LogLimit(std::uint32_t burst = 10, core::Duration period = std::chrono::seconds{10})
        : burst_(burst), period_(period) {}

    // True: write the line; `held_back()` lines of its kind were not written since the last one.
    [[nodiscard]] bool allow(core::TimePoint now) {
        if (!since_ || now - *since_ >= period_) {
            since_ = now;
            used_ = 0;
            previous_ = held_back_;
            held_back_ = 0;
        } else {
            previous_ = 0;
        }
        if (used_ < burst_) {
            ++used_;
            return true;
        }
        ++held_back_;
        return false;
    }
    [[nodiscard]] std::uint64_t held_back() const { return previous_; }

  private:
    std::uint32_t burst_;
    core::Duration period_;
    std::optional<core::TimePoint> since_;
    std::uint32_t used_ = 0;
    std::uint64_t held_back_ = 0;
    std::uint64_t previous_ = 0;
};

}  // namespace liftwarden::app
