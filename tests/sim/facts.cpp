#include "tests/sim/facts.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

using core::DoorState;

bool Attempt::proves_not_taken(const core::Reading& reading, core::Duration scan) const {
    const bool late_enough = restarted || reading.at >= written + 2 * scan;
    if (!late_enough || reading.ack.echo != before.ack.echo) {
        return false;
    }
    const bool heartbeat_stands = reading.heartbeat && before.heartbeat && *before.heartbeat != 0 &&
                                  reading.heartbeat == before.heartbeat;
    return before.ack.echo.value() != 0 || heartbeat_stands;
}

bool ElevatorFacts::contested() const {
    return std::any_of(claims.begin(), claims.end(), [](const auto& it) { return !it.second; });
}

const core::Observation* ElevatorFacts::fresh(core::TimePoint now) const {
    if (seen.empty() || now - seen.back().reading.at >= config->stale_after ||
        seen.back().reading.observation->undecodable) {
        return nullptr;
    }
    return &*seen.back().reading.observation;
}

Known* Facts::find(const core::ElevatorId& elevator, const std::string& seq) {
    const auto found = known.find({elevator.str(), seq});
    return found == known.end() ? nullptr : &found->second;
}

core::Phase phase_of(const core::Observation& seen) {
    if (seen.fault) {
        return core::Phase::error;
    }
    if (seen.front == DoorState::opening) {
        return core::Phase::door_opening;
    }
    if (seen.front == DoorState::open) {
        return core::Phase::door_open;
    }
    if (seen.front == DoorState::closing) {
        return core::Phase::door_closing;
    }
    return seen.travel == core::Travel::stopped ? core::Phase::idle : core::Phase::moving;
}

}  // namespace liftwarden::sim_test
