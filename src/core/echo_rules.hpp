// What the PLC's echo proves, and which wire sequence comes next.
#pragma once

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>
#include <set>

namespace liftwarden::core {

// Signs that the PLC may have restarted since the reading before.
struct RestartSigns {
    bool link_lost = false;          // another connection, or a read that did not complete
    bool heartbeat_changed = false;  // the register no longer holds what we wrote last
};

enum class EchoVerdict {
    as_expected,
    first_sight,     // never read before and 0: a first start
    restarted,       // 0 with a sign of a restart: alarm, new baseline, next write after a scan
    ledger_lost,     // never read before and not 0: executed commands that we know nothing of
    late_execution,  // our own wire_seq of a command reported failed
    foreign_writer,  // anything else
};

// Judges an echo read while nothing of ours is between its write and its outcome.
[[nodiscard]] EchoVerdict judge_echo_at_rest(const ElevatorRow& row,
                                             Echo echo,
                                             const RestartSigns& signs);

// The wire sequence of the next command: successor of the last own one, skipping 0 and the echo.
[[nodiscard]] WireSeq next_wire_seq(std::optional<WireSeq> last, Echo echo);

// True if `value` is one of the heartbeats that the register may hold after `written` was the last
// one asked for: it, or up to `slack` before or after it (writes under way, or done by this
// gateway's earlier process after it stored `written`). 0 never holds: a PLC starts with it.
[[nodiscard]] bool heartbeat_holds(std::optional<std::uint16_t> value,
                                   std::optional<std::uint16_t> written,
                                   std::uint16_t slack);

// True if a completed read-back proves that the PLC did not take the command of `row`: it still
// shows the echo stored with the intent; where that was 0, the heartbeat register must still hold
// what it held then, and not 0, or the PLC may have taken it and restarted since. The caller has
// checked the time of the read, and that no heartbeat was sent meanwhile.
[[nodiscard]] bool proves_not_taken(const CommandRow& row, const Reading& reading);

}  // namespace liftwarden::core
