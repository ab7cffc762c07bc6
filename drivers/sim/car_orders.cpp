// How the car carries out commands; the movements themselves are in car.cpp.
#include "drivers/sim/car.hpp"

#include <algorithm>

namespace liftwarden::sim {

using core::ActionKind;
using core::DoorState;
using core::Side;
using core::TimePoint;

std::string Car::refusal(const core::Content& content) const {
    if (fault_) {
        return stopped_ ? "emergency stop" : "fault " + std::to_string(*fault_);
    }
    if (!serves_calls()) {
        return std::string("mode is ") + core::to_string(mode_);
    }
    if (core::is_call(content.action)) {
        return content.floor && index_of(*content.floor) ? "" : "no such floor";
    }
    if (core::is_door_command(content.action)) {
        if (travel_ != core::Travel::stopped) {
            return "the car is moving";
        }
        const auto& doors = floor().doors;
        const Side side = content.door.value_or(doors.front());
        const bool here = std::find(doors.begin(), doors.end(), side) != doors.end();
        return here ? "" : std::string("no ") + core::to_string(side) + " door here";
    }
    if (content.action == ActionKind::set_mode) {
        return content.mode ? "" : "no such mode";
    }
    return "unknown action";
}

Verdict Car::take(TimePoint now, const core::Content& content) {
    advance(now);
    if (std::string why = refusal(content); !why.empty()) {
        return {false, std::move(why)};
    }
    if (core::is_call(content.action)) {
        take_call(now, content);
    } else if (core::is_door_command(content.action)) {
        take_door(now, content);
    } else {
        set_mode(now,
                 *content.mode == core::OrderedMode::agv ? core::ServiceMode::agv
                                                         : core::ServiceMode::normal);
    }
    return {true, ""};
}

void Car::take_call(TimePoint now, const core::Content& content) {
    const std::size_t floor = *index_of(*content.floor);
    const auto& doors = config_.floors[floor].doors;
    const Side asked = content.door.value_or(doors.front());
    const bool exists = std::find(doors.begin(), doors.end(), asked) != doors.end();
    const Call call{floor, exists ? asked : doors.front()};
    if (leg_ends_) {
        const bool known = std::any_of(
            calls_.begin(), calls_.end(), [floor](const Call& c) { return c.floor == floor; });
        if (!known) {
            calls_.push_back(call);
        }
        return;
    }
    calls_ = {call};
    if (floor != floor_ || any(DoorState::opening)) {
        close_all(now, "call");
        drive(now);
    } else if (any(DoorState::closing)) {
        for (const Side side : {Side::front, Side::rear}) {
            if (door(side) == DoorState::closing) {
                open(now, side, "call");
            }
        }
    } else if (door(call.side) == DoorState::open) {
        calls_.clear();
        opened_at_ = now;
    } else {
        open(now, call.side, "call");
    }
}

void Car::take_door(TimePoint now, const core::Content& content) {
    const Side side = content.door.value_or(floor().doors.front());
    switch (content.action) {
        case ActionKind::open_door:
            open(now, side, "open_door");
            break;
        case ActionKind::close_door:
            // Or the car would open again as soon as it is closed.
            std::erase_if(calls_, [this](const Call& call) { return call.floor == floor_; });
            hold_until_ = now;
            close(now, side, "close_door");
            break;
        default:
            hold_until_ = now + std::chrono::seconds{content.seconds.value_or(0)};
            // A closed door stays closed: hold keeps a door open, it does not open one.
            if (door(side) == DoorState::closing) {
                open(now, side, "hold_door");
            }
            break;
    }
}

}  // namespace liftwarden::sim
