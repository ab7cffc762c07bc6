#pragma once

#include <liftwarden/core/observation.hpp>
#include <liftwarden/ports/elevator_map.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace liftwarden::mailbox {

// action, argument, door, wire_seq.
using CommandBlock = std::array<std::uint16_t, 4>;

// The four registers of a command, or nullopt if the map cannot carry it (which validation has
// refused long before). A call without a door goes to the floor's first side. Where calls carry a
// direction and the command names none, it is up, except at the top floor: the robot's own car call
// decides the trip anyway.
[[nodiscard]] std::optional<CommandBlock> encode(const ports::ElevatorMap& map,
                                                 const core::WireCommand& command);

}  // namespace liftwarden::mailbox
