// The site's lock at the last moment before the write.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"
#include "src/core/lock_rules.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::core {
namespace {

bool is_lock_reason(Reason reason) {
    return reason == Reason::lock_missing || reason == Reason::lock_not_held ||
           reason == Reason::lock_expiring || reason == Reason::lock_unverifiable ||
           reason == Reason::stale_token;
}

}  // namespace

bool Elevator::lock_required() const {
    return row_.mode == ArbitrationMode::lock;
}

// In `lock` mode nobody but the owner may sit on the lock while the car travels.
bool Elevator::may_wait(const CommandRow& row) const {
    return row.command.wait.value_or(true) && (!lock_required() || owned_by(row.party));
}

// What the arbitration mode alone says; nullopt: go on to the table.
std::optional<Judgement> Elevator::judge_lock_state(const CommandRow& row, TimePoint now) const {
    const std::optional<LockClaim>& claim = row.command.lock;
    if ((broken(Breakage::write_in_suspect) && row_.mode == ArbitrationMode::suspect) ||
        (broken(Breakage::edge_in_handback) && row_.mode == ArbitrationMode::handback)) {
        return std::nullopt;
    }
    switch (row_.mode) {
        case ArbitrationMode::standalone:
        case ArbitrationMode::edge:
            return std::nullopt;
        case ArbitrationMode::handback:
            // The present owner finishes by the rules of edge; everybody else waits for the lock.
            return owned_by(row.party) ? std::nullopt : std::optional{wait_for_now()};
        case ArbitrationMode::suspect:
            return claim && equals_last_verified(*claim, now) ? std::nullopt
                                                              : std::optional{wait_for_now()};
        case ArbitrationMode::lock:
            break;
    }
    if (!claim) {
        return rejected(Reason::lock_missing, "This elevator wants a lock, none was claimed.");
    }
    if (gateway_->lock->scheme == LockScheme::redisson_fenced && !claim->token) {
        return rejected(Reason::lock_missing, "The claim has no fencing token.");
    }
    return std::nullopt;
}

// While the lock service is silent only what it has said before counts, for as long as it must
// hold.
bool Elevator::equals_last_verified(const LockClaim& claim, TimePoint now) const {
    const Fence& fence = row_.fence;
    const bool fenced = gateway_->lock->scheme == LockScheme::redisson_fenced;
    return !fence.holder.empty() && claim.owner == fence.holder &&
           (!fenced || claim.token == fence.token) &&
           fence.lease_surely_until - now >= lease_margin(config_->ack_timeout);
}

// The table has said yes on the fresh read.
void Elevator::go_to_write(Turn& turn) {
    Flight& flight = *flight_;
    const std::optional<LockClaim>& claim = flight.entry.row.command.lock;
    const bool observing = watch_ != nullptr && gateway_->lock->verify == VerifyPolicy::observe;
    flight.write_before.reset();
    if (row_.mode == ArbitrationMode::suspect) {
        flight.write_before = row_.fence.lease_surely_until - config_->ack_timeout;
    }
    const bool fenced = watch_ != nullptr && gateway_->lock->scheme == LockScheme::redisson_fenced;
    const bool judgeable = claim && (!fenced || claim->token);
    if (observing && !judgeable) {
        observe_lock("lock_missing: no lock, or no token, was claimed.", turn);
    }
    if (broken(Breakage::write_in_suspect)) {
        flight.write_before.reset();
    }
    if ((!lock_required() && !(observing && judgeable)) || broken(Breakage::skip_verification)) {
        commit_intent(turn);
        return;
    }
    flight.step = Flight::Step::checking_lock;
    flight.waiting_since = turn.now;
    turn.out.push_back(CheckLock{id(), flight.grant, *claim});
}

void Elevator::lock_checked(const LockChecked& event, Turn& turn) {
    if (!flight_ || flight_->grant != event.grant || flight_->step != Flight::Step::checking_lock) {
        take_turn(turn);
        return;
    }
    const CommandRow& row = flight_->entry.row;
    const bool observing = !lock_required() && row_.mode == ArbitrationMode::standalone;
    if (!event.reading) {
        if (observing) {
            observe_lock("unanswered: " + event.detail, turn);
            commit_intent(turn);
        } else {
            give_bus_back(turn);
            slow_round("lock_slow", "The lock could not be verified: " + event.detail, turn);
        }
        take_turn(turn);
        return;
    }
    LockVerdict verdict = judge_lock(*event.reading,
                                     *row.command.lock,
                                     row_.fence,
                                     *gateway_->lock,
                                     config_->ack_timeout,
                                     turn.now);
    if (!(verdict.fence == row_.fence)) {
        row_.fence = verdict.fence;
        row_dirty_ = true;
    }
    if (verdict.kind == LockVerdict::Kind::held) {
        flight_->write_before = observing ? std::nullopt : std::optional{verdict.write_before};
        flight_->entry.row.elapsed.verify = turn.now - flight_->waiting_since;
        commit_intent(turn);
    } else if (observing) {
        observe_lock(std::string(to_string(verdict.reason)) + ": " + verdict.detail, turn);
        commit_intent(turn);
    } else if (verdict.kind == LockVerdict::Kind::wait) {
        give_bus_back(turn);
        step_back(turn);
    } else {
        give_bus_back(turn);
        lock_refused(rejected(verdict.reason, std::move(verdict.detail)), turn);
    }
    take_turn(turn);
}

void Elevator::lock_refused(const Judgement& judgement, Turn& turn) {
    if (flight_->resend) {
        finish_flight(Status::failed, judgement.reason, judgement.detail, turn);
        return;
    }
    queue_.insert(queue_.begin(), std::move(flight_->entry));
    flight_.reset();
    finish_queued(0, judgement, turn);
}

// `observe`: what would have been refused.
void Elevator::observe_lock(const std::string& why, Turn& turn) {
    Alarm note = alarm("lock_observed", false, why);
    note.source = flight_->entry.row.command.source;
    note.seq = flight_->entry.row.command.seq;
    raise(note, turn);
}

// Its grace runs anew from here; somebody should know that a trip under way has lost its lock.
void Elevator::notice_owner_without_lock(const CommandRow& row, Turn& turn) {
    if (!owned_by(row.party) || !is_lock_reason(row.reason)) {
        return;
    }
    Alarm note = alarm("owner_without_lock", true, describe(row.party) + ": " + row.detail);
    note.source = row.command.source;
    note.seq = row.command.seq;
    raise(note, turn);
}

}  // namespace liftwarden::core
