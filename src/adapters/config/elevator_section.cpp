#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;
using core::ElevatorConfig;
using ports::DriverSchema;
using ports::ElevatorSettings;

constexpr std::size_t elevators_max = 256;

// Topic levels that stand where an elevator's name would.
std::optional<std::string> fault_of_elevator_id(const std::string& id) {
    for (const char* taken : {"any", "node", "gateway", "reply"}) {
        if (id == taken) {
            return "is a word of the topics and cannot name an elevator";
        }
    }
    return fault_of_name(id);
}

const DriverSchema* find_driver(const Drivers& drivers, const Entry& elevator) {
    const Entry* entry = elevator.value.find("driver");
    const auto driver =
        std::find_if(drivers.begin(), drivers.end(), [&](const DriverSchema* known) {
            return entry != nullptr && known->name == entry->value.text;
        });
    return driver == drivers.end() ? nullptr : *driver;
}

Parse driver_name(std::string& target, const Drivers& drivers) {
    return [&](Report& report, const Entry& entry) {
        std::vector<std::string> names;
        for (const DriverSchema* driver : drivers) {
            names.push_back(driver->name);
        }
        if (const auto given = word_of(report, entry, names)) {
            target = *given;
        }
    };
}

// False if `buses` is missing or has a fault that left some of it out; that has been reported.
bool knows_all_buses(const Draft& draft) {
    const Entry* buses = draft.main == nullptr ? nullptr : draft.main->value.find("buses");
    return buses != nullptr && buses->value.kind == Node::Kind::mapping && !buses->value.flawed;
}

Parse bus_name(core::BusId& target, const Draft& draft) {
    return [&](Report& report, const Entry& entry) {
        const auto given = scalar_text(report, entry, "the name of a bus");
        if (!given) {
            return;
        }
        std::vector<std::string> names;
        for (const ports::BusSettings& bus : draft.settings.buses) {
            names.push_back(bus.id.str());
        }
        if (!knows_all_buses(draft)) {
            return;
        }
        if (std::find(names.begin(), names.end(), *given) == names.end()) {
            report.error(
                entry.value.place,
                fmt::format("unknown bus {}{}", quoted(*given), suggestion(*given, names)));
            return;
        }
        target = core::BusId{*given};
    };
}

std::vector<Key> decision_keys(ElevatorConfig& core) {
    using core::CallsWhileMoving;
    return {
        optional("poll", duration(core.poll, 20ms, 60s)),
        optional("scan", duration(core.scan, 1ms, 10s)),
        optional("ack_timeout", duration(core.ack_timeout, 100ms, 60s)),
        optional("effect_timeout", duration(core.effect_timeout, 100ms, 10min)),
        optional("settle", duration(core.settle, 0s, 60s)),
        optional("served_timeout", duration(core.served_timeout, 1s, 1h)),
        optional("stale_after", duration(core.stale_after, 100ms, 10min)),
        optional("owner_grace", duration(core.owner_grace, 1s, 10min)),
        optional("boarding_grace", duration(core.boarding_grace, 5s, 1h)),
        optional("unowned_open", duration(core.unowned_open, 0s, 10min)),
        optional("parks_open", boolean(core.parks_open)),
        optional("door_reversal_guard", duration(core.door_reversal_guard, 0s, 10min)),
        optional("calls_while_moving",
                 word<CallsWhileMoving>(
                     core.calls_while_moving,
                     {{"hold", CallsWhileMoving::hold}, {"allow", CallsWhileMoving::allow}})),
        optional("require_mode",
                 word<bool>(core.require_agv_mode, {{"none", false}, {"agv", true}})),
        optional("hold_door_max", integer(core.hold_door_max, 1, 3600)),
        refused("profile",
                "is not supported by this version; write the registers and codes of the profile "
                "out"),
    };
}

// The keys that make up the driver's map. With an unknown driver nothing can be said about them.
std::vector<Key> map_keys(ElevatorSettings& elevator,
                          const std::string& what,
                          const DriverSchema* schema,
                          const Drivers& drivers) {
    const Parse ignore = [](Report&, const Entry&) {};
    std::vector<Key> keys = {
        required("unit", integer(elevator.map.unit, 1, 247)),
        required("driver", driver_name(elevator.map.driver, drivers)),
        required("floors",
                 [&](Report& report, const Entry& entry) {
                     read_floors(report, entry, what, elevator.map.floors);
                 }),
    };
    if (schema == nullptr) {
        keys.push_back(required("registers", ignore));
        for (const DriverSchema* driver : drivers) {
            for (const ports::CodeSection& section : driver->sections) {
                keys.push_back(optional(section.name, ignore));
            }
        }
        return keys;
    }
    keys.push_back(
        required("registers", [&elevator, &what, schema](Report& to, const Entry& entry) {
            read_registers(to, entry, what, *schema, elevator.map);
        }));
    for (const ports::CodeSection& section : schema->sections) {
        const Parse parse = [&elevator, &what, &section](Report& to, const Entry& entry) {
            read_codes(to, entry, what, section, elevator.map);
        };
        keys.push_back({section.name, parse, section.required, true});
    }
    return keys;
}

// Lets a key count its own errors, so that a wrong duration does not keep the map from being
// checked in the same run.
Key counted(Key key, std::size_t& errors) {
    key.parse = [parse = std::move(key.parse), &errors](Report& report, const Entry& entry) {
        const std::size_t before = report.errors();
        parse(report, entry);
        errors += report.errors() - before;
    };
    return key;
}

void ask_driver(Report& report, ElevatorSettings& elevator, ElevatorOrigin& origin) {
    const DriverSchema& schema = *origin.schema;
    const std::size_t errors = report.errors();
    for (const ports::MapProblem& problem : schema.check(elevator.map)) {
        const Place place = place_of(*origin.entry, problem.path);
        if (problem.warning) {
            report.warning(place, problem.text);
        } else {
            report.error(place, problem.text);
        }
    }
    origin.map_sound = report.errors() == errors;
    if (!origin.map_sound) {
        return;
    }
    const ports::MapCapabilities abilities = schema.capabilities(elevator.map);
    ElevatorConfig& core = elevator.core;
    core.actions = abilities.actions;
    core.directions = abilities.directions;
    core.maps_mode = abilities.maps_mode;
    core.maps_occupied = abilities.maps_occupied;
    core.maps_heartbeat = abilities.maps_heartbeat;
    core.heartbeat_period = abilities.heartbeat_period;
    origin.plan = schema.plan(elevator.map);
}

bool has_all(const Entry& section, const std::vector<Key>& keys) {
    return std::all_of(keys.begin(), keys.end(), [&](const Key& key) {
        return !key.required || section.value.find(key.name) != nullptr;
    });
}

// Reads all keys of one elevator. True if its map is complete and without errors.
bool read_keys(Report& report,
               Draft& draft,
               const Drivers& drivers,
               const ElevatorOrigin& origin,
               ElevatorSettings& elevator) {
    const Entry& entry = *origin.entry;
    const std::string what = fmt::format("elevator {}", quoted(entry.key));
    std::size_t map_errors = 0;
    std::vector<Key> keys;
    const std::vector<Key> map = map_keys(elevator, what, origin.schema, drivers);
    for (const Key& key : map) {
        keys.push_back(counted(key, map_errors));
    }
    keys.push_back(required("bus", bus_name(elevator.bus, draft)));
    for (Key& key : decision_keys(elevator.core)) {
        keys.push_back(std::move(key));
    }
    read_mapping(report, entry, what, keys);
    elevator.core.floors = elevator.map.floors;
    return origin.schema != nullptr && map_errors == 0 && !entry.value.flawed &&
           has_all(entry, map);
}

void read_elevator(Report& report, Draft& draft, const Drivers& drivers, const Entry& entry) {
    ElevatorSettings elevator;
    elevator.core.id = core::ElevatorId{entry.key};
    ElevatorOrigin origin;
    origin.entry = &entry;
    origin.schema = find_driver(drivers, entry);
    const std::size_t errors = report.errors();
    if (const auto fault = fault_of_elevator_id(entry.key)) {
        report.error(entry.place, fmt::format("elevator {} {}", quoted(entry.key), *fault));
    }
    origin.map_sound = read_keys(report, draft, drivers, origin, elevator);
    if (origin.map_sound) {
        ask_driver(report, elevator, origin);
    }
    origin.sound = report.errors() == errors && !entry.value.flawed;
    draft.settings.elevators.push_back(std::move(elevator));
    draft.elevators.push_back(origin);
}

}  // namespace

void read_elevators(Report& report, Draft& draft, const Drivers& drivers, const Entry& section) {
    read_entries(report, section, "elevator", elevators_max, [&](const Entry& entry) {
        for (const ElevatorOrigin& known : draft.elevators) {
            if (known.entry->key == entry.key) {
                report.error(entry.place,
                             fmt::format("elevator {} is already given at {}",
                                         quoted(entry.key),
                                         report.describe(known.entry->place)));
                return;
            }
        }
        read_elevator(report, draft, drivers, entry);
    });
}

}  // namespace liftwarden::config
