// Keys of one elevator that contradict each other, and limits of the protocol.
#include "src/adapters/config/checks.hpp"
#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

// MODBUS Application Protocol V1.1b3: 125 registers or 2000 bits a read, 123 registers a write.
constexpr int registers_per_read = 125;
constexpr int bits_per_read = 2000;
constexpr int registers_per_write = 123;

bool is_bit_table(ports::RegisterTable table) {
    return table == ports::RegisterTable::coil || table == ports::RegisterTable::discrete;
}

void check_request_sizes(Report& report, const ElevatorOrigin& origin) {
    const Place place = place_of(*origin.entry, {"registers"});
    for (const ports::ReadRequest& read : origin.plan->reads) {
        const int most = is_bit_table(read.table) ? bits_per_read : registers_per_read;
        if (read.count > most) {
            report.error(place,
                         fmt::format("one reading of {}:{} would cover {} addresses; Modbus allows "
                                     "{}",
                                     ports::to_string(read.table),
                                     read.address,
                                     read.count,
                                     most));
        }
    }
    if (origin.plan->command_registers > registers_per_write) {
        report.error(place,
                     fmt::format("a command would write {} registers at once; Modbus allows {}",
                                 origin.plan->command_registers,
                                 registers_per_write));
    }
}

void check_contradictions(Report& report, const Entry& entry, const core::ElevatorConfig& core) {
    if (core.require_agv_mode && !core.maps_mode) {
        report.error(first_given(entry, {"require_mode"}),
                     "require_mode: agv needs the service mode among the registers; without it "
                     "nothing but set_mode would ever be sent");
    }
    if (core.parks_open && core.unowned_open != core::Duration::zero()) {
        report.error(
            first_given(entry, {"unowned_open"}),
            fmt::format("unowned_open {} contradicts parks_open: true, with which it is 0s",
                        to_text(core.unowned_open)));
    }
}

// The order of the map is that of travel; a slip in it turns up and down around. Values may fall
// all the way: some PLCs count from the top.
void check_floor_order(Report& report, const Entry& entry, const core::ElevatorConfig& core) {
    const std::vector<core::Floor>& floors = core.floors;
    const auto falls = [](const core::Floor& a, const core::Floor& b) { return b.value < a.value; };
    if (std::is_sorted(floors.rbegin(), floors.rend(), [](const auto& a, const auto& b) {
            return a.value < b.value;
        })) {
        return;
    }
    const auto at = std::adjacent_find(floors.begin(), floors.end(), falls);
    if (at != floors.end()) {
        const core::Floor& next = *(at + 1);
        report.warning(
            place_of(entry, {"floors", next.label.str(), "value"}),
            fmt::format("floor {} has value {}, and floor {} below it has {}: floors are listed "
                        "from the lowest to the highest; check order and values",
                        quoted(next.label.str()),
                        next.value,
                        quoted(at->label.str()),
                        at->value));
    }
}

}  // namespace

void check_elevators(Report& report, const Draft& draft) {
    for (std::size_t i = 0; i < draft.elevators.size(); ++i) {
        const ElevatorOrigin& origin = draft.elevators[i];
        if (!origin.plan) {
            continue;
        }
        check_request_sizes(report, origin);
        check_contradictions(report, *origin.entry, draft.settings.elevators[i].core);
        check_floor_order(report, *origin.entry, draft.settings.elevators[i].core);
    }
}

}  // namespace liftwarden::config
