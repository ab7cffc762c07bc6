// Commands that ask for what has just been done.
#pragma once

#include "src/core/effects.hpp"

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>

namespace liftwarden::core {

// True if `row` asks for the same as the last acknowledged command, within the window, by the same
// party or while that command's sender still owns the elevator, and its effect is not gone by the
// observation `seen` (fresh, raw phase `raw`). That nothing else was sent since is the caller's: it
// clears `last` at every other write.
[[nodiscard]] bool coalesces(const CommandRow& row,
                             const std::optional<LastAcked>& last,
                             const std::optional<Owner>& owner,
                             const Effects& effects,
                             const Observation& seen,
                             Phase raw,
                             TimePoint now,
                             Duration window,
                             const ElevatorConfig& config);

}  // namespace liftwarden::core
