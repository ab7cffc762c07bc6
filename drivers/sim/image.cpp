#include "drivers/sim/image.hpp"

#include "drivers/sim/command_codec.hpp"
#include "drivers/sim/fields.hpp"

#include <string>

namespace liftwarden::sim {

using ports::RegisterTable;

namespace {

std::uint16_t size_of(const std::string& name) {
    if (name == "command") {
        return command_block_size;
    }
    return name == "ack" ? ack_block_size : 1;
}

}  // namespace

RegisterImage::RegisterImage(const ports::ElevatorMap& map) {
    for (const auto& [name, spec] : map.registers) {
        for (std::uint16_t offset = 0; offset < size_of(name); ++offset) {
            table(spec.table)[static_cast<std::uint16_t>(spec.address + offset)] = 0;
        }
    }
}

RegisterImage::Table& RegisterImage::table(RegisterTable which) {
    return const_cast<Table&>(std::as_const(*this).table(which));
}

const RegisterImage::Table& RegisterImage::table(RegisterTable which) const {
    switch (which) {
        case RegisterTable::holding:
            return holding_;
        case RegisterTable::input:
            return input_;
        case RegisterTable::coil:
            return coil_;
        case RegisterTable::discrete:
            break;
    }
    return discrete_;
}

std::optional<std::vector<std::uint16_t>> RegisterImage::read(RegisterTable which,
                                                              std::uint16_t address,
                                                              std::uint16_t count) const {
    const Table& from = table(which);
    std::vector<std::uint16_t> values;
    for (unsigned offset = 0; offset < count; ++offset) {
        const unsigned at = address + offset;
        const auto found = at > 0xFFFF ? from.end() : from.find(static_cast<std::uint16_t>(at));
        if (found == from.end()) {
            return std::nullopt;
        }
        values.push_back(found->second);
    }
    return values;
}

bool RegisterImage::write(RegisterTable which,
                          std::uint16_t address,
                          std::span<const std::uint16_t> values) {
    if (!read(which, address, static_cast<std::uint16_t>(values.size()))) {
        return false;
    }
    Table& into = table(which);
    for (std::size_t offset = 0; offset < values.size(); ++offset) {
        into[static_cast<std::uint16_t>(address + offset)] = values[offset];
    }
    return true;
}

std::uint16_t RegisterImage::get(RegisterTable which, std::uint16_t address) const {
    const auto found = table(which).find(address);
    return found == table(which).end() ? std::uint16_t{0} : found->second;
}

void RegisterImage::put(const ports::RegisterSpec& spec, std::int64_t number) {
    std::uint16_t& place = table(spec.table)[spec.address];
    place = with_field(spec, place, number);
}

void RegisterImage::clear() {
    for (Table* each : {&holding_, &input_, &coil_, &discrete_}) {
        for (auto& [address, value] : *each) {
            value = 0;
        }
    }
}

}  // namespace liftwarden::sim
