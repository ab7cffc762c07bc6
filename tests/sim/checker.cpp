#include "tests/sim/checker.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

using core::ActionKind;
using core::DoorState;
using core::Status;
using core::Travel;

Checker::Checker(const core::GatewayConfig& config, Scheduler& scheduler)
    : config_(&config), scheduler_(&scheduler) {}

void Checker::fail(int law, const core::ElevatorId& elevator, const std::string& what) const {
    throw Violation("law " + std::to_string(law) + ", " + elevator.str() +
                    ", t=" + std::to_string(core::to_ms(scheduler_->now().time_since_epoch())) +
                    " ms: " + what);
}

const core::ElevatorConfig& Checker::config_of(const core::ElevatorId& elevator) const {
    return *std::find_if(config_->elevators.begin(), config_->elevators.end(), [&](const auto& it) {
        return it.id == elevator;
    });
}

void Checker::sent(const core::Command& command, core::TimePoint deadline) {
    Known& known = known_[{command.elevator.str(), command.seq.str()}];
    known.command = command;
    // A redelivery counts from its own receipt, so the latest one bounds the write.
    known.deadline = std::max(known.deadline, deadline);
}

void Checker::granted(const core::ElevatorId& elevator,
                      core::GrantId grant,
                      const core::Reading& reading) {
    elevators_[elevator].grant = Grant{grant, reading, scheduler_->now()};
}

void Checker::grant_over(const core::ElevatorId& elevator) {
    elevators_[elevator].grant.reset();
}

// A row became durable: an intent opens the way for one write, an outcome closes one.
void Checker::committed_row(const core::CommandRow& row) {
    PerElevator& state = elevators_[row.command.elevator];
    if (row.status == Status::sent) {
        state.intent = row;
        return;
    }
    for (Write& write : state.writes) {
        const bool resolved = row.status != Status::unknown;
        if (write.seq == row.command.seq.str() && resolved) {
            write.open = false;
        }
    }
}

void Checker::ordered_commit(const core::Commit& commit) {
    constexpr std::size_t writes_max = 64;
    if (commit.writes.empty() || commit.writes.size() > writes_max) {
        throw Violation("law 12: a commit of " + std::to_string(commit.writes.size()) + " writes");
    }
    for (const core::JournalWrite& write : commit.writes) {
        const auto* row = std::get_if<core::CommandRow>(&write);
        if (row != nullptr && row->command.content.action == ActionKind::release) {
            released_.insert(row->party);
        }
    }
}

// The table once more, from the registers alone: what must never be written whoever owns the car.
void Checker::check_table(const core::WriteCommand& action,
                          const core::CommandRow& row,
                          const PerElevator& state) const {
    const core::Observation& seen = *state.grant->reading.observation;
    const ActionKind kind = action.command.content.action;
    const bool is_call = core::is_call(kind) || kind == ActionKind::set_mode;
    const bool stopped = seen.travel == Travel::stopped;
    const bool others = state.owner && !(*state.owner == row.party);
    if (seen.fault) {
        fail(7, action.elevator, "written while a fault is reported");
    }
    if (!stopped) {
        fail(7, action.elevator, "written while the car moves");
    }
    if (others) {
        fail(7, action.elevator, "written for somebody who is not the owner");
    }
    if (is_call && (seen.front == DoorState::opening || seen.front == DoorState::closing)) {
        fail(7, action.elevator, "a call written while the door moves");
    }
    if (kind == ActionKind::close_door && seen.front == DoorState::opening) {
        fail(7, action.elevator, "close written while the door opens");
    }
}

std::string Checker::written(const core::WriteCommand& action, const PlcModel& plc) {
    PerElevator& state = elevators_[action.elevator];
    const core::TimePoint now = scheduler_->now();
    const core::ElevatorConfig& config = config_of(action.elevator);
    if (!state.grant || state.grant->id != action.grant) {
        fail(2, action.elevator, "a write outside its grant");
    }
    if (!state.intent || state.intent->wire_seq != action.command.wire_seq ||
        state.intent->command.content != action.command.content) {
        fail(1, action.elevator, "a write without a durable intent");
    }
    const core::CommandRow row = *state.intent;
    const std::string seq = row.command.seq.str();
    for (const Write& before : state.writes) {
        if (before.open && before.seq != seq) {
            fail(1, action.elevator, seq + " written before the outcome of " + before.seq);
        }
    }
    const bool again =
        std::any_of(state.writes.begin(), state.writes.end(), [&](const Write& write) {
            return write.seq == seq && write.wire_seq == action.command.wire_seq;
        });
    const bool executed =
        std::any_of(plc.executed().begin(), plc.executed().end(), [&](const Execution& it) {
            return it.seq == seq && it.at <= state.grant->reading.at;
        });
    if (executed) {
        fail(4, action.elevator, seq + " written again though the PLC has executed it");
    }
    const auto known = known_.find({action.elevator.str(), seq});
    if (known == known_.end()) {
        fail(3, action.elevator, seq + " written though nobody sent it");
    }
    if (known->second.final) {
        fail(10, action.elevator, seq + " written after its final outcome");
    }
    if (now > known->second.deadline) {
        fail(11, action.elevator, seq + " written after its TTL");
    }
    const core::Reading& reading = state.grant->reading;
    if (!reading.observation || now - reading.at >= config.stale_after) {
        fail(8, action.elevator, "written on an observation that is too old");
    }
    if (reading.observation->mode != core::ServiceMode::agv &&
        reading.observation->mode != core::ServiceMode::normal) {
        fail(9, action.elevator, "written while out of service");
    }
    check_table(action, row, state);
    resends_ += again ? 1U : 0U;
    ++writes_;
    state.writes.push_back({seq, action.command.wire_seq, true});
    return seq;
}

void Checker::written_nothing(const core::ElevatorId& elevator) {
    elevators_[elevator].writes.back().open = false;
}

void Checker::session(const core::SessionView& view, const PlcModel& plc) {
    PerElevator& state = elevators_[view.elevator];
    const bool ended = state.owner && !(view.owner == state.owner);
    const bool long_occupied = plc.occupied() && scheduler_->now() - plc.occupied_since() >
                                                     config_of(view.elevator).stale_after;
    if (ended && long_occupied && !released_.contains(*state.owner)) {
        fail(13, view.elevator, "ownership ended while the car was occupied");
    }
    if (view.queue.size() > config_->queue.depth) {
        fail(12, view.elevator, "the queue is longer than its depth");
    }
    state.owner = view.owner;
}

void Checker::result(const core::ResultMessage& message) {
    if (!message.seq || message.query) {
        return;
    }
    const auto found = known_.find({message.elevator.str(), message.seq->str()});
    if (found == known_.end()) {
        fail(10, message.elevator, "a result for " + message.seq->str() + " that nobody sent");
    }
    Known& known = found->second;
    ++seen_[core::to_string(message.status)];
    if (message.reason != core::Reason::none) {
        ++seen_[core::to_string(message.reason)];
    }
    if (message.status == Status::accepted) {
        known.accepted = true;
    }
    const bool unremembered = message.reason == core::Reason::seq_conflict ||
                              message.reason == core::Reason::queue_full ||
                              message.reason == core::Reason::source_quota ||
                              message.reason == core::Reason::journal_failed ||
                              message.reason == core::Reason::shutdown;
    if (!core::is_final(message.status) || unremembered) {
        return;
    }
    if (known.final && *known.final != message.status) {
        fail(10,
             message.elevator,
             message.seq->str() + " ended as " + core::to_string(*known.final) + " and as " +
                 core::to_string(message.status));
    }
    finals_ += known.final ? 0U : 1U;
    known.final = message.status;
    known.accepted = true;
}

void Checker::restarted(bool rebooted) {
    for (auto& [id, state] : elevators_) {
        state.grant.reset();
        if (rebooted) {
            state.intent.reset();
        }
    }
}

std::optional<std::string> Checker::in_doubt(const core::ElevatorId& elevator) const {
    const auto found = elevators_.find(elevator);
    if (found != elevators_.end()) {
        for (const Write& write : found->second.writes) {
            if (write.open) {
                return write.seq;
            }
        }
    }
    return std::nullopt;
}

void Checker::finish(const std::vector<std::pair<core::ElevatorId, const PlcModel*>>& plcs) {
    for (const auto& [elevator, plc] : plcs) {
        std::map<std::string, int> times;
        for (const Execution& execution : plc->executed()) {
            if (!execution.seq.empty() && ++times[execution.seq] > 1) {
                fail(3, elevator, execution.seq + " executed twice");
            }
        }
        for (const auto& [key, known] : known_) {
            if (key.first != elevator.str()) {
                continue;
            }
            if (known.accepted && !known.final) {
                fail(10, elevator, key.second + " was accepted and never ended");
            }
            const bool executed = times.contains(key.second);
            if (known.final == Status::acked && !executed &&
                known.command.content.action != ActionKind::release) {
                fail(2, elevator, key.second + " reported acked though the PLC did not execute it");
            }
        }
    }
}

}  // namespace liftwarden::sim_test
