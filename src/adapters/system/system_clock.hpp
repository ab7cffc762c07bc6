#pragma once

#include <liftwarden/ports/clock.hpp>

namespace liftwarden::system {

// The machine's own time: CLOCK_BOOTTIME, CLOCK_REALTIME and what the kernel says of it. The only
// place of the product that reads a clock for a decision. Any thread may call.
class SystemClock final : public ports::Clock {
  public:
    [[nodiscard]] core::TimePoint now() const override;
    [[nodiscard]] core::WallTime wall() const override;
    // False also where the question itself is forbidden (a unit with ProtectClock=yes).
    [[nodiscard]] bool wall_is_synchronised() const override;
};

}  // namespace liftwarden::system
