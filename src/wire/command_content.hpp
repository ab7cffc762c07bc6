// The part of a command that says what the elevator shall do.
#pragma once

#include "src/wire/command_fields.hpp"

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/config.hpp>

namespace liftwarden::wire {

// Reads action, floor, direction, door, seconds and mode against the map. What is wrong is left in
// `fields`; then the content means nothing. A door side that the map leaves no choice about is
// filled in, so that naming it or not gives equal content.
[[nodiscard]] core::Content read_content(const core::ElevatorConfig& elevator,
                                         CommandFields& fields);

}  // namespace liftwarden::wire
