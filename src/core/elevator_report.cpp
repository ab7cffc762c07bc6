// What others see of an elevator, and when it next has to be looked at.
#include "src/core/elevator.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::core {

Channel Elevator::channel() const {
    if (row_.lock_out != LockOut::none) {
        return Channel::locked_out;
    }
    if (!flight_) {
        return Channel::ready;
    }
    if (flight_->step == Flight::Step::verifying || flight_->resend) {
        return Channel::verifying;
    }
    return flight_->before_write() ? Channel::ready : Channel::in_flight;
}

StateView Elevator::state_view(TimePoint now) const {
    StateView view;
    view.elevator = id();
    view.phase = sight_.phase(now);
    view.observation = sight_.last();
    view.channel = channel();
    view.quality = sight_.quality(now);
    view.queue = static_cast<std::uint32_t>(queue_.size());
    view.observed_at = sight_.seen_at();
    return view;
}

SessionView Elevator::session_view() const {
    SessionView view;
    view.elevator = id();
    view.mode = told_mode_;
    view.epoch = told_epoch_;
    if (row_.owner) {
        view.owner = row_.owner->party;
    }
    for (const Entry& entry : queue_) {
        view.queue.push_back({entry.row.command.seq,
                              entry.row.command.source,
                              static_cast<std::uint32_t>(view.queue.size()) + 1});
    }
    return view;
}

ResultMessage Elevator::result_for(const CommandRow& row) const {
    ResultMessage message;
    message.elevator = id();
    message.to = row.command.source;
    message.seq = row.command.seq;
    message.status = row.status;
    message.reason = row.reason;
    message.detail = row.detail;
    message.of = row.of;
    message.wire_seq = row.wire_seq;
    message.mode = row_.mode;
    message.epoch = row_.epoch;
    message.msg_id = row.command.msg_id;
    message.issued_at = row.command.issued_at;
    message.task = row.command.task;
    message.elapsed = row.elapsed;
    message.reply = row.command.reply;
    return message;
}

void Elevator::publish(Turn& turn) {
    StateView state = state_view(turn.now);
    SessionView session = session_view();
    const bool due = turn.now >= publish_again_at_;
    const auto same_state = [&] {
        StateView before = *published_state_;
        before.observed_at = state.observed_at;  // age alone is no news
        return before == state;
    };
    if (due || !published_state_ || !same_state()) {
        turn.out.push_back(PublishState{state});
        published_state_ = std::move(state);
    }
    if (due || !published_session_ || !(*published_session_ == session)) {
        turn.out.push_back(PublishSession{session});
        published_session_ = std::move(session);
    }
    if (due) {
        publish_again_at_ = turn.now + publish_period;
    }
}

Alarm Elevator::alarm(const char* kind, bool is_alarm, std::string detail) const {
    Alarm made;
    made.elevator = id();
    made.kind = kind;
    made.alarm = is_alarm;
    made.detail = std::move(detail);
    return made;
}

void Elevator::raise(const Alarm& note, Turn& turn) {
    commit({note}, turn, false);
    turn.out.push_back(Raise{note});
}

// For whoever watches the events; the ledger has it anyway.
void Elevator::tell_refusal(const Command& command,
                            Reason reason,
                            const std::string& detail,
                            Turn& turn) const {
    Alarm note = alarm("refused", false, std::string(to_string(reason)) + ": " + detail);
    note.source = command.source;
    note.seq = command.seq;
    turn.out.push_back(Raise{std::move(note)});
}

Ticket Elevator::commit(std::vector<JournalWrite> writes, Turn& turn, bool urgent) {
    const bool saves_row = std::any_of(writes.begin(), writes.end(), [](const JournalWrite& write) {
        return std::holds_alternative<ElevatorRow>(write);
    });
    if (saves_row) {
        row_dirty_ = false;
        effects_.forget_changed();
    }
    const Ticket ticket{++numbers_->ticket};
    open_commits_.emplace(ticket, turn.now);
    turn.out.push_back(Commit{ticket, std::move(writes), urgent});
    return ticket;
}

void Elevator::save_if_changed(Turn& turn) {
    if (row_dirty_ || effects_.changed()) {
        commit({row_}, turn, false);
    }
}

void Elevator::compute_deadline(TimePoint now) {
    deadline_.reset();
    const auto consider = [&](std::optional<TimePoint> at) {
        if (at && *at > now && (!deadline_ || *at < *deadline_)) {
            deadline_ = at;
        }
    };
    for (const Entry& entry : queue_) {
        consider(entry.row.deadline);
        consider(entry.not_before);
    }
    if (flight_ && (flight_->step == Flight::Step::checking_lock ||
                    flight_->step == Flight::Step::committing_intent)) {
        consider(flight_->waiting_since + bus_wait_max);
    }
    if (row_.mode == ArbitrationMode::suspect) {
        consider(takeover_at());
    }
    consider(handback_.hold_again_at);
    consider(handback_.quarantine_until);
    if (flight_ && flight_->written()) {
        consider(flight_->next_read);
    }
    if (row_.owner && !owner_is_busy()) {
        const auto end = grace_end(*row_.owner, standing_, sight_.fresh(now), *config_);
        consider(end ? std::optional{end->at} : std::nullopt);
    }
    if (!queue_.empty()) {
        consider(open_counts_as_idle_at(standing_, sight_.fresh(now), *config_));
        for (const auto& [side, at] : reversed_at_) {
            consider(at + config_->door_reversal_guard);
        }
    }
    if (reset_ && !reset_->ticket) {
        consider(reset_->asked_at + 5s);
    }
    consider(effects_.next(standing_.idle_since(), now));
    consider(sight_.stale_at());
    if (blind_since_ && !blind_raised_) {
        consider(*blind_since_ + blindness_max);
    }
    consider(hold_until_);
    consider(next_beat_);
    consider(publish_again_at_);
}

void Elevator::stop(Turn& turn) {
    stopping_ = true;
    take_turn(turn);
}

void Elevator::on_time(Turn& turn) {
    take_turn(turn);
}

ElevatorStatus Elevator::status(TimePoint now) const {
    ElevatorStatus status;
    status.state = state_view(now);
    status.session = session_view();
    status.lock_out = row_.lock_out;
    status.lock_out_detail = row_.lock_out_detail;
    if (flight_) {
        const Command& command = flight_->entry.row.command;
        status.in_flight = CommandRef{command.source, command.seq};
    }
    return status;
}

}  // namespace liftwarden::core
