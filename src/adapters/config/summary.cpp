#include "src/adapters/config/summary.hpp"

#include "src/adapters/config/addresses.hpp"
#include "src/adapters/config/scalars.hpp"
#include "src/adapters/config/wire_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace liftwarden::config {
namespace {

using ports::BusSettings;
using ports::RegisterKey;
using ports::RegisterSpec;
using ports::RegisterTable;

int read_function(RegisterTable table) {
    switch (table) {
        case RegisterTable::coil:
            return 1;
        case RegisterTable::discrete:
            return 2;
        case RegisterTable::holding:
            return 3;
        case RegisterTable::input:
            return 4;
    }
    return 0;
}

std::string line_format(const BusSettings& bus) {
    const char parity = bus.parity == ports::Parity::even  ? 'E'
                        : bus.parity == ports::Parity::odd ? 'O'
                                                           : 'N';
    return fmt::format("rtu {} {} 8{}{}", bus.device, bus.baud, parity, bus.stop_bits);
}

std::string where(const BusSettings& bus) {
    return bus.type == ports::BusType::tcp ? fmt::format("tcp {} port {}", bus.host, bus.port)
                                           : line_format(bus);
}

// What the numbers of a register stand for; the driver's help where the map gives none.
std::string meaning_of(const RegisterKey& key, const RegisterSpec& spec) {
    std::vector<std::string> parts;
    if (spec.bits) {
        parts.push_back(bits_text(*spec.bits));
    }
    if (spec.values.empty()) {
        parts.push_back(key.help);
    }
    for (const auto& [number, word] : spec.values) {
        parts.push_back(fmt::format("{} = {}", number, word));
    }
    if (spec.none) {
        parts.push_back(fmt::format("{} = nothing", *spec.none));
    }
    if (spec.period) {
        parts.push_back(fmt::format("every {}", to_text(*spec.period)));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

bool is_read(const RegisterSpec& spec, const ports::PollPlan& plan) {
    return std::any_of(plan.reads.begin(), plan.reads.end(), [&](const ports::ReadRequest& read) {
        return read.table == spec.table && spec.address >= read.address &&
               spec.address < read.address + read.count;
    });
}

RegisterSummary summarise(const RegisterKey& key,
                          const RegisterSpec& spec,
                          const ports::PollPlan& plan) {
    const Address address{spec.table, spec.address};
    RegisterSummary summary{key.name,
                            zero_based_text(address, key.count),
                            modicon_text(address, key.count),
                            {},
                            meaning_of(key, spec)};
    if (is_read(spec, plan)) {
        summary.functions.push_back(read_function(spec.table));
    }
    if (!key.functions.empty()) {
        summary.functions.push_back(spec.function.value_or(key.functions.front()));
    }
    return summary;
}

const ports::DriverSchema* find_schema(const Drivers& drivers, const std::string& name) {
    const auto found = std::find_if(
        drivers.begin(), drivers.end(), [&](const auto* schema) { return schema->name == name; });
    return found == drivers.end() ? nullptr : *found;
}

ElevatorSummary summarise(const ports::ElevatorSettings& elevator,
                          const ports::DriverSchema& schema,
                          const BusSettings& bus,
                          BusLoad& load) {
    const ports::PollPlan plan = schema.plan(elevator.map);
    const WireTimes times = wire_times(bus, plan);
    load.add(bus, plan, elevator.core);
    ElevatorSummary summary;
    summary.settings = elevator;
    summary.reading = times.reading;
    summary.command = times.command;
    for (const RegisterKey& key : schema.registers) {
        const auto found = elevator.map.registers.find(key.name);
        if (found != elevator.map.registers.end()) {
            summary.registers.push_back(summarise(key, found->second, plan));
        }
    }
    return summary;
}

}  // namespace

Summary summarise(const ports::Settings& settings, const Drivers& drivers) {
    Summary summary;
    summary.settings = settings;
    std::map<core::BusId, BusLoad> loads;
    for (const BusSettings& bus : settings.buses) {
        BusLoad& load = loads[bus.id];
        BusSummary line;
        line.settings = bus;
        line.where = where(bus);
        line.estimated = bus.type == ports::BusType::tcp;
        for (const ports::ElevatorSettings& elevator : settings.elevators) {
            const ports::DriverSchema* schema = find_schema(drivers, elevator.map.driver);
            if (elevator.bus == bus.id && schema != nullptr) {
                summary.elevators.push_back(summarise(elevator, *schema, bus, load));
                ++line.elevators;
            }
        }
        line.round = load.round;
        line.share = load.share;
        line.need = what_needs(load);
        summary.buses.push_back(std::move(line));
    }
    for (ElevatorSummary& elevator : summary.elevators) {
        elevator.poll_cycle = loads.at(elevator.settings.bus).cycle(elevator.settings.core.poll);
    }
    return summary;
}

}  // namespace liftwarden::config
