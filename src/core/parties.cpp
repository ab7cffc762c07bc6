#include "src/core/parties.hpp"

#include <algorithm>

namespace liftwarden::core {
namespace {

constexpr std::size_t trips_max = 64;  // of all sources that name neither ride nor task
// A source may order further trips before the first of them owns the elevator.
constexpr std::ptrdiff_t trips_of_source_max = 4;

bool starts_new_trip(const Command& command, const std::optional<Trip>& present) {
    if (!present) {
        return true;
    }
    return command.content.action == ActionKind::hall_call &&
           command.content.floor != present->hall_floor;
}

// The owning trip of this source or group if it has one, else its newest.
std::optional<Trip> present_trip(const std::string& who,
                                 const std::optional<Owner>& owner,
                                 const std::vector<Trip>& trips) {
    const bool owns = owner && owner->party.who == who && owner->party.kind == Party::Kind::trip;
    std::optional<Trip> newest;
    for (const Trip& trip : trips) {
        if (trip.party.who != who) {
            continue;
        }
        if (owns && owner->party == trip.party) {
            return trip;
        }
        newest = trip;
    }
    if (!owns) {
        return newest;
    }
    // Its record made room for newer ones; what it called last is the best that is known.
    Trip owning{owner->party, std::nullopt};
    if (owner->last_call && owner->last_call->action == ActionKind::hall_call) {
        owning.hall_floor = owner->last_call->floor;
    }
    return owning;
}

void forget_old_trips(const std::string& who,
                      const std::optional<Owner>& owner,
                      std::vector<Trip>& trips) {
    const auto owning = [&](const Trip& trip) { return owner && owner->party == trip.party; };
    const auto of_source = [&](const Trip& trip) { return trip.party.who == who; };
    const auto forget_oldest = [&](auto fits) {
        const auto oldest = std::find_if(
            trips.begin(), trips.end(), [&](const Trip& it) { return fits(it) && !owning(it); });
        if (oldest != trips.end()) {
            trips.erase(oldest);
        }
    };
    if (std::count_if(trips.begin(), trips.end(), of_source) >= trips_of_source_max) {
        forget_oldest(of_source);
    }
    if (trips.size() >= trips_max) {
        forget_oldest([](const Trip&) { return true; });
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
    const std::optional<Trip> present = present_trip(who, owner, trips);
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
