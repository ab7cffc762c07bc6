#include "src/core/sight.hpp"

#include "src/core/breakage.hpp"

#include <cstdlib>

namespace liftwarden::core {

bool Sight::any_door(const Observation& observation, DoorState state) {
    return observation.front == state || observation.rear == state;
}

std::optional<int> Sight::floor_index(const Observation& observation) const {
    if (!observation.floor) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < config_->floors.size(); ++i) {
        if (config_->floors[i].label == *observation.floor) {
            return static_cast<int>(i);
        }
    }
    return std::nullopt;
}

void Sight::watch_floor(const Observation& observation) {
    if (!any_door(observation, DoorState::open)) {
        open_floor_.reset();
        open_floor_changes_ = 0;
        floor_error_ = false;
        return;
    }
    const std::optional<int> index = floor_index(observation);
    if (!index) {
        return;
    }
    if (open_floor_ && *open_floor_ != *index) {
        ++open_floor_changes_;
        if (open_floor_changes_ >= 2 || std::abs(*open_floor_ - *index) > 1) {
            floor_error_ = true;
        }
    }
    open_floor_ = index;
}

void Sight::take(const Reading& reading) {
    if (seen_at_ && reading.at >= *stale_at()) {
        // Nobody saw whether the door stayed open meanwhile; what is an error already stays one.
        open_floor_.reset();
        open_floor_changes_ = 0;
    }
    if (!reading.observation->undecodable) {
        watch_floor(*reading.observation);
    }
    last_ = reading.observation;
    seen_at_ = reading.at;
}

std::optional<TimePoint> Sight::stale_at() const {
    if (!seen_at_) {
        return std::nullopt;
    }
    return *seen_at_ + config_->stale_after;
}

Quality Sight::quality(TimePoint now) const {
    if (!last_) {
        return Quality::unknown;
    }
    if (now >= *stale_at() && !broken(Breakage::trust_stale_read)) {
        return Quality::stale;
    }
    return last_->undecodable ? Quality::unknown : Quality::good;
}

const Observation* Sight::fresh(TimePoint now) const {
    return quality(now) == Quality::good ? &*last_ : nullptr;
}

Phase Sight::phase(TimePoint now) const {
    const Observation* seen = fresh(now);
    if (seen == nullptr) {
        return Phase::offline;
    }
    if (seen->fault || floor_error_) {
        return Phase::error;
    }
    if (any_door(*seen, DoorState::opening)) {
        return Phase::door_opening;
    }
    if (any_door(*seen, DoorState::open)) {
        return Phase::door_open;
    }
    if (any_door(*seen, DoorState::closing)) {
        return Phase::door_closing;
    }
    return seen->travel == Travel::stopped ? Phase::idle : Phase::moving;
}

std::string Sight::error_text() const {
    if (last_ && last_->fault) {
        return "fault code " + std::to_string(*last_->fault);
    }
    return floor_error_ ? "the floor changes while a door reads open" : "";
}

}  // namespace liftwarden::core
