// Numbers of an elevator map and the registers they stand in.
#pragma once

#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::sim {

// nullptr if the map has no such register.
[[nodiscard]] const ports::RegisterSpec* find_register(const ports::ElevatorMap& map,
                                                       const std::string& name);
// The number of a word in a section such as "actions".
[[nodiscard]] std::optional<std::int64_t> code_of(const ports::ElevatorMap& map,
                                                  const std::string& section,
                                                  const std::string& word);
// The word of a number in a section.
[[nodiscard]] std::optional<std::string> word_of(const ports::ElevatorMap& map,
                                                 const std::string& section,
                                                 std::int64_t number);
// The number that the register uses for a word.
[[nodiscard]] std::optional<std::int64_t> number_of(const ports::RegisterSpec& spec,
                                                    const std::string& word);

// Coils and discrete inputs.
[[nodiscard]] bool is_bit(ports::RegisterTable table);

// `old` with the number put into the bits that the spec names; too large a number is cut off, a
// negative one is two's complement.
[[nodiscard]] std::uint16_t with_field(const ports::RegisterSpec& spec,
                                       std::uint16_t old,
                                       std::int64_t number);

}  // namespace liftwarden::sim
