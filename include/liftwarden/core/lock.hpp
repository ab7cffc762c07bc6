// The site's lock as the gateway sees it. Reading and writing it is the lock service's work; what a
// reading means is decided in the core.
#pragma once

#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::core {

// How the dispatch nodes write their lock.
enum class LockScheme {
    redisson,         // hash at the key, one field `uuid:threadId` = re-entry count
    redisson_fenced,  // the same, and the counter `redisson_lock_token:{key}`
    string,           // SET key value NX PX
};
[[nodiscard]] const char* to_string(LockScheme scheme);

enum class VerifyPolicy {
    required,  // a command without a verified lock is refused
    observe,   // what would have been refused is reported, nothing is refused
};

// Decisions about the lock service; contract defaults.
struct LockRules {
    LockScheme scheme = LockScheme::redisson;
    VerifyPolicy verify = VerifyPolicy::required;
    Duration freshness = 200ms;     // largest age of a verification at the write
    Duration takeover_after = 30s;  // of an outage
    Duration max_lease = 30s;       // longest lease a node takes
    Duration probe = 1s;            // period
    friend bool operator==(const LockRules&, const LockRules&) = default;
};

// One atomic read of an elevator's lock (and of its counter) for one claim. The answer was made
// between `sent_at` and `answered_at`.
struct LockReading {
    enum class Kind { none, hash, string, other };  // what stands at the key
    TimePoint sent_at{};
    TimePoint answered_at{};
    Kind kind = Kind::none;
    bool claim_matches = false;           // the claimed owner is the hash's field, or the string
    std::string holder;                   // who holds it; any one field of a hash
    std::optional<Duration> lease;        // time to live; nullopt: none set
    std::optional<std::int64_t> counter;  // redisson_fenced; nullopt: there is none
    friend bool operator==(const LockReading&, const LockReading&) = default;
};

// One probe: whether a lock could be taken now.
enum class Health {
    usable,
    outage,         // no answer, or an answer that nobody could take a lock with
    misconfigured,  // our own login, permission or address is wrong: no reason to take over
};
[[nodiscard]] const char* to_string(Health health);

// What became of HoldLock or ReturnLock.
enum class LockDone {
    ours,       // held for the asked time; for ReturnLock: given back, or it was not ours any more
    foreign,    // somebody else holds it and was left alone
    forbidden,  // this login may not write it
    no_answer,
};
[[nodiscard]] const char* to_string(LockDone done);

// The order of holders of one elevator's lock; durable before the write it allows. Times belong to
// the boot id of the elevator's row.
struct Fence {
    std::uint64_t generation = 1;    // grows with every detected loss of the counter
    std::int64_t token = 0;          // highest one confirmed in this generation
    std::string holder;              // last one verified
    std::string memory;              // which server, with which memory, knew the counter
    TimePoint lease_surely_until{};  // of that verification: nobody else can have it before
    TimePoint lease_over_at{};       // latest end of any lease seen
    TimePoint only_holder_until{};   // after a new generation: nobody but `holder` before
    friend bool operator==(const Fence&, const Fence&) = default;
};

}  // namespace liftwarden::core
