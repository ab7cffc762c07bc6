#include "drivers/mailbox/codes.hpp"

#include <fmt/format.h>

namespace liftwarden::mailbox {
namespace {

bool is_bit(const ports::RegisterSpec& spec) {
    return spec.table == ports::RegisterTable::coil || spec.table == ports::RegisterTable::discrete;
}

unsigned width(const ports::RegisterSpec& spec) {
    if (is_bit(spec)) {
        return 1;
    }
    const auto bits = spec.bits.value_or(ports::BitRange{});
    const bool sound = bits.first <= bits.last && bits.last <= 15;
    return sound ? static_cast<unsigned>(bits.last - bits.first) + 1U : 16U;
}

}  // namespace

std::optional<std::uint16_t> to_field(const ports::RegisterSpec& spec, std::int64_t number) {
    const std::int64_t end = std::int64_t{1} << width(spec);
    const std::int64_t least = width(spec) == 16 ? -32768 : 0;
    if (number < least || number >= end) {
        return std::nullopt;
    }
    return static_cast<std::uint16_t>(number & 0xFFFF);
}

std::uint16_t from_register(const ports::RegisterSpec& spec, std::uint16_t word) {
    if (is_bit(spec) || !spec.bits || width(spec) == 16) {
        return word;
    }
    const unsigned mask = (1U << width(spec)) - 1U;
    return static_cast<std::uint16_t>((static_cast<unsigned>(word) >> spec.bits->first) & mask);
}

std::string field_range(const ports::RegisterSpec& spec) {
    if (width(spec) == 16) {
        return "-32768..65535";
    }
    return fmt::format("0..{}", (1U << width(spec)) - 1U);
}

std::optional<std::string> word_for(const ports::RegisterSpec& spec, std::uint16_t read) {
    for (const auto& [number, word] : spec.values) {
        if (to_field(spec, number) == read) {
            return word;
        }
    }
    return std::nullopt;
}

bool means_none(const ports::RegisterSpec& spec, std::uint16_t read) {
    return spec.none && to_field(spec, *spec.none) == read;
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

const ports::RegisterSpec* find_register(const ports::ElevatorMap& map, const std::string& key) {
    const auto found = map.registers.find(key);
    return found == map.registers.end() ? nullptr : &found->second;
}

}  // namespace liftwarden::mailbox
