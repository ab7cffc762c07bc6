#include "tests/support/core_builders.hpp"

namespace liftwarden::test {

using core::ActionKind;
using core::Side;

CommandBuilder& CommandBuilder::action(ActionKind kind) {
    switch (kind) {
        case ActionKind::hall_call:
        case ActionKind::car_call:
            return call(kind, "3");
        case ActionKind::open_door:
        case ActionKind::close_door:
            return door_command(kind);
        case ActionKind::hold_door:
            return hold(5);
        case ActionKind::set_mode:
            return set_mode(core::OrderedMode::agv);
        case ActionKind::release:
            return release();
        case ActionKind::query:
            break;
    }
    return query();
}

core::ElevatorConfig elevator_config() {
    core::ElevatorConfig config;
    config.id = el001;
    for (int floor = 1; floor <= 5; ++floor) {
        config.floors.push_back(
            {core::FloorLabel{std::to_string(floor)}, floor, {core::Side::front}});
    }
    config.actions = {ActionKind::hall_call,
                      ActionKind::car_call,
                      ActionKind::open_door,
                      ActionKind::close_door,
                      ActionKind::hold_door,
                      ActionKind::set_mode};
    config.maps_mode = true;
    config.maps_occupied = true;
    config.maps_heartbeat = true;
    return config;
}

core::ElevatorConfig two_sided_config() {
    core::ElevatorConfig config = elevator_config();
    config.floors[0].doors = {Side::front, Side::rear};
    config.floors[1].doors = {Side::rear};
    return config;
}

core::GatewayConfig site(core::ElevatorConfig elevator) {
    core::GatewayConfig config;
    config.id = core::GatewayId{"gw-01"};
    config.site = "dc-east";
    config.elevators = {std::move(elevator)};
    return config;
}

core::GatewayConfig lock_site(core::LockScheme scheme) {
    core::GatewayConfig config = site();
    config.lock = core::LockRules{};
    config.lock->scheme = scheme;
    return config;
}

}  // namespace liftwarden::test
