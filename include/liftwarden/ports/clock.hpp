#pragma once

#include <liftwarden/core/time.hpp>

#include <optional>
#include <string>

namespace liftwarden::ports {

// Where time comes from. Implementations are thread-safe; adapters/system has the real one, tests a
// manual one.
class Clock {
  public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual core::TimePoint now() const = 0;
    [[nodiscard]] virtual core::WallTime wall() const = 0;
    // True when the kernel says the wall clock is synchronised (adjtimex).
    [[nodiscard]] virtual bool wall_is_synchronised() const = 0;
};

}  // namespace liftwarden::ports
