// The table: what may be written in which phase, by the owner and by anyone else.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>

namespace liftwarden::core {

enum class Ruling { send, wait, refuse };

// What the table looks at besides the command. `phase` already holds what is assumed.
struct Scene {
    Phase phase = Phase::offline;
    bool owned = false;
    bool by_owner = false;
    bool open_counts_as_idle = false;  // a door open without owner for long enough
    bool everything_waits = false;     // a mode change has not shown yet
    bool reversal_allowed = true;      // no reversal of this door within door_reversal_guard
    CallsWhileMoving calls_while_moving = CallsWhileMoving::hold;
};

// Pure and total: the one place that holds the table. set_mode counts as a call; release and query
// never come here. `refuse` is the row `error`.
[[nodiscard]] Ruling rule(ActionKind action, const Scene& scene);

}  // namespace liftwarden::core
