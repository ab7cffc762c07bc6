#include "drivers/sim/door.hpp"

namespace liftwarden::sim {

using core::DoorState;

void Door::move(DoorState direction, core::TimePoint now) {
    state_ = direction;
    since_ = now;
}

bool Door::open(core::TimePoint now) {
    if (state_ == DoorState::open || state_ == DoorState::opening) {
        return false;
    }
    const bool reversed = state_ == DoorState::closing;
    move(DoorState::opening, now);
    return reversed;
}

bool Door::close(core::TimePoint now) {
    if (state_ == DoorState::closed || state_ == DoorState::closing) {
        return false;
    }
    const bool reversed = state_ == DoorState::opening;
    move(DoorState::closing, now);
    return reversed;
}

core::Duration Door::movement_time() const {
    if (state_ == DoorState::opening) {
        return times_.opening;
    }
    return blocked_ ? times_.closing / 2 : times_.closing;
}

std::optional<core::TimePoint> Door::deadline() const {
    if (!moving() || stuck_ || halted_) {
        return std::nullopt;
    }
    return since_ + movement_time();
}

bool Door::finish(core::TimePoint at) {
    if (state_ == DoorState::opening) {
        state_ = DoorState::open;
        return false;
    }
    if (blocked_) {
        return open(at);
    }
    state_ = DoorState::closed;
    return false;
}

void Door::set_stuck(bool stuck, core::TimePoint now) {
    if (stuck_ && !stuck) {
        since_ = now;
    }
    stuck_ = stuck;
}

void Door::release(core::TimePoint now) {
    halted_ = false;
    if (moving()) {
        move(DoorState::opening, now);
    }
}

void Door::put_closed() {
    state_ = DoorState::closed;
    halted_ = false;
}

}  // namespace liftwarden::sim
