#pragma once

#include <liftwarden/ports/elevator_map.hpp>

#include <vector>

namespace liftwarden::mailbox {

// The transactions of one reading. The acknowledgement's comes first, so that the state beside an
// echo is never older than the echo.
struct ReadPlan {
    std::vector<ports::ReadRequest> full;
    std::vector<ports::ReadRequest> acknowledgement;
    friend bool operator==(const ReadPlan&, const ReadPlan&) = default;
};

// Joins what lies side by side in one table into one request, up to the protocol's limit, and never
// reads an address the map does not name: many controllers answer such a read with an exception.
// Registers that are missing from the map are left out; nothing is checked here.
[[nodiscard]] ReadPlan plan_reads(const ports::ElevatorMap& map);

}  // namespace liftwarden::mailbox
