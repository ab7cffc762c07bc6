#include "src/core/lock_rules.hpp"

#include "src/core/breakage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace liftwarden::core {
namespace {

constexpr Duration reply_slack = 2ms;

LockReading::Kind kind_of(LockScheme scheme) {
    return scheme == LockScheme::string ? LockReading::Kind::string : LockReading::Kind::hash;
}

const char* word(LockReading::Kind kind) {
    switch (kind) {
        case LockReading::Kind::none:
            return "nothing";
        case LockReading::Kind::hash:
            return "a hash";
        case LockReading::Kind::string:
            return "a string";
        case LockReading::Kind::other:
            break;
    }
    return "something else";
}

LockVerdict& refuse(LockVerdict& verdict, Reason reason, std::string detail) {
    verdict.kind = LockVerdict::Kind::refused;
    verdict.reason = reason;
    verdict.detail = std::move(detail);
    return verdict;
}

// Everything about the key itself; true if the claim holds it.
bool holds(const LockReading& reading, LockScheme scheme, LockVerdict& verdict) {
    if (reading.kind == LockReading::Kind::none) {
        refuse(verdict, Reason::lock_not_held, "Nobody holds the lock.");
    } else if (reading.kind != kind_of(scheme)) {
        refuse(verdict,
               Reason::lock_unverifiable,
               fmt::format("The lock's key holds {}; scheme {} expects {}.",
                           word(reading.kind),
                           to_string(scheme),
                           word(kind_of(scheme))));
    } else if (!reading.claim_matches && !broken(Breakage::accept_any_holder)) {
        refuse(verdict, Reason::lock_not_held, "The lock is held by " + reading.holder + ".");
    } else if (!reading.lease) {
        refuse(verdict, Reason::lock_unverifiable, "The lock has no time to live.");
    } else {
        return true;
    }
    return false;
}

// The token against the counter of the same atomic read; true if it may go on.
bool token_in_order(const LockReading& reading, std::int64_t token, LockVerdict& verdict) {
    Fence& fence = verdict.fence;
    if (broken(Breakage::accept_any_token)) {
        return true;
    }
    if (!reading.counter) {
        if (fence.token != 0) {
            fence = next_generation(fence);
        }
        refuse(verdict,
               Reason::lock_unverifiable,
               "The counter of fencing tokens is missing; a newly acquired lock brings it back.");
        return false;
    }
    if (*reading.counter < fence.token) {
        fence = next_generation(fence);
    }
    if (token < *reading.counter) {
        refuse(verdict,
               Reason::stale_token,
               fmt::format("Token {} is older than the lock's, {}.", token, *reading.counter));
    } else if (token > *reading.counter) {
        refuse(verdict,
               Reason::lock_not_held,
               fmt::format(
                   "Token {} was never given out; the lock's is {}.", token, *reading.counter));
    } else {
        fence.token = token;
        return true;
    }
    return false;
}

}  // namespace

Duration lease_margin(Duration ack_timeout) {
    return ack_timeout + 200ms;
}

TimePoint lease_surely_until(const LockReading& reading) {
    const Duration lease = reading.lease.value_or(Duration{});
    return reading.sent_at + lease - lease / 100 - reply_slack;
}

TimePoint lease_over_at(const LockReading& reading, Duration max_lease) {
    const Duration lease = reading.lease.value_or(max_lease);
    return reading.answered_at + lease + lease / 100 + reply_slack;
}

Fence next_generation(const Fence& fence) {
    Fence next = fence;
    ++next.generation;
    next.token = 0;
    next.only_holder_until = std::max(fence.only_holder_until, fence.lease_over_at);
    return next;
}

LockVerdict judge_lock(const LockReading& reading,
                       const LockClaim& claim,
                       const Fence& fence,
                       const LockRules& rules,
                       Duration ack_timeout,
                       TimePoint now) {
    LockVerdict verdict;
    verdict.fence = fence;
    Fence& next = verdict.fence;
    const bool holder_known = holds(reading, rules.scheme, verdict);
    const bool fenced = rules.scheme == LockScheme::redisson_fenced;
    const bool in_order =
        holder_known && (!fenced || token_in_order(reading, *claim.token, verdict));
    // Only after the previous lease has decided whether a new generation must wait for it.
    const bool other_holder = claim.owner != fence.holder;
    const bool too_early =
        other_holder && now < next.only_holder_until && !broken(Breakage::admit_everybody);
    if (reading.kind != LockReading::Kind::none) {
        next.lease_over_at = std::max(next.lease_over_at, lease_over_at(reading, rules.max_lease));
    }
    if (!in_order) {
        return verdict;
    }
    if (too_early) {
        verdict.kind = LockVerdict::Kind::wait;
        verdict.detail =
            "After the loss of the lock server's memory the previous holder's lease is "
            "awaited.";
        next.token = next.generation == fence.generation ? fence.token : 0;
        return verdict;
    }
    const TimePoint surely_until = lease_surely_until(reading);
    if (surely_until - now < lease_margin(ack_timeout) && !broken(Breakage::accept_expiring)) {
        return refuse(verdict,
                      Reason::lock_expiring,
                      fmt::format("The lock's lease surely lasts {} ms more; the write and its "
                                  "acknowledgement may need {} ms.",
                                  std::max<std::int64_t>(0, to_ms(surely_until - now)),
                                  to_ms(lease_margin(ack_timeout))));
    }
    if (!fenced && other_holder) {
        ++next.token;
    }
    next.holder = claim.owner;
    next.lease_surely_until = surely_until;
    verdict.kind = LockVerdict::Kind::held;
    verdict.write_before = std::min(reading.sent_at + rules.freshness, surely_until - ack_timeout);
    if (broken(Breakage::accept_old_answer) || broken(Breakage::accept_expiring)) {
        verdict.write_before = now + 1h;
    }
    return verdict;
}

}  // namespace liftwarden::core
