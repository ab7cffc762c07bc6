// Whose trip a command belongs to.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/journal.hpp>

#include <optional>
#include <vector>

namespace liftwarden::core {

// The party of a newly received command. A command that names ride or task belongs to it.
// Otherwise: a hall call to another floor than that of the source's present trip (the owning one,
// else the newest) begins a new trip, named after its seq; every other command belongs to the
// owning trip, else to the newest, else begins one. `trips` (newest last, a few for each source)
// is brought up to date; returns whether it changed. `who` is the source or its group.
struct Assigned {
    Party party;
    bool trips_changed = false;
};
[[nodiscard]] Assigned assign_party(const Command& command,
                                    const std::string& who,
                                    const std::optional<Owner>& owner,
                                    std::vector<Trip>& trips);

}  // namespace liftwarden::core
