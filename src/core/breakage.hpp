// Rules that the tests can break one by one, to see that the judges of the simulated world notice.
#pragma once

namespace liftwarden::core {

enum class Breakage {
    none,
    skip_gate,             // any reading after a write counts as its acknowledgement
    forget_seq,            // the ledger's answer is not looked at
    resend_blindly,        // a missing acknowledgement counts as proof
    trust_stale_read,      // an observation never grows old
    ignore_ttl,            // an hour longer
    ignore_owner,          // everybody is the owner
    ignore_door_closing,   // a closing door is no reason to wait
    write_in_fire,         // every service mode is as good as normal
    lose_queue,            // what was queued is not taken over by the next process
    two_finals,            // the outcome is reported twice
    resend_with_new_seq,   // the PLC cannot tell the second write from another command
    take_foreign_echo,     // any new echo acknowledges ours
    miss_late_execution,   // a command reported failed is executed, and nobody wonders
    coalesce_on_reversal,  // with a command that is not the last one
    accept_conflicts,      // another content under the same seq is a repeat
    write_before_intent,   // the intent is not durable yet
    free_occupied_car,     // `occupied` is not looked at
    write_too_late,        // not_after is an hour away
    no_queue_limit,
    forget_assumed_phase,  // what was ordered and has not shown does not count
    end_lock_out,          // a restart ends it
    survive_reboot,        // queued commands outlive a reboot
    settle_early,          // the broker may forget what is not durable
    ignore_claim,          // another gateway claims the elevator
    keep_bus,              // however long the journal takes
    no_reversal_guard,
    short_grace,   // an owner may be silent for a quarter of its grace
    forget_owner,  // a restart ends ownership
    resend_twice,
    skip_verification,    // the lock is not looked at
    accept_any_holder,    // whoever holds it, the claim counts
    accept_any_token,     // old and invented ones too
    accept_expiring,      // a lease that ends before the acknowledgement
    accept_old_answer,    // a verification never grows old
    write_in_suspect,     // anybody may, while the lock service is silent
    take_over_early,      // with the first failed window
    forget_last_lease,    // of the last holder seen, at the takeover
    hand_back_undrained,  // in the middle of a trip
    hand_back_at_once,    // after three good probes
    keep_epoch,           // through a change of mode
    admit_everybody,      // after the loss of the server's memory
    edge_in_handback,     // new trips begin while the old one ends
};

#ifdef LIFTWARDEN_BREAKAGES
inline Breakage active_breakage = Breakage::none;
[[nodiscard]] inline bool broken(Breakage rule) {
    return active_breakage == rule;
}
#else
// In everything that ships no rule is broken, and nothing of this is left.
[[nodiscard]] constexpr bool broken(Breakage) {
    return false;
}
#endif

}  // namespace liftwarden::core
