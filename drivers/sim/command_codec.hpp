// From the four registers of a command to what they mean, by the map alone.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/error.hpp>
#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <string>

namespace liftwarden::sim {

// The command block as a client wrote it: four holding registers from the address of `command`.
struct CommandBlock {
    std::uint16_t action = 0;
    std::uint16_t argument = 0;
    std::uint16_t door = 0;
    std::uint16_t wire_seq = 0;
    friend bool operator==(const CommandBlock&, const CommandBlock&) = default;
};

inline constexpr std::uint16_t command_block_size = 4;
inline constexpr std::uint16_t ack_block_size = 2;

// What a controller with this map takes the block for; an error (class refused) for an action,
// floor, mode or door code it does not know. A call without a known door code means any door.
[[nodiscard]] core::Result<core::Content> decode(const ports::ElevatorMap& map,
                                                 const CommandBlock& block);

// The same way back, for the foreign writer: `action` as in the map's `actions`, `argument` a floor
// label, seconds or a mode, `wire_seq` as given. An error (class permanent) names what the map
// lacks.
[[nodiscard]] core::Result<CommandBlock> encode(const ports::ElevatorMap& map,
                                                const std::string& action,
                                                const std::string& argument,
                                                std::uint16_t wire_seq);

}  // namespace liftwarden::sim
