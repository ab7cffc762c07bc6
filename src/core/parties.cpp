#include "src/core/parties.hpp"

#include <algorithm>

namespace liftwarden::core {
namespace {

constexpr std::size_t trips_max =
    64;  // sources that name neither ride nor task, and their owning trips

bool starts_new_trip(const Command& command, const Trip* present) {
    if (present == nullptr) {
        return true;
    }
    return command.content.action == ActionKind::hall_call &&
           command.content.floor != present->hall_floor;
}

// The owning trip of this source or group if it has one, else its newest.
const Trip* present_trip(const std::string& who,
                         const std::optional<Owner>& owner,
                         const std::vector<Trip>& trips) {
    const Trip* newest = nullptr;
    for (const Trip& trip : trips) {
        if (trip.party.who != who) {
            continue;
        }
        if (owner && owner->party == trip.party) {
            return &trip;
        }
        newest = &trip;
    }
    return newest;
}

void forget_old_trips(const std::string& who,
                      const std::optional<Owner>& owner,
                      std::vector<Trip>& trips) {
    const auto superseded = [&](const Trip& trip) {
        return trip.party.who == who && !(owner && owner->party == trip.party);
    };
    trips.erase(std::remove_if(trips.begin(), trips.end(), superseded), trips.end());
    while (trips.size() >= trips_max) {
        const bool owning = owner && owner->party == trips.front().party;
        trips.erase(owning ? trips.begin() + 1 : trips.begin());
    }
}

}  // namespace

Assigned assign_party(const Command& command,
                      const std::string& who,
                      const std::optional<Owner>& owner,
                      std::vector<Trip>& trips) {
    if (command.ride) {
        return {Party{who, Party::Kind::ride, *command.ride}, false};
    }
    if (command.task) {
        return {Party{who, Party::Kind::task, *command.task}, false};
    }
    const Trip* present = present_trip(who, owner, trips);
    if (!starts_new_trip(command, present)) {
        return {present->party, false};
    }
    Trip trip;
    trip.party = Party{who, Party::Kind::trip, command.seq.str()};
    if (command.content.action == ActionKind::hall_call) {
        trip.hall_floor = command.content.floor;
    }
    forget_old_trips(who, owner, trips);
    trips.push_back(trip);
    return {trip.party, true};
}

}  // namespace liftwarden::core
