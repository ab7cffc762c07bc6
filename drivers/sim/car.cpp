#include "drivers/sim/car.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace liftwarden::sim {

using core::DoorState;
using core::Side;
using core::TimePoint;
using core::Travel;

namespace {

constexpr std::array sides{Side::front, Side::rear};

}  // namespace

bool Car::serves_calls() const {
    return mode_ == core::ServiceMode::normal || mode_ == core::ServiceMode::agv;
}

Car::Car(CarConfig config)
    : config_(std::move(config)), doors_{Door{config_.door}, Door{config_.door}} {
    LIFTWARDEN_ASSERT(!config_.floors.empty());
}

const core::Floor* Car::target() const {
    return calls_.empty() ? nullptr : &config_.floors[calls_.front().floor];
}

bool Car::all_closed() const {
    return doors_[0].closed() && doors_[1].closed();
}

bool Car::any(DoorState state) const {
    return doors_[0].state() == state || doors_[1].state() == state;
}

// The end of the time a door stands open before the car closes it by itself.
std::optional<TimePoint> Car::leave_at() const {
    if (stopped_ || !any(DoorState::open) || any(DoorState::opening) || any(DoorState::closing)) {
        return std::nullopt;
    }
    if (!calls_.empty()) {
        return std::max(opened_at_ + config_.dwell, hold_until_);
    }
    if (config_.auto_close && serves_calls()) {
        return std::max(opened_at_ + *config_.auto_close, hold_until_);
    }
    return std::nullopt;
}

std::optional<TimePoint> Car::deadline() const {
    std::optional<TimePoint> next = leg_ends_;
    for (const auto candidate : {doors_[0].deadline(), doors_[1].deadline(), leave_at()}) {
        if (candidate && (!next || *candidate < *next)) {
            next = candidate;
        }
    }
    return next;
}

void Car::advance(TimePoint now) {
    for (auto next = deadline(); next && *next <= now; next = deadline()) {
        step(*next);
    }
}

// Exactly one of the things that are due at `at`; advance() comes back for the others.
void Car::step(TimePoint at) {
    if (leg_ends_ && *leg_ends_ <= at) {
        arrive(at);
        return;
    }
    for (const Side side : sides) {
        if (const auto due = door_of(side).deadline(); due && *due <= at) {
            finish_door(at, side);
            return;
        }
    }
    close_all(at, "time to leave");
}

void Car::finish_door(TimePoint at, Side side) {
    if (door_of(side).finish(at)) {
        note_door(at, side);
        reversed(at, side, "obstacle in the doorway");
        return;
    }
    note_door(at, side);
    if (door(side) == DoorState::closed) {
        drive(at);
        return;
    }
    opened_at_ = at;
    if (!calls_.empty() && calls_.front().floor == floor_) {
        const Side wanted = calls_.front().side;
        if (door_of(wanted).closed()) {
            open(at, wanted, "call");
        } else {
            calls_.pop_front();
        }
    }
}

// Takes the next step of the first call once nothing stands in its way.
void Car::drive(TimePoint at) {
    if (stopped_ || leg_ends_ || calls_.empty() || !all_closed()) {
        return;
    }
    const Call call = calls_.front();
    if (call.floor == floor_) {
        travel_ = Travel::stopped;
        open(at, call.side, "call");
        return;
    }
    travel_ = call.floor > floor_ ? Travel::up : Travel::down;
    leg_ends_ = at + config_.floor_time;
    note(at,
         "travel",
         {{"direction", core::to_string(travel_)},
          {"from", floor().label.str()},
          {"to", config_.floors[call.floor].label.str()}});
}

// The car is level with the next floor: it stops there, or goes on.
void Car::arrive(TimePoint at) {
    floor_ = travel_ == Travel::up ? floor_ + 1 : floor_ - 1;
    leg_ends_.reset();
    note(at, "floor", {{"floor", floor().label.str()}});
    const bool stops = calls_.empty() || calls_.front().floor == floor_;
    if (stops) {
        travel_ = Travel::stopped;
        note(at, "travel", {{"direction", "stopped"}, {"floor", floor().label.str()}});
        drive(at);
        return;
    }
    const Travel wanted = calls_.front().floor > floor_ ? Travel::up : Travel::down;
    if (wanted == travel_) {
        leg_ends_ = at + config_.floor_time;
    } else {
        drive(at);
    }
}

void Car::open(TimePoint now, Side side, const char* cause) {
    if (stopped_ || door(side) == DoorState::open || door(side) == DoorState::opening) {
        return;
    }
    const bool turned = door_of(side).open(now);
    note_door(now, side);
    if (turned) {
        reversed(now, side, cause);
    }
}

void Car::close(TimePoint now, Side side, const char* cause) {
    if (stopped_ || door(side) == DoorState::closed || door(side) == DoorState::closing) {
        return;
    }
    const bool turned = door_of(side).close(now);
    note_door(now, side);
    if (turned) {
        reversed(now, side, cause);
    }
}

void Car::close_all(TimePoint now, const char* cause) {
    hold_until_ = now;
    for (const Side side : sides) {
        close(now, side, cause);
    }
}

void Car::reversed(TimePoint now, Side side, const char* cause) {
    ++reversals_;
    auto& recent = recent_reversals_[side == Side::front ? 0 : 1];
    recent.push_back(now);
    while (recent.front() + config_.reversal_window < now) {
        recent.pop_front();
    }
    note(now,
         "reversal",
         {{"door", core::to_string(side)},
          {"now", core::to_string(door(side))},
          {"cause", cause},
          {"recent", recent.size()}});
    if (recent.size() >= config_.reversals_to_stop) {
        emergency_stop(now, std::to_string(recent.size()) + " door reversals in a short time");
    }
}

std::optional<std::size_t> Car::index_of(const core::FloorLabel& label) const {
    const auto found = std::find_if(
        config_.floors.begin(), config_.floors.end(), [&label](const core::Floor& floor) {
            return floor.label == label;
        });
    if (found == config_.floors.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(std::distance(config_.floors.begin(), found));
}

void Car::note_door(TimePoint now, Side side) {
    note(now, "door", {{"door", core::to_string(side)}, {"state", core::to_string(door(side))}});
}

void Car::note(TimePoint now, std::string what, boost::json::object data) {
    notes_.push_back({now, std::move(what), std::move(data)});
}

Notes Car::drain() {
    return std::exchange(notes_, {});
}

}  // namespace liftwarden::sim
