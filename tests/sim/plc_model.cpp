#include "tests/sim/plc_model.hpp"

#include <utility>

namespace liftwarden::sim_test {

using core::AckResult;
using core::ActionKind;
using core::DoorState;
using core::Travel;
using namespace std::chrono_literals;

namespace {

constexpr core::Duration door_time = 1500ms;
constexpr core::Duration floor_time = 2s;

}  // namespace

PlcModel::PlcModel(const core::ElevatorConfig& config,
                   Scheduler& scheduler,
                   Jitter jitter,
                   Executed executed)
    : config_(&config), scheduler_(&scheduler), executed_(std::move(executed)) {
    scheduler_->in(jitter.between(scheduler.now(), 1ms, config.scan), [this] { scan(); });
}

void PlcModel::write(const core::WireCommand& command, std::string seq) {
    mailbox_ = Mailbox{command, std::move(seq)};
}

core::Reading PlcModel::read(core::ReadKind kind) const {
    core::Reading reading;
    reading.at = scheduler_->now();
    reading.ack = ack_;
    if (kind == core::ReadKind::full) {
        core::Observation seen;
        seen.floor = config_->floors[floor_].label;
        seen.travel = travel_;
        seen.front = door_;
        seen.mode = mode_;
        seen.fault = fault_;
        seen.occupied = occupied_;
        if (undecodable_) {
            seen.undecodable = "door 9";
        }
        reading.observation = seen;
        if (config_->maps_heartbeat) {
            reading.heartbeat = heartbeat_;
        }
    }
    return reading;
}

void PlcModel::restart(bool replaced) {
    if (replaced) {
        mailbox_.reset();
    }
    ++power_ups_;
    ack_ = {};
    heartbeat_ = 0;
    seen_ = mailbox_ ? mailbox_->command.wire_seq.value() : std::uint16_t{0};
    wait_scans_ = -1;
}

void PlcModel::passenger_call(std::size_t floor) {
    if (!target_) {
        target_ = floor;
    }
}

void PlcModel::scan() {
    const std::uint16_t shown = mailbox_ ? mailbox_->command.wire_seq.value() : std::uint16_t{0};
    const int ahead = (shown - seen_ + 65535) % 65535;
    const bool newer = shown != 0 && (seen_ == 0 || (ahead >= 1 && ahead <= 32767));
    if (newer && wait_scans_ < 0) {
        const bool slow = !manners_.empty() && manners_.front().first == PlcManner::slow;
        wait_scans_ = slow ? manners_.front().second : 0;
    }
    if (newer && wait_scans_-- == 0) {
        take(*mailbox_);
    }
    step_car();
    scheduler_->in(config_->scan, [this] { scan(); });
}

void PlcModel::take(const Mailbox& taken) {
    PlcManner manner = PlcManner::slow;  // as good as none now
    if (!manners_.empty()) {
        manner = manners_.front().first;
        manners_.pop_front();
    }
    seen_ = taken.command.wire_seq.value();
    ack_.echo = core::Echo{seen_};
    const bool closed_to_us = mode_ != core::ServiceMode::agv && mode_ != core::ServiceMode::normal;
    if (closed_to_us || fault_ || manner == PlcManner::refuses) {
        ack_.result = AckResult::refused;
    } else if (manner == PlcManner::busy) {
        ack_.result = AckResult::busy;
    } else {
        ack_.result =
            manner == PlcManner::odd_result ? AckResult::unrecognised : AckResult::accepted;
        execute(taken.command.content);
        executed_({scheduler_->now(), taken.command, taken.seq});
    }
    ack_.raw_result = static_cast<std::uint16_t>(ack_.result);
}

void PlcModel::move_door(DoorState towards) {
    door_ = towards;
    next_step_ = scheduler_->now() + door_time;
}

void PlcModel::execute(const core::Content& content) {
    switch (content.action) {
        case ActionKind::hall_call:
        case ActionKind::car_call:
            for (std::size_t i = 0; i < config_->floors.size(); ++i) {
                if (config_->floors[i].label == content.floor) {
                    target_ = i;
                }
            }
            break;
        case ActionKind::open_door:
        case ActionKind::hold_door:
            if (travel_ == Travel::stopped && door_ != DoorState::open) {
                move_door(DoorState::opening);
            }
            break;
        case ActionKind::close_door:
            if (door_ != DoorState::closed) {
                move_door(DoorState::closing);
            }
            break;
        case ActionKind::set_mode:
            mode_ = content.mode == core::OrderedMode::agv ? core::ServiceMode::agv
                                                           : core::ServiceMode::normal;
            break;
        default:
            break;
    }
}

void PlcModel::step_car() {
    const core::TimePoint now = scheduler_->now();
    if (now < next_step_) {
        return;
    }
    if (door_ == DoorState::closing && held_) {
        move_door(DoorState::opening);  // somebody stands in it
        return;
    }
    if (door_ == DoorState::opening || door_ == DoorState::closing) {
        door_ = door_ == DoorState::opening ? DoorState::open : DoorState::closed;
        return;
    }
    if (!target_) {
        return;
    }
    if (*target_ == floor_) {
        travel_ = Travel::stopped;
        target_.reset();
        if (door_ == DoorState::closed) {
            move_door(DoorState::opening);
        }
        return;
    }
    if (door_ == DoorState::open) {
        move_door(DoorState::closing);
        return;
    }
    const bool up = *target_ > floor_;
    if (travel_ != Travel::stopped) {
        floor_ = up ? floor_ + 1 : floor_ - 1;
    }
    travel_ = up ? Travel::up : Travel::down;
    next_step_ = now + floor_time;
}

}  // namespace liftwarden::sim_test
