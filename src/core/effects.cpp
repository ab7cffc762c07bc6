#include "src/core/effects.hpp"

#include "src/core/breakage.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::core {
namespace {

constexpr std::size_t watches_max = 16;

bool door_is(const Observation& seen, std::optional<Side> side, DoorState a, DoorState b) {
    return door_is(seen, side, a) || door_is(seen, side, b);
}

bool is_mode(ServiceMode seen, OrderedMode ordered) {
    return seen == (ordered == OrderedMode::agv ? ServiceMode::agv : ServiceMode::normal);
}

}  // namespace

bool door_is(const Observation& seen, std::optional<Side> side, DoorState state) {
    return side ? seen.door(*side) == state : Sight::any_door(seen, state);
}

std::optional<Side> side_of(const Content& content, const ElevatorConfig& config) {
    if (content.door) {
        return content.door;
    }
    if (content.floor) {
        if (const Floor* floor = config.find_floor(*content.floor)) {
            return floor->doors.front();
        }
    }
    return std::nullopt;
}

std::optional<Effect> Effects::begin(Watch watch) {
    std::optional<Effect> dropped;
    if (watches_->size() == watches_max) {
        dropped = Effect{watches_->front(), false, "too many commands are being watched"};
        watches_->erase(watches_->begin());
    }
    watches_->push_back(std::move(watch));
    changed_ = true;
    return dropped;
}

bool Effects::sign(const Watch& watch, const Observation& seen, Phase raw) const {
    const std::optional<Side> side = side_of(watch.row.command.content, *config_);
    switch (watch.row.command.content.action) {
        case ActionKind::hall_call:
        case ActionKind::car_call:
            if (watch.car_was_here) {
                return door_is(seen, side, DoorState::opening, DoorState::open);
            }
            return raw == Phase::moving || Sight::any_door(seen, DoorState::closing) ||
                   (seen.target && seen.target == watch.row.command.content.floor);
        case ActionKind::open_door:
            return door_is(seen, side, DoorState::opening, DoorState::open);
        case ActionKind::close_door:
            return door_is(seen, side, DoorState::closing, DoorState::closed);
        case ActionKind::hold_door:
            return Sight::any_door(seen, DoorState::open);
        case ActionKind::set_mode:
            return is_mode(seen.mode, *watch.row.command.content.mode);
        case ActionKind::release:
        case ActionKind::query:
            break;
    }
    LIFTWARDEN_ASSERT(false && "only what reaches the PLC is watched");
    return false;
}

bool Effects::served(const Watch& watch, const Observation& seen) const {
    const std::optional<Side> side = side_of(watch.row.command.content, *config_);
    switch (watch.row.command.content.action) {
        case ActionKind::hall_call:
        case ActionKind::car_call:
            return seen.travel == Travel::stopped &&
                   seen.floor == watch.row.command.content.floor &&
                   door_is(seen, side, DoorState::opening, DoorState::open);
        case ActionKind::open_door:
            return door_is(seen, side, DoorState::open);
        case ActionKind::close_door:
            return door_is(seen, side, DoorState::closed);
        case ActionKind::hold_door:
            return Sight::any_door(seen, DoorState::open);
        case ActionKind::set_mode:
            return is_mode(seen.mode, *watch.row.command.content.mode);
        case ActionKind::release:
        case ActionKind::query:
            break;
    }
    LIFTWARDEN_ASSERT(false && "only what reaches the PLC is watched");
    return false;
}

std::vector<Effect> Effects::update(TimePoint now,
                                    const Sight& sight,
                                    std::optional<TimePoint> idle_since) {
    std::vector<Effect> ended;
    std::vector<Watch> kept;
    const Phase raw = sight.phase(now);
    for (Watch& watch : *watches_) {
        // Only what was read after the acknowledgement can be an effect of it.
        const Observation* seen =
            sight.seen_at() && *sight.seen_at() >= watch.acked_at ? sight.fresh(now) : nullptr;
        const bool sign_now = seen != nullptr && !watch.sign_seen && sign(watch, *seen, raw);
        if (sign_now) {
            watch.sign_seen = true;
            changed_ = true;
        }
        if (seen != nullptr && served(watch, *seen)) {
            ended.push_back({watch, true, ""});
        } else if (!watch.sign_seen && now >= watch.acked_at + config_->effect_timeout) {
            ended.push_back({watch, false, "no sign of it within effect_timeout"});
        } else if (now >= watch.acked_at + config_->served_timeout) {
            ended.push_back({watch, false, "not there within served_timeout"});
        } else {
            if (is_call(watch.row.command.content.action) && watch.sign_seen && idle_since &&
                now >= *idle_since + config_->settle &&
                now >= watch.acked_at + config_->effect_timeout) {
                watch.settled_out = true;
            }
            kept.push_back(watch);
        }
    }
    if (!ended.empty()) {
        *watches_ = std::move(kept);
        changed_ = true;
    }
    return ended;
}

Phase Effects::phase(Phase raw) const {
    if (raw == Phase::offline || raw == Phase::error || broken(Breakage::forget_assumed_phase)) {
        return raw;
    }
    for (auto watch = watches_->rbegin(); watch != watches_->rend(); ++watch) {
        if (watch->sign_seen) {
            continue;
        }
        switch (watch->row.command.content.action) {
            case ActionKind::hall_call:
            case ActionKind::car_call:
                return watch->car_was_here ? Phase::door_opening : Phase::moving;
            case ActionKind::open_door:
                return Phase::door_opening;
            case ActionKind::close_door:
                return Phase::door_closing;
            default:
                break;  // hold_door: as read; set_mode: see mode_pending()
        }
    }
    const bool on_its_way = std::any_of(watches_->begin(), watches_->end(), [](const Watch& watch) {
        return is_call(watch.row.command.content.action) && watch.sign_seen && !watch.settled_out;
    });
    return raw == Phase::idle && on_its_way ? Phase::moving : raw;
}

bool Effects::mode_pending() const {
    return std::any_of(watches_->begin(), watches_->end(), [](const Watch& watch) {
        return watch.row.command.content.action == ActionKind::set_mode;
    });
}

bool Effects::call_pending(const Party& party, const FloorLabel& floor) const {
    return std::any_of(watches_->begin(), watches_->end(), [&](const Watch& watch) {
        return is_call(watch.row.command.content.action) && watch.row.party == party &&
               watch.row.command.content.floor == floor && !watch.settled_out;
    });
}

bool Effects::awaits_sign(const CommandRef& command) const {
    return std::any_of(watches_->begin(), watches_->end(), [&](const Watch& watch) {
        return watch.row.command.seq == command.seq && !watch.sign_seen;
    });
}

bool Effects::assumed(const CommandRef& command) const {
    return std::any_of(watches_->begin(), watches_->end(), [&](const Watch& watch) {
        return watch.row.command.seq == command.seq && !watch.settled_out;
    });
}

std::optional<TimePoint> Effects::next(std::optional<TimePoint> idle_since, TimePoint now) const {
    std::optional<TimePoint> first;
    const auto consider = [&](TimePoint at) {
        if (at > now && (!first || at < *first)) {
            first = at;
        }
    };
    for (const Watch& watch : *watches_) {
        consider(watch.acked_at + config_->effect_timeout);
        consider(watch.acked_at + config_->served_timeout);
        if (idle_since && watch.sign_seen && !watch.settled_out) {
            consider(*idle_since + config_->settle);
        }
    }
    return first;
}

}  // namespace liftwarden::core
