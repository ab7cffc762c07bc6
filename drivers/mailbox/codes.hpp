#pragma once

#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::mailbox {

// How a number of the map looks inside the field that carries it: the field's bits, shifted down. A
// whole register also takes negative numbers, as 16-bit two's complement, because basements are
// often numbered so. nullopt: it does not fit.
[[nodiscard]] std::optional<std::uint16_t> to_field(const ports::RegisterSpec& spec,
                                                    std::int64_t number);

// The field's number out of the whole register (or out of a bit read as 0 or 1).
[[nodiscard]] std::uint16_t from_register(const ports::RegisterSpec& spec, std::uint16_t word);

// "0..15", the numbers that fit the field, for people.
[[nodiscard]] std::string field_range(const ports::RegisterSpec& spec);

// The word that `values` gives to what was read; nullopt if it gives none.
[[nodiscard]] std::optional<std::string> word_for(const ports::RegisterSpec& spec,
                                                  std::uint16_t read);

// True if the map says that this number means "nothing".
[[nodiscard]] bool means_none(const ports::RegisterSpec& spec, std::uint16_t read);

// The number of `word` in one of the map's sections; nullopt if the section or the word is missing.
[[nodiscard]] std::optional<std::int64_t> code_of(const ports::ElevatorMap& map,
                                                  const std::string& section,
                                                  const std::string& word);

// The register of `key`, or nullptr if it is not mapped.
[[nodiscard]] const ports::RegisterSpec* find_register(const ports::ElevatorMap& map,
                                                       const std::string& key);

}  // namespace liftwarden::mailbox
