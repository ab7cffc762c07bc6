// One command's way over the bus: grant, intent, write, acknowledgement, outcome.
#include "src/core/elevator.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::core {
namespace {

constexpr std::size_t failed_wire_seqs_max = 16;

}  // namespace

void Elevator::start_grant(std::size_t index, Turn& turn) {
    LIFTWARDEN_ASSERT(!flight_);
    Flight flight;
    flight.entry = std::move(queue_[index]);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
    flight.grant = GrantId{++numbers_->grant};
    flight_ = std::move(flight);
    turn.out.push_back(RequestGrant{id(), flight_->grant});
}

void Elevator::grant_opened(const GrantOpened& event, Turn& turn) {
    const bool ours =
        flight_ && flight_->grant == event.grant && flight_->step == Flight::Step::granting;
    if (!ours) {
        turn.out.push_back(ReleaseGrant{id(), event.grant});
        take_turn(turn);
        return;
    }
    flight_->fresh = event.reading;
    flight_->opened_at = turn.now;
    take_reading(event.reading, turn);
    refresh(turn);
    if (!flight_) {
        // The echo locked the elevator out; lock_out has given the bus back.
    } else if (flight_->resend) {
        resend_granted(turn);
    } else if (stopping_ || contested() || turn.now < hold_until_) {
        abandon_grant(turn);
    } else {
        const Judgement judgement = judge(flight_->entry, turn.now);
        if (judgement.kind == Judgement::Kind::send) {
            commit_intent(turn);
        } else if (judgement.kind == Judgement::Kind::wait) {
            abandon_grant(turn);
        } else {
            give_bus_back(turn);
            queue_.insert(queue_.begin(), std::move(flight_->entry));
            flight_.reset();
            finish_queued(0, judgement, turn);
        }
    }
    take_turn(turn);
}

// Also after the write was ordered: the bus may have been taken back before the order reached it.
void Elevator::grant_closed(const GrantClosed& event, Turn& turn) {
    if (flight_ && flight_->grant == event.grant &&
        (flight_->step == Flight::Step::granting ||
         flight_->step == Flight::Step::committing_intent ||
         flight_->step == Flight::Step::writing)) {
        read_failed_ = true;
        if (flight_->resend) {
            put_off_resend(turn.now);
        } else {
            offer_again(turn);
        }
    }
    take_turn(turn);
}

void Elevator::give_bus_back(Turn& turn) {
    turn.out.push_back(ReleaseGrant{id(), flight_->grant});
}

void Elevator::abandon_grant(Turn& turn) {
    give_bus_back(turn);
    requeue(std::move(flight_->entry));
    flight_.reset();
}

void Elevator::commit_intent(Turn& turn) {
    Flight& flight = *flight_;
    CommandRow& row = flight.entry.row;
    if (flight.resend) {
        LIFTWARDEN_ASSERT(!row.resent && row.wire_seq && row.echo_before);
        row.resent = true;
    } else {
        row.wire_seq = next_wire_seq(row_.last_wire_seq, flight.fresh.ack.echo);
        row_.last_wire_seq = row.wire_seq;
        row.echo_before = flight.fresh.ack.echo;
        row.resent = false;
        row.elapsed.queued = turn.now - row.received_at;
    }
    row.heartbeat_before = row_.heartbeat;
    row.status = Status::sent;
    row_dirty_ = false;
    flight.ticket = commit({row, row_}, turn);
    flight.step = Flight::Step::committing_intent;
}

void Elevator::order_write(Turn& turn) {
    Flight& flight = *flight_;
    LIFTWARDEN_ASSERT(flight.step == Flight::Step::committing_intent);
    const TimePoint not_after =
        std::min(flight.entry.row.deadline, flight.fresh.at + config_->stale_after);
    if (turn.now > not_after) {
        give_bus_back(turn);
        slow_round(
            "journal_slow", "The commit of the intent took longer than the command had.", turn);
        return;
    }
    flight.step = Flight::Step::writing;
    turn.out.push_back(WriteCommand{id(),
                                    flight.grant,
                                    {flight.entry.row.command.content, *flight.entry.row.wire_seq},
                                    not_after});
}

// The bus was held too long for a commit, or the write came too late: nothing was written.
void Elevator::slow_round(const char* kind, const std::string& detail, Turn& turn) {
    Flight& flight = *flight_;
    if (++flight.entry.slow_rounds == slow_rounds_before_alarm) {
        Alarm slow = alarm(kind, true, detail);
        slow.seq = flight.entry.row.command.seq;
        raise(slow, turn);
    }
    if (flight.resend) {
        put_off_resend(turn.now);
        return;
    }
    offer_again(turn);
}

// Proved not taken (the PLC was busy, or nothing was written): the command goes back to its place
// and comes again, through every check, at the next scan. Its row must not stay `sent` when another
// command gets its intent.
void Elevator::offer_again(Turn& turn) {
    Entry entry = std::move(flight_->entry);
    flight_.reset();
    entry.not_before = turn.now + config_->scan;
    const bool intent_is_durable = entry.row.status == Status::sent;
    entry.row.status = Status::accepted;
    if (intent_is_durable) {
        commit({entry.row, row_}, turn, false);
        row_dirty_ = false;
    }
    requeue(std::move(entry));
}

void Elevator::write_done(const WriteDone& event, Turn& turn) {
    if (!flight_ || flight_->grant != event.grant || flight_->step != Flight::Step::writing) {
        take_turn(turn);
        return;
    }
    Flight& flight = *flight_;
    const WriteOutcome& outcome = event.outcome;
    flight.written_at = turn.now;
    flight.after_restart = false;
    flight.reads = 0;
    flight.verify_reads = 0;
    const bool may_have_left = outcome.kind == WriteOutcome::Kind::confirmed ||
                               outcome.kind == WriteOutcome::Kind::unknown;
    if (may_have_left) {
        row_.last_acked.reset();  // something else has been sent since
        note_reversal(turn.now);
        ResultMessage sent = result_for(flight.entry.row);
        turn.out.push_back(PublishResult{std::move(sent)});
    }
    switch (outcome.kind) {
        case WriteOutcome::Kind::confirmed:
            flight.step = Flight::Step::awaiting_ack;
            flight.next_read = turn.now + config_->scan;
            break;
        case WriteOutcome::Kind::unknown:
            start_verifying(turn, outcome.detail);
            break;
        case WriteOutcome::Kind::refused:
            finish_flight(Status::failed, Reason::modbus_exception, outcome.detail, turn);
            break;
        case WriteOutcome::Kind::busy:
            if (flight.resend) {
                finish_flight(Status::failed, Reason::modbus_exception, outcome.detail, turn);
            } else {
                offer_again(turn);
            }
            break;
        case WriteOutcome::Kind::not_written:
            slow_round("write_late", "A write did not leave in time: " + outcome.detail, turn);
            break;
    }
    take_turn(turn);
}

void Elevator::note_reversal(TimePoint now) {
    const Content& content = flight_->entry.row.command.content;
    if (content.action != ActionKind::open_door && content.action != ActionKind::hold_door) {
        return;
    }
    const auto& seen = flight_->fresh.observation;
    const auto side = side_of(content, *config_);
    const bool closing = (seen && side && seen->door(*side) == DoorState::closing) ||
                         effects_.phase(sight_.phase(now)) == Phase::door_closing;
    if (closing && side) {
        reversed_at_[*side] = now;
    }
}

// A reading that began after the write, while the outcome is open.
void Elevator::flight_reading(const Reading& reading, Turn& turn) {
    Flight& flight = *flight_;
    CommandRow& row = flight.entry.row;
    if (reading.ack.echo.value() == row.wire_seq->value()) {
        switch (reading.ack.result) {
            case AckResult::accepted:
                finish_acked(reading, turn);
                return;
            case AckResult::refused:
                row_.baseline = reading.ack.echo;
                finish_flight(
                    Status::failed, Reason::plc_refused, "The PLC refused the command.", turn);
                return;
            case AckResult::busy:
                // Not taken: it comes again with a new wire sequence, through every check.
                row_.baseline = reading.ack.echo;
                offer_again(turn);
                return;
            case AckResult::none:
            case AckResult::unrecognised:
                break;  // an unknown result is an unknown outcome
        }
    }
    if (flight.step == Flight::Step::awaiting_ack) {
        ++flight.reads;
        flight.next_read = turn.now + config_->scan;
        if (flight.reads < 2 || turn.now < flight.written_at + config_->ack_timeout) {
            return;
        }
        start_verifying(turn, "no acknowledgement within ack_timeout");
    }
    verify_reading(reading, turn);
}

void Elevator::finish_acked(const Reading& reading, Turn& turn) {
    Flight& flight = *flight_;
    CommandRow& row = flight.entry.row;
    row_.baseline = reading.ack.echo;
    row.status = Status::acked;
    row.reason = Reason::none;
    row.detail.clear();
    if (!flight.after_restart) {
        row.elapsed.ack = turn.now - flight.written_at;
    }
    gain_ownership(row, turn.now);
    row_.last_acked =
        LastAcked{{row.command.source, row.command.seq}, row.command.content, row.party, turn.now};
    Watch watch;
    watch.row = row;
    watch.acked_at = turn.now;
    const auto& before = flight.fresh.observation ? flight.fresh.observation : sight_.last();
    watch.car_was_here = is_call(row.command.content.action) && before &&
                         before->travel == Travel::stopped &&
                         before->floor == row.command.content.floor;
    const std::optional<Effect> dropped = effects_.begin(std::move(watch));
    close_flight(turn, std::nullopt);
    if (dropped) {
        finish_effect(*dropped, turn);
    }
    turn.out.push_back(RequestRead{id(), ReadKind::full});
}

// Should the PLC show it after all, that is a late execution.
void Elevator::remember_failed(WireSeq wire_seq) {
    row_.failed_wire_seqs.push_back(wire_seq);
    if (row_.failed_wire_seqs.size() > failed_wire_seqs_max) {
        row_.failed_wire_seqs.erase(row_.failed_wire_seqs.begin());
    }
}

void Elevator::finish_flight(Status status, Reason reason, std::string detail, Turn& turn) {
    CommandRow& row = flight_->entry.row;
    row.status = status;
    row.reason = reason;
    row.detail = std::move(detail);
    if (owned_by(row.party)) {
        row_.owner->last_activity = turn.now;
    }
    if (row.wire_seq && row_.baseline != Echo{row.wire_seq->value()}) {
        remember_failed(*row.wire_seq);
    }
    close_flight(turn, std::nullopt);
}

void Elevator::close_flight(Turn& turn, std::optional<Alarm> note) {
    Flight& flight = *flight_;
    std::vector<JournalWrite> writes{flight.entry.row, row_, result_for(flight.entry.row)};
    if (note) {
        writes.emplace_back(std::move(*note));
    }
    row_dirty_ = false;
    flight.ticket = commit(std::move(writes), turn);
    flight.entry.concluding = true;
    flight.step = Flight::Step::closing;
}

void Elevator::flight_on_time(Turn& turn) {
    if (!flight_) {
        return;
    }
    Flight& flight = *flight_;
    if (flight.step == Flight::Step::committing_intent &&
        turn.now >= flight.opened_at + bus_wait_max) {
        give_bus_back(turn);
        slow_round("journal_slow", "The journal took over 100 ms while the bus was held.", turn);
        return;
    }
    if (flight.written() && turn.now >= flight.next_read) {
        turn.out.push_back(RequestRead{
            id(),
            flight.step == Flight::Step::verifying ? ReadKind::full : ReadKind::acknowledgement});
        flight.next_read =
            turn.now + (flight.step == Flight::Step::verifying ? verify_read_step : config_->scan);
    }
}

void Elevator::committed(Ticket ticket, Turn& turn) {
    open_commits_.erase(ticket);
    const auto has_ticket = [&](const Entry& entry) { return entry.ticket == ticket; };
    if (flight_ && flight_->ticket == ticket) {
        if (flight_->step == Flight::Step::committing_intent) {
            order_write(turn);
        } else if (flight_->step == Flight::Step::closing) {
            answer_waiting(flight_->entry, turn);
            flight_.reset();
        }
    }
    if (reset_ && reset_->ticket == ticket) {
        turn.out.push_back(ControlReply{reset_->request.request, true, "The lock-out has ended."});
        reset_.reset();
    }
    for (Entry& entry : closing_) {
        if (has_ticket(entry)) {
            answer_waiting(entry, turn);
        }
    }
    closing_.erase(std::remove_if(closing_.begin(), closing_.end(), has_ticket), closing_.end());
    const auto entry = std::find_if(queue_.begin(), queue_.end(), has_ticket);
    if (entry != queue_.end() && !entry->admitted) {
        entry->admitted = true;
        answer_waiting(*entry, turn);
    }
    take_turn(turn);
}

}  // namespace liftwarden::core
