#pragma once

#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <vector>

namespace liftwarden::mailbox {

inline constexpr std::uint16_t command_registers = 4;  // action, argument, door, wire_seq
inline constexpr std::uint16_t ack_registers = 2;      // wire_seq echoed, result

// The keys and code sections that a map with `driver: mailbox` may have, and what only this driver
// can check about them. One object for the life of the process; any thread may read it.
[[nodiscard]] const ports::DriverSchema& schema();

// Everything wrong with a map whose single keys already satisfy the schema: codes that two words
// share or that do not fit their field, words that are missing, sides without a register. Never
// fails, whatever the map holds.
[[nodiscard]] std::vector<ports::MapProblem> check(const ports::ElevatorMap& map);

}  // namespace liftwarden::mailbox
