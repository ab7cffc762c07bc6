// One command's way to its write: the bus, the fresh read, the durable intent, and every way back.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::core {

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
    take_reading(event.reading, turn);
    refresh(turn);
    if (!flight_ || flight_->grant != event.grant) {
        // The echo locked the elevator out, or showed another command as taken: the bus is given
        // back.
    } else if (flight_->resend) {
        resend_granted(turn);
    } else if (stopping_ || contested() || turn.now < hold_until_) {
        abandon_grant(turn);
    } else {
        const Judgement judgement = judge(flight_->entry, turn.now);
        if (judgement.kind == Judgement::Kind::send) {
            go_to_write(turn);
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
        (flight_->before_write() || flight_->step == Flight::Step::writing)) {
        read_failed_ = true;
        step_back(turn);
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
        row.resent = !broken(Breakage::resend_twice);
        if (broken(Breakage::resend_with_new_seq)) {
            row.wire_seq = next_wire_seq(row_.last_wire_seq, flight.fresh.ack.echo);
            row_.last_wire_seq = row.wire_seq;
        }
    } else {
        row.wire_seq = next_wire_seq(row_.last_wire_seq, flight.fresh.ack.echo);
        row_.last_wire_seq = row.wire_seq;
        row.echo_before = flight.fresh.ack.echo;
        row.resent = false;
        row.elapsed.queued = turn.now - row.received_at;
    }
    row.heartbeat_before = flight.fresh.heartbeat;
    row.status = Status::sent;
    flight.ticket = commit({row, row_}, turn);
    flight.step = Flight::Step::committing_intent;
    flight.waiting_since = turn.now;
    if (broken(Breakage::write_before_intent)) {
        order_write(turn);
    }
}

void Elevator::order_write(Turn& turn) {
    Flight& flight = *flight_;
    LIFTWARDEN_ASSERT(flight.step == Flight::Step::committing_intent);
    const TimePoint not_after =
        broken(Breakage::write_too_late)
            ? turn.now + 1h
            : std::min({flight.entry.row.deadline,
                        flight.fresh.at + config_->stale_after,
                        flight.write_before.value_or(flight.entry.row.deadline)});
    if (stopping_ || contested()) {
        give_bus_back(turn);
        step_back(turn);
        return;
    }
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
    step_back(turn);
}

// Without a write of this grant: a resend goes on verifying, anything else back to the queue.
void Elevator::step_back(Turn& turn) {
    if (flight_->resend) {
        put_off_resend(turn.now);
    } else {
        offer_again(turn);
    }
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
    }
    requeue(std::move(entry));
}

}  // namespace liftwarden::core
