#include "drivers/sim/fields.hpp"

namespace liftwarden::sim {

const ports::RegisterSpec* find_register(const ports::ElevatorMap& map, const std::string& name) {
    const auto found = map.registers.find(name);
    return found == map.registers.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> code_of(const ports::ElevatorMap& map,
                                    const std::string& section,
                                    const std::string& word) {
    const auto codes = map.codes.find(section);
    if (codes == map.codes.end()) {
        return std::nullopt;
    }
    const auto code = codes->second.find(word);
    return code == codes->second.end() ? std::nullopt : std::optional{code->second};
}

std::optional<std::string> word_of(const ports::ElevatorMap& map,
                                   const std::string& section,
                                   std::int64_t number) {
    const auto codes = map.codes.find(section);
    if (codes == map.codes.end()) {
        return std::nullopt;
    }
    for (const auto& [word, code] : codes->second) {
        if (code == number) {
            return word;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> number_of(const ports::RegisterSpec& spec, const std::string& word) {
    for (const auto& [number, candidate] : spec.values) {
        if (candidate == word) {
            return number;
        }
    }
    return std::nullopt;
}

bool is_bit(ports::RegisterTable table) {
    return table == ports::RegisterTable::coil || table == ports::RegisterTable::discrete;
}

std::uint16_t with_field(const ports::RegisterSpec& spec, std::uint16_t old, std::int64_t number) {
    if (is_bit(spec.table)) {
        return number != 0 ? 1 : 0;
    }
    const ports::BitRange bits = spec.bits.value_or(ports::BitRange{});
    const unsigned width = static_cast<unsigned>(bits.last) - bits.first + 1U;
    const unsigned mask = ((1U << width) - 1U) << bits.first;
    const unsigned value = (static_cast<unsigned>(number & 0xFFFF) << bits.first) & mask;
    return static_cast<std::uint16_t>((old & ~mask) | value);
}

}  // namespace liftwarden::sim
