// Arbitration: who decides about this elevator, the site's lock or the gateway.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"
#include "src/core/lock_rules.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::core {
namespace {

constexpr Duration hold_retry = 1s;

bool is_takeover(ArbitrationMode mode) {
    return mode == ArbitrationMode::edge || mode == ArbitrationMode::handback;
}

}  // namespace

// Whether a lock service decides here, or has to be replaced when it is gone.
bool Elevator::governed() const {
    return watch_ != nullptr && gateway_->lock->verify == VerifyPolicy::required;
}

// A start knows nothing new of the lock: somebody may hold it for the longest lease, or longer if
// that was seen.
void Elevator::recover_mode(Turn& turn) {
    const ArbitrationMode before = row_.mode;
    if (!governed()) {
        if (before != ArbitrationMode::standalone) {
            change_mode(ArbitrationMode::standalone, "no lock is required any more", turn);
        }
        return;
    }
    took_over_before_ = is_takeover(before);
    row_.fence.lease_surely_until = {};
    row_.fence.lease_over_at =
        std::max(row_.fence.lease_over_at, turn.now + gateway_->lock->max_lease);
    row_.fence.only_holder_until = std::min(row_.fence.only_holder_until, row_.fence.lease_over_at);
    change_mode(ArbitrationMode::suspect, "start", turn);
}

// When the gateway decides by itself; nullopt: not while it is like this. A single good probe in an
// outage does not end it, but nobody takes over just after one. Whoever has ended in edge goes on
// in it as soon as a window fails.
std::optional<TimePoint> Elevator::takeover_at() const {
    if (took_over_before_ || broken(Breakage::take_over_early)) {
        return watch_->failing() ? watch_->outage_since() : std::nullopt;
    }
    if (!watch_->outage_since() || watch_->health() != Health::outage) {
        return std::nullopt;
    }
    const TimePoint long_enough = *watch_->outage_since() + gateway_->lock->takeover_after;
    if (broken(Breakage::forget_last_lease)) {
        return long_enough;
    }
    return std::max(long_enough, row_.fence.lease_over_at);
}

void Elevator::update_mode(Turn& turn) {
    switch (row_.mode) {
        case ArbitrationMode::standalone:
            return;
        case ArbitrationMode::lock:
            if (watch_->failing()) {
                change_mode(ArbitrationMode::suspect, watch_->detail(), turn);
            } else {
                notice_memory(turn);
            }
            return;
        case ArbitrationMode::suspect:
            if (watch_->recovered()) {
                enter_lock("the lock service answers again", turn);
            } else if (takeover_at() && turn.now >= *takeover_at()) {
                watch_->took_over(turn.now);
                change_mode(ArbitrationMode::edge, watch_->detail(), turn);
            }
            return;
        case ArbitrationMode::edge:
            if (watch_->steadily_usable(turn.now) ||
                (broken(Breakage::hand_back_at_once) && watch_->recovered())) {
                change_mode(ArbitrationMode::handback, "the lock service is steadily usable", turn);
                handback_ = {};
                hand_back(turn);
            }
            return;
        case ArbitrationMode::handback:
            if (watch_->failing()) {
                handback_ = {};
                change_mode(ArbitrationMode::edge, watch_->detail(), turn);
            } else {
                hand_back(turn);
            }
            return;
    }
}

// The epoch grows with every change; nobody is told before it is durable.
void Elevator::change_mode(ArbitrationMode mode, const std::string& why, Turn& turn) {
    Alarm note =
        alarm("mode",
              is_takeover(mode),
              std::string(to_string(row_.mode)) + " -> " + to_string(mode) + ": " + why + ".");
    row_.mode = mode;
    row_.epoch += broken(Breakage::keep_epoch) ? 0U : 1U;
    mode_ticket_ = commit({row_, note}, turn);
    turn.out.push_back(Raise{std::move(note)});
}

void Elevator::enter_lock(const std::string& why, Turn& turn) {
    // Only fresh verifications count from here.
    row_.fence.lease_surely_until = {};
    notice_memory(turn);
    return_due_ = std::exchange(took_over_before_, false) || row_.mode == ArbitrationMode::handback;
    handback_ = {};
    change_mode(ArbitrationMode::lock, why, turn);
}

// Another server, or one that lost its memory: what it says of tokens starts anew.
void Elevator::notice_memory(Turn& turn) {
    const std::string& memory = watch_->memory();
    if (memory.empty() || row_.fence.memory == memory) {
        return;
    }
    if (!row_.fence.memory.empty()) {
        row_.fence = next_generation(row_.fence);
        raise(alarm("fence_generation",
                    true,
                    "The lock server is another one, or has lost its memory; until the last lease "
                    "seen is over only its holder is admitted."),
              turn);
    }
    row_.fence.memory = memory;
    row_dirty_ = true;
}

// Nothing in flight, no owner, nothing unproved. What is locked out waits for a person and does not
// keep the others.
bool Elevator::drained() const {
    return broken(Breakage::hand_back_undrained) || row_.lock_out != LockOut::none ||
           (!flight_ && !row_.owner && unresolved_.empty());
}

void Elevator::hand_back(Turn& turn) {
    hold_own_lock(turn);
    if (!handback_.answered || !drained()) {
        handback_.quarantine_until.reset();
    } else if (!write_forbidden_) {
        enter_lock("drained", turn);
    } else if (!handback_.quarantine_until) {
        handback_.quarantine_until = turn.now + gateway_->lock->max_lease;
    } else if (turn.now >= *handback_.quarantine_until) {
        enter_lock("drained, and the longest lease has passed", turn);
    }
}

// So that the nodes wait as for any other holder.
void Elevator::hold_own_lock(Turn& turn) {
    if (handback_.hold_again_at && turn.now < *handback_.hold_again_at) {
        return;
    }
    handback_.hold_again_at = turn.now + gateway_->lock->max_lease / 3;
    turn.out.push_back(HoldLock{id(), own_holder(), gateway_->lock->max_lease});
}

void Elevator::return_own_lock(Turn& turn) {
    turn.out.push_back(ReturnLock{id(), own_holder(), row_.fence.token});
}

// The same after a restart, so that the gateway knows its own lock.
std::string Elevator::own_holder() const {
    return "liftwarden-" + gateway_->id.str() + ":1";
}

void Elevator::lock_moved(const LockMoved& event, Turn& turn) {
    if (row_.mode == ArbitrationMode::handback && event.done != LockDone::no_answer) {
        handback_.answered = true;
    }
    if (event.done == LockDone::forbidden) {
        if (!std::exchange(write_forbidden_, true)) {
            raise(
                alarm("lock_write_forbidden",
                      true,
                      "The gateway may not write this elevator's lock; it hands back by waiting: " +
                          event.detail),
                turn);
        }
    } else if (event.done != LockDone::no_answer) {
        write_forbidden_ = false;
    } else if (!event.returned && row_.mode == ArbitrationMode::handback) {
        handback_.hold_again_at = turn.now + hold_retry;
    } else if (event.returned) {
        raise(alarm("lock_not_returned",
                    false,
                    "The gateway's own lock could not be given back and ends with its lease: " +
                        event.detail),
              turn);
    }
    take_turn(turn);
}

void Elevator::reset_fence(const ResetRequested& event, Turn& turn) {
    if (watch_ == nullptr) {
        turn.out.push_back(ControlReply{event.request, false, "No lock service is configured."});
        return;
    }
    if (fence_reset_) {
        turn.out.push_back(ControlReply{event.request, false, "Another reset is under way."});
        return;
    }
    Fence fresh;
    fresh.generation = row_.fence.generation + 1;
    fresh.memory = row_.fence.memory;
    fresh.lease_over_at = row_.fence.lease_over_at;
    row_.fence = std::move(fresh);
    const Alarm note =
        alarm("fence_reset", false, "Fencing mark lowered by " + event.operator_name + ".");
    fence_reset_ = PendingFence{event.request, commit({row_, note}, turn)};
    turn.out.push_back(Raise{note});
}

}  // namespace liftwarden::core
