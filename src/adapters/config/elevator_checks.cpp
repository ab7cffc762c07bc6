// Keys of one elevator that contradict each other, and limits of the protocol.
#include "src/adapters/config/checks.hpp"
#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

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

}  // namespace

void check_elevators(Report& report, const Draft& draft) {
    for (std::size_t i = 0; i < draft.elevators.size(); ++i) {
        const ElevatorOrigin& origin = draft.elevators[i];
        if (!origin.plan) {
            continue;
        }
        check_request_sizes(report, origin);
        check_contradictions(report, *origin.entry, draft.settings.elevators[i].core);
    }
}

}  // namespace liftwarden::config
