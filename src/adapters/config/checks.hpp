// What is only wrong between two places that are each fine by themselves.
#pragma once

#include "src/adapters/config/draft.hpp"
#include "src/adapters/config/wire_time.hpp"

#include <map>

namespace liftwarden::config {

using BusLoads = std::map<core::BusId, BusLoad>;

// What the elevators with a known plan ask of their buses.
[[nodiscard]] BusLoads bus_loads(const Draft& draft);

// Fills in the defaults that depend on other places: stale_after from the poll cycle,
// response_timeout by the transmission time, unowned_open by parks_open.
void set_derived_defaults(Draft& draft, const BusLoads& loads);

// Each reports what it finds and skips elevators and buses that are not sound.
void check_buses(Report& report, const Draft& draft, const BusLoads& loads);
void check_overlaps(Report& report, const Draft& draft);
void check_times(Report& report, const Draft& draft, const BusLoads& loads);
void check_elevators(Report& report, const Draft& draft);

// The keys of one lock block among each other.
void check_lock(Report& report, const Entry& section, const ports::LockSettings& lock);

// The bus of an elevator with where it stands; nullptrs if there is none of that name.
struct BusOf {
    const ports::BusSettings* settings = nullptr;
    const BusOrigin* origin = nullptr;
};
[[nodiscard]] BusOf bus_of(const Draft& draft, const ports::ElevatorSettings& elevator);

// The place of the first of these keys that is written in the entry, else of the entry's own key.
[[nodiscard]] Place first_given(const Entry& entry, const std::vector<std::string>& keys);

}  // namespace liftwarden::config
