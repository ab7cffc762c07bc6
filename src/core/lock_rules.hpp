// What one reading of the lock says about one claim, and the order of holders.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/lock.hpp>
#include <liftwarden/core/result.hpp>

#include <string>

namespace liftwarden::core {

struct LockVerdict {
    enum class Kind {
        held,
        refused,  // `reason` and `detail` say why
        wait,     // a new generation: its turn may come when the previous holder's lease is over
    };
    Kind kind = Kind::refused;
    Reason reason = Reason::none;
    std::string detail;
    Fence fence;               // as it stands after this reading; durable before any write
    TimePoint write_before{};  // held: the write leaves before this moment or not at all
};

// What a lease must still cover after the write: the wait for the acknowledgement, and 200 ms.
[[nodiscard]] Duration lease_margin(Duration ack_timeout);

// Redis counts the lease somewhere between sending and answer, and its clock may differ from ours
// by 1 %. Not over before, surely over after; the latter also assumes nobody renews it.
[[nodiscard]] TimePoint lease_surely_until(const LockReading& reading);
[[nodiscard]] TimePoint lease_over_at(const LockReading& reading, Duration max_lease);

// Pure. The claim has a token if the scheme wants one. A generation ends only with a counter that
// is missing or went backwards: then for as long as the last lease seen could run, nobody but its
// holder is admitted, because a restored server may show an old lock again.
[[nodiscard]] LockVerdict judge_lock(const LockReading& reading,
                                     const LockClaim& claim,
                                     const Fence& fence,
                                     const LockRules& rules,
                                     Duration ack_timeout,
                                     TimePoint now);

// The counter, or the server that knew it, is not the one of before.
[[nodiscard]] Fence next_generation(const Fence& fence);

}  // namespace liftwarden::core
