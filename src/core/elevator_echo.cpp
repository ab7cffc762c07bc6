// What a reading means while nothing is in flight, and the heartbeat.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::core {
namespace {

// With a commit outstanding for so long the journal counts as stalled, and the heartbeat stops.
constexpr Duration journal_stall = 3s;

}  // namespace

RestartSigns Elevator::restart_signs(const Reading& reading) const {
    RestartSigns signs;
    signs.link_lost = read_failed_ || link_ != reading.link;
    signs.heartbeat_changed = reading.heartbeat && row_.heartbeat &&
                              !heartbeat_holds(reading.heartbeat, row_.heartbeat, 1);
    return signs;
}

void Elevator::take_reading(const Reading& reading, Turn& turn) {
    if (sight_.fresh(turn.now) == nullptr) {
        // Nobody saw what the car did meanwhile: it has not stood without a break.
        standing_.update(turn.now, nullptr, Phase::offline, Phase::offline, row_.owner.has_value());
    }
    if (reading.observation) {
        sight_.take(reading);
        read_failure_ = reading.observation->undecodable.value_or("");
    }
    if (reset_ && !reset_->ticket) {
        if (reading.observation && reading.at >= reset_->asked_at &&
            reading.link != reset_->old_link) {
            finish_reset(reading, turn);
        }
    } else if (row_.lock_out != LockOut::none) {
        // Nothing is concluded from it until an operator has looked.
    } else if (flight_ && flight_->written()) {
        if (reading.at >= flight_->written_at) {
            flight_reading(reading, turn);
        }
    } else if (!flight_ || !(flight_->step == Flight::Step::writing || flight_->resend)) {
        judge_at_rest(reading, turn);
    }
    link_ = reading.link;
    read_failed_ = false;
}

// A command is back in the queue because its write was refused as busy or had not left, and now the
// PLC shows to have taken it all the same: whoever said no was wrong, and it must not be sent
// again.
bool Elevator::resume_taken(const Reading& reading, Turn& turn) {
    const auto taken = std::find_if(queue_.begin(), queue_.end(), [&](const Entry& entry) {
        return entry.row.wire_seq && entry.row.wire_seq->value() == reading.ack.echo.value();
    });
    if (taken == queue_.end() || reading.ack.echo.value() == 0 ||
        row_.baseline == reading.ack.echo) {
        return false;
    }
    Flight flight;
    flight.entry = std::move(*taken);
    queue_.erase(taken);
    if (flight_) {
        give_bus_back(turn);
        offer_again(turn);
    }
    flight.entry.row.status = Status::sent;
    flight.written_at = reading.at;
    flight.after_restart = true;  // when it was written is not known
    flight_ = std::move(flight);
    start_verifying(turn, "a command that was to be sent again shows as taken");
    flight_reading(reading, turn);
    return true;
}

void Elevator::judge_at_rest(const Reading& reading, Turn& turn) {
    if (resume_taken(reading, turn)) {
        return;
    }
    const Echo echo = reading.ack.echo;
    const std::string shown = "The PLC shows echo " + std::to_string(echo.value()) + ", expected " +
                              (row_.baseline ? std::to_string(row_.baseline->value()) : "none");
    switch (judge_echo_at_rest(row_, echo, restart_signs(reading))) {
        case EchoVerdict::as_expected:
            break;
        case EchoVerdict::first_sight:
            row_.baseline = echo;
            row_dirty_ = true;
            break;
        case EchoVerdict::restarted:
            row_.baseline = echo;
            row_.heartbeat.reset();
            row_dirty_ = true;
            hold_until_ = turn.now + config_->scan;
            raise(alarm("plc_restarted", true, shown + ": the PLC has restarted."), turn);
            break;
        case EchoVerdict::ledger_lost:
            lock_out(LockOut::ledger_lost,
                     shown + ": it has executed commands that this journal does not know.",
                     turn);
            break;
        case EchoVerdict::late_execution:
            if (broken(Breakage::miss_late_execution)) {
                row_.baseline = echo;
                break;
            }
            lock_out(LockOut::late_execution,
                     shown + ": it took a command that had been reported failed.",
                     turn);
            break;
        case EchoVerdict::foreign_writer:
            lock_out(LockOut::foreign_writer, shown + ": somebody else writes to this PLC.", turn);
            break;
    }
}

void Elevator::observed(const Reading& reading, Turn& turn) {
    take_reading(reading, turn);
    take_turn(turn);
}

void Elevator::read_failed(const std::string& detail, Turn& turn) {
    read_failed_ = true;
    read_failure_ = detail;
    if (flight_ && flight_->step == Flight::Step::awaiting_ack &&
        turn.now >= flight_->written_at + config_->ack_timeout) {
        start_verifying(turn, "no acknowledgement within ack_timeout, and the PLC cannot be read");
    }
    if (flight_ && flight_->step == Flight::Step::verifying && !flight_->wait_announced) {
        flight_->wait_announced = true;
        raise(alarm("verify_waits",
                    true,
                    "The outcome of seq " + flight_->entry.row.command.seq.str() +
                        " cannot be read back: " + detail),
              turn);
    }
    take_turn(turn);
}

void Elevator::beat(Turn& turn) {
    if (!config_->maps_heartbeat || sight_.fresh(turn.now) == nullptr || contested() ||
        row_.lock_out == LockOut::second_gateway || (next_beat_ && turn.now < *next_beat_)) {
        return;
    }
    const auto echo_before = flight_ && flight_->step != Flight::Step::granting
                                 ? flight_->entry.row.echo_before
                                 : row_.baseline;
    if (flight_ && echo_before == Echo{0}) {
        return;  // the register must not be touched while it is what proves a command not taken
    }
    const bool stalled =
        std::any_of(open_commits_.begin(), open_commits_.end(), [&](const auto& commit) {
            return turn.now >= commit.second + journal_stall;
        });
    if (stalled) {
        return;
    }
    const std::uint16_t last = row_.heartbeat.value_or(0);
    row_.heartbeat = last == 65535 ? std::uint16_t{1} : static_cast<std::uint16_t>(last + 1);
    next_beat_ = turn.now + config_->heartbeat_period;
    turn.out.push_back(WriteHeartbeat{id(), *row_.heartbeat});
}

}  // namespace liftwarden::core
