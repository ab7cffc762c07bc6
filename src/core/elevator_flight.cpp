// One command from its write on: acknowledgement and outcome.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace liftwarden::core {
namespace {

constexpr std::size_t failed_wire_seqs_max = 16;

}  // namespace

void Elevator::write_done(const WriteDone& event, Turn& turn) {
    if (!flight_ || flight_->grant != event.grant || flight_->step != Flight::Step::writing) {
        take_turn(turn);
        return;
    }
    Flight& flight = *flight_;
    const WriteOutcome& outcome = event.outcome;
    flight.written_at = turn.now;
    flight.arrived_by.reset();
    flight.after_restart = false;
    flight.reads = 0;
    flight.verify_reads = 0;
    const bool may_have_left = outcome.kind == WriteOutcome::Kind::confirmed ||
                               outcome.kind == WriteOutcome::Kind::unknown;
    if (may_have_left) {
        if (!broken(Breakage::coalesce_on_reversal)) {
            row_.last_acked.reset();  // something else has been sent since
        }
        note_reversal(turn.now);
        ResultMessage sent = result_for(flight.entry.row);
        turn.out.push_back(PublishResult{std::move(sent)});
    }
    switch (outcome.kind) {
        case WriteOutcome::Kind::confirmed:
            flight.arrived_by = turn.now;
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
    if (!flight.arrived_by) {
        // A path that stalled delivers the write before it delivers this question, but maybe only
        // a moment before, so the PLC's two scans count from here.
        flight.arrived_by = turn.now;
        flight.verify_at = std::max(flight.verify_at, turn.now + 2 * config_->scan);
    }
    if (broken(Breakage::skip_gate) ||
        (broken(Breakage::take_foreign_echo) && reading.ack.echo != row.echo_before)) {
        finish_acked(reading, turn);
        return;
    }
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
    const bool keeps_older = broken(Breakage::coalesce_on_reversal) && row_.last_acked;
    if (!keeps_older) {
        row_.last_acked = LastAcked{
            {row.command.source, row.command.seq}, row.command.content, row.party, turn.now};
    }
    Watch watch;
    watch.row = row;
    watch.acked_at = turn.now;
    const auto& before = flight.fresh.observation ? flight.fresh.observation : sight_.last();
    watch.car_was_here = is_call(row.command.content.action) && before &&
                         before->travel == Travel::stopped &&
                         before->floor == row.command.content.floor;
    const std::optional<Effect> dropped = effects_.begin(std::move(watch));
    std::vector<JournalWrite> more;
    if (dropped) {
        const CommandRow not_served = follow_ups({*dropped}).front();
        more = {not_served, result_for(not_served)};
    }
    close_flight(turn, std::move(more));
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
    close_flight(turn, {});
}

void Elevator::close_flight(Turn& turn, std::vector<JournalWrite> more) {
    Flight& flight = *flight_;
    std::vector<JournalWrite> writes{flight.entry.row, row_, result_for(flight.entry.row)};
    std::move(more.begin(), more.end(), std::back_inserter(writes));
    flight.ticket = commit(std::move(writes), turn);
    flight.entry.concluding = true;
    flight.step = Flight::Step::closing;
}

void Elevator::flight_on_time(Turn& turn) {
    if (!flight_) {
        return;
    }
    Flight& flight = *flight_;
    const bool waited_enough = turn.now >= flight.waiting_since + bus_wait_max;
    if (flight.step == Flight::Step::committing_intent && waited_enough &&
        !broken(Breakage::keep_bus)) {
        give_bus_back(turn);
        slow_round("journal_slow", "The journal took over 100 ms while the bus was held.", turn);
        return;
    }
    if (flight.step == Flight::Step::checking_lock && waited_enough) {
        give_bus_back(turn);
        slow_round("lock_slow", "The lock service took over 100 ms while the bus was held.", turn);
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
    if (mode_ticket_ == ticket) {
        mode_ticket_.reset();
        told_mode_ = row_.mode;
        told_epoch_ = row_.epoch;
        if (std::exchange(return_due_, false)) {
            publish(turn);  // the new epoch is known before anybody can take the lock
            return_own_lock(turn);
        }
    }
    if (fence_reset_ && fence_reset_->ticket == ticket) {
        turn.out.push_back(
            ControlReply{fence_reset_->request, true, "The fencing mark has been lowered."});
        fence_reset_.reset();
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
