#include "tests/support/core_lock.hpp"

#include <algorithm>

namespace liftwarden::test {

using namespace core;

bool LockSite::free(TimePoint now) const {
    return holder_.empty() || (lease_end_ && *lease_end_ <= now);
}

std::string LockSite::holder(TimePoint now) const {
    return free(now) ? "" : holder_;
}

std::int64_t LockSite::acquire(TimePoint now, const std::string& owner, Duration lease) {
    holder_ = owner;
    lease_end_ = now + lease;
    if (scheme_ == LockScheme::redisson_fenced) {
        counter_ = counter_.value_or(0) + 1;
    }
    return counter_.value_or(0);
}

void LockSite::acquire_for_ever(const std::string& owner) {
    holder_ = owner;
    lease_end_.reset();
}

void LockSite::release() {
    holder_.clear();
}

LockChecked LockSite::answer(TimePoint now, const CheckLock& question) {
    ++checks_;
    LockChecked checked{question.elevator, question.grant, std::nullopt, "no answer"};
    if (!online) {
        return checked;
    }
    LockReading reading;
    reading.sent_at = now;
    reading.answered_at = now;
    if (!free(now)) {
        const auto usual =
            scheme_ == LockScheme::string ? LockReading::Kind::string : LockReading::Kind::hash;
        reading.kind = kind_.value_or(usual);
        reading.holder = holder_;
        reading.claim_matches = reading.kind == usual && holder_ == question.claim.owner;
        if (lease_end_) {
            reading.lease = *lease_end_ - now;
        }
    }
    reading.counter = counter_;
    checked.reading = reading;
    checked.detail.clear();
    return checked;
}

LockMoved LockSite::answer(TimePoint now, const HoldLock& order) {
    LockMoved moved{order.elevator, false, LockDone::no_answer, "no answer"};
    if (!online) {
        return moved;
    }
    if (!may_write) {
        moved.done = LockDone::forbidden;
    } else if (!free(now) && holder_ != order.holder) {
        moved.done = LockDone::foreign;
        moved.detail = holder_;
    } else {
        holder_ = order.holder;
        lease_end_ = now + order.lease;
        moved.done = LockDone::ours;
    }
    return moved;
}

LockMoved LockSite::answer(TimePoint now, const ReturnLock& order) {
    LockMoved moved{order.elevator, true, LockDone::no_answer, "no answer"};
    if (!online) {
        return moved;
    }
    if (!may_write) {
        moved.done = LockDone::forbidden;
        return moved;
    }
    if (scheme_ == LockScheme::redisson_fenced) {
        counter_ = std::max(counter_.value_or(0), order.counter);
    }
    if (!free(now) && holder_ == order.holder) {
        holder_.clear();
        ++wake_ups_;
    }
    moved.done = LockDone::ours;
    return moved;
}

LockProbed LockSite::probe(TimePoint now) const {
    LockProbed probed;
    probed.started_at = now;
    probed.health = online ? health : Health::outage;
    if (probed.health == Health::usable) {
        probed.instance = memory;
        probed.server_time = WallTime{std::chrono::duration_cast<std::chrono::milliseconds>(
            now.time_since_epoch() + clock_error)};
    } else {
        probed.detail = online ? "scripted" : "no answer";
    }
    return probed;
}

}  // namespace liftwarden::test
