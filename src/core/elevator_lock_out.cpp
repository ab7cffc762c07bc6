// Stopping an elevator that no longer adds up, and the operator who sets it free.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::core {

void Elevator::lock_out(LockOut cause, std::string detail, Turn& turn) {
    LIFTWARDEN_ASSERT(cause != LockOut::none);
    if (row_.lock_out != LockOut::none) {
        return;
    }
    row_.lock_out = cause;
    row_.lock_out_detail = std::move(detail);
    if (flight_ && flight_->before_write()) {
        give_bus_back(turn);
        offer_again(turn);
    }
    Alarm note =
        alarm("lock_out", true, std::string(to_string(cause)) + ": " + row_.lock_out_detail);
    commit({row_, note}, turn);
    turn.out.push_back(Raise{std::move(note)});
}

void Elevator::reset_requested(const ResetRequested& event, Turn& turn) {
    const auto refuse = [&](std::string why) {
        turn.out.push_back(ControlReply{event.request, false, std::move(why)});
    };
    const Observation* seen = sight_.fresh(turn.now);
    if (event.fence) {
        reset_fence(event, turn);
    } else if (row_.lock_out == LockOut::none) {
        refuse("The elevator is not locked out.");
    } else if (reset_) {
        refuse("Another reset of this elevator is under way.");
    } else if (contested() && !event.force) {
        refuse("Gateway " + contender() + " still claims this elevator; --force overrides.");
    } else if (seen != nullptr && seen->occupied.value_or(false) && !event.force) {
        refuse("The car is occupied; --force overrides.");
    } else {
        reset_ = PendingReset{event, turn.now, link_, std::nullopt};
        turn.out.push_back(ResetLink{id()});
        turn.out.push_back(RequestRead{id(), ReadKind::full});
    }
    take_turn(turn);
}

void Elevator::fail_reset(const std::string& why, Turn& turn) {
    turn.out.push_back(ControlReply{reset_->request.request, false, why});
    reset_.reset();
}

// A new baseline from a fresh connection; the command in doubt ends as the person said.
void Elevator::finish_reset(const Reading& reading, Turn& turn) {
    const ResetRequested request = reset_->request;
    if (reading.observation->occupied.value_or(false) && !request.force) {
        fail_reset("The car is occupied; --force overrides.", turn);
        return;
    }
    const LockOut cause = std::exchange(row_.lock_out, LockOut::none);
    row_.lock_out_detail.clear();
    row_.baseline = reading.ack.echo;
    if (reading.ack.echo.value() != 0) {
        row_.last_wire_seq = WireSeq{reading.ack.echo.value()};
    }
    for (auto& [gateway, overridden] : claims_) {
        overridden = true;  // --force: until that gateway withdraws its claim
    }
    std::vector<JournalWrite> writes;
    for (Entry& entry : unresolved_) {
        CommandRow& row = entry.row;
        const bool took_effect = request.took_effect == TookEffect::yes;
        row.status = took_effect ? Status::acked : Status::failed;
        row.reason = Reason::operator_;
        row.detail = "Resolved by " + request.operator_name + ".";
        if (owned_by(row.party)) {
            row_.owner->last_activity = turn.now;  // it was under way until now
        }
        if (took_effect) {
            gain_ownership(row, turn.now);
        } else if (row_.baseline != Echo{row.wire_seq->value()}) {
            remember_failed(*row.wire_seq);
        }
        writes.emplace_back(row);
        writes.emplace_back(result_for(row));
    }
    const char* answer = request.took_effect == TookEffect::yes  ? "yes"
                         : request.took_effect == TookEffect::no ? "no"
                                                                 : "unknown";
    Alarm note =
        alarm("reset",
              false,
              std::string("Lock-out ") + to_string(cause) + " ended by " + request.operator_name +
                  ", took effect: " + answer + (request.force ? ", forced." : "."));
    writes.emplace_back(note);
    writes.emplace_back(row_);
    reset_->ticket = commit(std::move(writes), turn);
    for (Entry& entry : std::exchange(unresolved_, {})) {
        entry.ticket = *reset_->ticket;
        entry.concluding = true;
        closing_.push_back(std::move(entry));
    }
    turn.out.push_back(Raise{std::move(note)});
}

// The first gateway that claims this elevator and has not been overridden; empty: none.
std::string Elevator::contender() const {
    const auto it = std::find_if(
        claims_.begin(), claims_.end(), [](const auto& claim) { return !claim.second; });
    return it == claims_.end() ? "" : it->first.str();
}

bool Elevator::contested() const {
    return !broken(Breakage::ignore_claim) &&
           std::any_of(claims_.begin(), claims_.end(), [](const auto& it) { return !it.second; });
}

void Elevator::claimed(const GatewayId& gateway, bool claims, Turn& turn) {
    if (claims) {
        claims_.emplace(gateway, false);
    } else {
        claims_.erase(gateway);
    }
    take_turn(turn);
}

}  // namespace liftwarden::core
