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

PlcModel::PlcModel(const core::ElevatorConfig& config, Scheduler& scheduler, Rng& rng)
    : config_(&config), scheduler_(&scheduler), rng_(&rng) {
    scheduler_->in(rng.between(1ms, config.scan), [this] { scan(); });
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
        reading.observation = seen;
        reading.heartbeat = heartbeat_;
    }
    return reading;
}

void PlcModel::restart() {
    ack_ = {};
    heartbeat_ = 0;
    seen_ = mailbox_ ? mailbox_->command.wire_seq.value() : std::uint16_t{0};
    wait_scans_ = -1;
}

void PlcModel::scan() {
    const std::uint16_t shown = mailbox_ ? mailbox_->command.wire_seq.value() : std::uint16_t{0};
    const int ahead = (shown - seen_ + 65535) % 65535;
    const bool newer = shown != 0 && (seen_ == 0 || (ahead >= 1 && ahead <= 32767));
    if (newer && wait_scans_ < 0) {
        wait_scans_ = rng_->chance(manners_.slow) ? static_cast<int>(rng_->below(20)) : 0;
    }
    if (newer && wait_scans_-- == 0) {
        take(*mailbox_);
    }
    step_car();
    scheduler_->in(config_->scan, [this] { scan(); });
}

void PlcModel::take(const Mailbox& taken) {
    seen_ = taken.command.wire_seq.value();
    ack_.echo = core::Echo{seen_};
    const bool closed_to_us = mode_ != core::ServiceMode::agv && mode_ != core::ServiceMode::normal;
    if (closed_to_us || fault_ || rng_->chance(manners_.refuses)) {
        ack_.result = AckResult::refused;
    } else if (rng_->chance(manners_.busy)) {
        ack_.result = AckResult::busy;
    } else {
        ack_.result =
            rng_->chance(manners_.odd_result) ? AckResult::unrecognised : AckResult::accepted;
        executed_.push_back({scheduler_->now(), taken.command, taken.seq});
        execute(taken.command.content);
    }
    ack_.raw_result = static_cast<std::uint16_t>(ack_.result);
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
                door_ = DoorState::opening;
                next_step_ = scheduler_->now() + door_time;
            }
            break;
        case ActionKind::close_door:
            if (door_ != DoorState::closed) {
                door_ = DoorState::closing;
                next_step_ = scheduler_->now() + door_time;
            }
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
            door_ = DoorState::opening;
            next_step_ = now + door_time;
        }
        return;
    }
    if (door_ == DoorState::open) {
        door_ = DoorState::closing;
        next_step_ = now + door_time;
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
