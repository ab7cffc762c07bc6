// A command was written and its outcome is not known: read back until something is proved.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::core {

void Elevator::start_verifying(Turn& turn, const std::string& why) {
    Flight& flight = *flight_;
    flight.step = Flight::Step::verifying;
    flight.verify_reads = 0;
    flight.verify_at = std::max(turn.now, flight.written_at + 2 * config_->scan);
    flight.next_read = flight.verify_at;
    Alarm note = alarm("verifying", false, "The outcome of a command is not known: " + why + ".");
    note.source = flight.entry.row.command.source;
    note.seq = flight.entry.row.command.seq;
    raise(note, turn);
}

bool Elevator::is_proof(const Reading& reading, TimePoint now) const {
    const Flight& flight = *flight_;
    if (broken(Breakage::resend_blindly)) {
        return true;
    }
    // Two scans, so that the PLC has had its chance to take it: from its confirmation on, or else
    // from the first reading after it. So too after a restart: the old process may have died right
    // after its write.
    if (!flight.arrived_by || reading.at < *flight.arrived_by + 2 * config_->scan) {
        return false;
    }
    LIFTWARDEN_ASSERT(now >= flight.written_at);
    return proves_not_taken(flight.entry.row, reading);
}

void Elevator::verify_reading(const Reading& reading, Turn& turn) {
    Flight& flight = *flight_;
    if (out_of_service(turn.now)) {
        return;  // waits in verifying until the service mode is normal again
    }
    if (is_proof(reading, turn.now)) {
        not_taken(turn);
        return;
    }
    if (reading.at < flight.verify_at) {
        return;
    }
    flight.verify_at = reading.at + verify_read_step;
    if (++flight.verify_reads >= verify_reads_max) {
        give_up_verifying(reading, turn);
    }
}

// The PLC did not take it. One resend with the same wire sequence, if everything still allows it.
void Elevator::not_taken(Turn& turn) {
    Flight& flight = *flight_;
    const CommandRow& row = flight.entry.row;
    if (row.resent && !broken(Breakage::resend_twice)) {
        finish_flight(Status::failed,
                      Reason::ack_timeout,
                      "The PLC took it neither the first nor the second time.",
                      turn);
    } else if (row.deadline <= turn.now) {
        finish_flight(Status::failed,
                      Reason::ttl,
                      "The PLC did not take it, and its TTL ended meanwhile.",
                      turn);
    } else if (stopping_) {
        return;  // stays `sent` in the journal and is verified again at the next start
    } else if (contested()) {
        finish_flight(Status::failed,
                      Reason::elevator_unknown,
                      "The PLC did not take it, and another gateway claims the elevator.",
                      turn);
    } else {
        flight.resend = true;
        flight.step = Flight::Step::granting;
        flight.grant = GrantId{++numbers_->grant};
        turn.out.push_back(RequestGrant{id(), flight.grant});
    }
}

// The bus is held for the resend: the same proof and the same checks again, on this fresh read.
void Elevator::resend_granted(Turn& turn) {
    Flight& flight = *flight_;
    const Reading reading = flight.fresh;
    const bool shows_ours = reading.ack.echo.value() == flight.entry.row.wire_seq->value();
    if (shows_ours || stopping_ || contested() || !is_proof(reading, turn.now) ||
        out_of_service(turn.now)) {
        give_bus_back(turn);
        put_off_resend(turn.now);
        flight_reading(reading, turn);
        return;
    }
    const Judgement judgement = judge(flight.entry, turn.now);
    if (judgement.kind == Judgement::Kind::send) {
        go_to_write(turn);
        return;
    }
    give_bus_back(turn);
    if (judgement.kind == Judgement::Kind::finish) {
        finish_flight(Status::failed, judgement.reason, judgement.detail, turn);
    } else if (sight_.fresh(turn.now) == nullptr) {
        finish_flight(Status::failed,
                      Reason::plc_offline,
                      "The PLC did not take it, and what it shows cannot be understood.",
                      turn);
    } else {
        finish_flight(Status::failed,
                      Reason::elevator_busy,
                      "The PLC did not take it, and the elevator is not free for a second try.",
                      turn);
    }
}

// The resend did not come about; the read-backs go on, and it may be tried again.
void Elevator::put_off_resend(TimePoint now) {
    Flight& flight = *flight_;
    flight.entry.row.resent = false;
    flight.resend = false;
    flight.step = Flight::Step::verifying;
    flight.next_read = now + config_->scan;
}

void Elevator::give_up_verifying(const Reading& reading, Turn& turn) {
    Entry entry = std::move(flight_->entry);
    flight_.reset();
    entry.row.status = Status::unknown;
    entry.row.reason = Reason::ack_timeout;
    entry.row.detail = "The PLC shows echo " + std::to_string(reading.ack.echo.value()) +
                       ", result " + std::to_string(reading.ack.raw_result) + "; " +
                       std::to_string(entry.row.echo_before->value()) + " before the write, " +
                       std::to_string(entry.row.wire_seq->value()) + " was written.";
    commit({entry.row, result_for(entry.row)}, turn);
    const std::string detail = "Seq " + entry.row.command.seq.str() + " of " +
                               entry.row.command.source.str() + ": " + entry.row.detail;
    unresolved_.push_back(std::move(entry));
    lock_out(LockOut::unknown_outcome, detail, turn);
}

}  // namespace liftwarden::core
