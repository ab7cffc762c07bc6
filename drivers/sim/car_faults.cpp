// What befalls the car from outside, and how it gets over it.
#include "drivers/sim/car.hpp"

#include <array>
#include <utility>

namespace liftwarden::sim {

using core::Side;
using core::TimePoint;
using core::Travel;

namespace {

constexpr std::array sides{Side::front, Side::rear};

}  // namespace

void Car::emergency_stop(TimePoint now, const std::string& why) {
    if (stopped_) {
        return;
    }
    stopped_ = true;
    fault_ = config_.stop_fault;
    calls_.clear();
    for (const Side side : sides) {
        door_of(side).halt();
    }
    if (leg_ends_) {
        caught_ = travel_;
        leg_ends_.reset();
    }
    travel_ = Travel::stopped;
    note(now, "emergency_stop", {{"why", why}, {"fault", *fault_}});
}

void Car::reset(TimePoint now) {
    advance(now);
    fault_.reset();
    for (auto& recent : recent_reversals_) {
        recent.clear();
    }
    note(now, "reset");
    if (!std::exchange(stopped_, false)) {
        return;
    }
    for (const Side side : sides) {
        door_of(side).release(now);
        if (door_of(side).moving()) {
            note_door(now, side);
        }
    }
    if (caught_) {
        travel_ = *std::exchange(caught_, std::nullopt);
        leg_ends_ = now + config_.floor_time;
        note(now, "travel", {{"direction", core::to_string(travel_)}, {"to", "next floor"}});
    }
}

void Car::set_mode(TimePoint now, core::ServiceMode mode) {
    advance(now);
    mode_ = mode;
    if (!serves_calls()) {
        calls_.clear();
    }
    note(now, "mode", {{"mode", core::to_string(mode)}});
}

void Car::set_door_blocked(bool blocked) {
    blocked_ = blocked;
    for (const Side side : sides) {
        door_of(side).set_blocked(blocked);
    }
}

void Car::set_stuck(TimePoint now, bool stuck) {
    advance(now);
    for (const Side side : sides) {
        door_of(side).set_stuck(stuck, now);
    }
}

void Car::set_fault(TimePoint now, std::optional<std::int64_t> code) {
    if (!code) {
        reset(now);
        return;
    }
    advance(now);
    fault_ = code;
    note(now, "fault", {{"fault", *code}});
}

bool Car::place(TimePoint now, const core::FloorLabel& label) {
    const auto index = index_of(label);
    if (!index) {
        return false;
    }
    advance(now);
    floor_ = *index;
    travel_ = Travel::stopped;
    leg_ends_.reset();
    caught_.reset();
    calls_.clear();
    stopped_ = false;
    fault_.reset();
    for (const Side side : sides) {
        door_of(side).put_closed();
        recent_reversals_[side == Side::front ? 0 : 1].clear();
    }
    note(now, "placed", {{"floor", label.str()}});
    return true;
}

}  // namespace liftwarden::sim
