// The sections of the file, each read into its part of the draft.
#pragma once

#include "src/adapters/config/draft.hpp"
#include "src/adapters/config/walker.hpp"

#include <liftwarden/ports/elevator_map.hpp>

#include <string>
#include <string_view>

namespace liftwarden::config {

// All top-level keys of the main file. Elevators are read after everything else, because they refer
// to buses.
void read_main(Report& report, Draft& draft, const Drivers& drivers, const Entry& root);

// A file of elevators.d: nothing but `elevators:`.
void read_elevator_file(Report& report, Draft& draft, const Drivers& drivers, const Entry& root);

void read_gateway(Report& report, Draft& draft, const Entry& section);
void read_control(Report& report, Draft& draft, const Entry& section);
void read_journal(Report& report, Draft& draft, const Entry& section);
void read_queue(Report& report, Draft& draft, const Entry& section);
void read_source_groups(Report& report, Draft& draft, const Entry& section);
void read_mqtt(Report& report, Draft& draft, const Entry& section);
void read_lock(Report& report, Draft& draft, const Entry& section);
void read_buses(Report& report, Draft& draft, const Entry& section);
void read_elevators(Report& report, Draft& draft, const Drivers& drivers, const Entry& section);

// `what` names the elevator in messages: "elevator \"EL001\"".
void read_floors(Report& report,
                 const Entry& section,
                 std::string_view what,
                 std::vector<core::Floor>& floors);
void read_registers(Report& report,
                    const Entry& section,
                    std::string_view what,
                    const ports::DriverSchema& schema,
                    ports::ElevatorMap& map);
void read_codes(Report& report,
                const Entry& section,
                std::string_view what,
                const ports::CodeSection& schema,
                ports::ElevatorMap& map);

}  // namespace liftwarden::config
