// Buses: their defaults, their load, and two that are one.
#include "src/adapters/config/checks.hpp"
#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace liftwarden::config {
namespace {

using core::Duration;
using ports::BusSettings;
using ports::BusType;

// Above this share of a bus's time, commands and repeats no longer find room between the polls.
constexpr double busy_share = 0.7;

std::string endpoint(const BusSettings& bus) {
    return bus.type == BusType::tcp ? fmt::format("{} port {}", bus.host, bus.port) : bus.device;
}

// One line with two workers: requests of one would cross with answers to the other.
void check_endpoints(Report& report, const Draft& draft) {
    std::map<std::string, const Entry*> seen;
    for (std::size_t i = 0; i < draft.buses.size(); ++i) {
        if (!draft.buses[i].sound) {
            continue;
        }
        const Entry& entry = *draft.buses[i].entry;
        const std::string where = endpoint(draft.settings.buses[i]);
        const auto [first, added] = seen.emplace(where, &entry);
        if (!added) {
            report.error(first_given(entry, {"host", "device"}),
                         fmt::format("bus {} is the same line as bus {} at {}: {}; put its "
                                     "elevators on that one",
                                     quoted(entry.key),
                                     quoted(first->second->key),
                                     report.describe(first->second->place),
                                     where));
        }
    }
}

void check_used(Report& report, const Draft& draft) {
    const auto& elevators = draft.settings.elevators;
    const bool all_known = std::all_of(elevators.begin(),
                                       elevators.end(),
                                       [](const auto& elevator) { return !elevator.bus.empty(); });
    if (!all_known || elevators.empty()) {
        return;  // the elevator whose bus is missing, or that is missing itself, may be on it
    }
    for (const BusOrigin& origin : draft.buses) {
        const bool used =
            std::any_of(elevators.begin(), elevators.end(), [&](const auto& elevator) {
                return elevator.bus.str() == origin.entry->key;
            });
        if (!used && origin.sound) {
            report.warning(origin.entry->place,
                           fmt::format("no elevator uses bus {}", quoted(origin.entry->key)));
        }
    }
}

void check_load(Report& report, const BusSettings& bus, const Entry& entry, const BusLoad& load) {
    if (load.share <= busy_share) {
        return;
    }
    const long percent = std::lround(load.share * 100);
    const std::string text = fmt::format(
        "{} {} % of bus {}{}; one reading of all its elevators takes {}",
        what_needs(load),
        percent,
        quoted(bus.id.str()),
        bus.type == BusType::tcp ? " (estimated)" : fmt::format(" at {} baud", bus.baud),
        to_text(load.round));
    if (load.share > 1 && bus.type == BusType::rtu) {
        report.error(entry.place, text + "; it does not fit: poll less often");
    } else {
        report.warning(entry.place, text + "; commands may have to wait: poll less often");
    }
}

void check_response(Report& report,
                    const BusSettings& bus,
                    const Entry& entry,
                    const BusLoad& load) {
    if (bus.type == BusType::rtu && bus.response_timeout <= load.longest) {
        report.error(first_given(entry, {"response_timeout"}),
                     fmt::format("response_timeout {} is over before the longest transaction, {} "
                                 "at {} baud, has been transmitted",
                                 to_text(bus.response_timeout),
                                 to_text(load.longest),
                                 bus.baud));
    }
}

}  // namespace

BusLoads bus_loads(const Draft& draft) {
    BusLoads loads;
    for (std::size_t i = 0; i < draft.elevators.size(); ++i) {
        const ElevatorOrigin& origin = draft.elevators[i];
        const ports::ElevatorSettings& elevator = draft.settings.elevators[i];
        const BusOf bus = bus_of(draft, elevator);
        if (origin.plan && bus.settings != nullptr && bus.origin->sound) {
            loads[elevator.bus].add(*bus.settings, *origin.plan, elevator.core);
        }
    }
    return loads;
}

void set_derived_defaults(Draft& draft, const BusLoads& loads) {
    for (std::size_t i = 0; i < draft.buses.size(); ++i) {
        BusSettings& bus = draft.settings.buses[i];
        const auto load = loads.find(bus.id);
        if (load != loads.end() && bus.type == BusType::rtu &&
            draft.buses[i].entry->value.find("response_timeout") == nullptr) {
            bus.response_timeout +=
                std::chrono::ceil<std::chrono::milliseconds>(load->second.longest);
        }
    }
    for (std::size_t i = 0; i < draft.elevators.size(); ++i) {
        const Entry& entry = *draft.elevators[i].entry;
        core::ElevatorConfig& elevator = draft.settings.elevators[i].core;
        const auto load = loads.find(draft.settings.elevators[i].bus);
        if (load != loads.end() && entry.value.find("stale_after") == nullptr) {
            elevator.stale_after = default_stale_after(load->second.cycle(elevator.poll));
        }
        if (elevator.parks_open && entry.value.find("unowned_open") == nullptr) {
            elevator.unowned_open = Duration::zero();
        }
    }
}

void check_buses(Report& report, const Draft& draft, const BusLoads& loads) {
    check_endpoints(report, draft);
    check_used(report, draft);
    for (std::size_t i = 0; i < draft.buses.size(); ++i) {
        const BusSettings& bus = draft.settings.buses[i];
        const auto load = loads.find(bus.id);
        if (load != loads.end()) {
            check_load(report, bus, *draft.buses[i].entry, load->second);
            check_response(report, bus, *draft.buses[i].entry, load->second);
        }
    }
}

BusOf bus_of(const Draft& draft, const ports::ElevatorSettings& elevator) {
    for (std::size_t i = 0; i < draft.buses.size(); ++i) {
        if (draft.settings.buses[i].id == elevator.bus) {
            return {&draft.settings.buses[i], &draft.buses[i]};
        }
    }
    return {};
}

Place first_given(const Entry& entry, const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
        if (const Entry* given = entry.value.find(key)) {
            return given->value.place;
        }
    }
    return entry.place;
}

}  // namespace liftwarden::config
