// Everything that can happen to the core. Plain values; the same list gives the same actions.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/error.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/lock.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace liftwarden::core {

// A valid command for one of our elevators, with what the ledger knew about its seq when the
// journal thread looked. `delivery` is settled exactly once by a Settle action. `received_at` is
// when the message arrived, so that its TTL also runs while the ledger is asked; nullopt: just now.
struct CommandReceived {
    DeliveryId delivery;
    Command command;
    std::optional<CommandRow> ledger;
    std::optional<TimePoint> received_at = std::nullopt;
};

// A Commit action is durable. A commit never fails from the core's view: on an I/O error the
// process ends before anything else is acknowledged.
struct Committed {
    Ticket ticket;
};

// A polling or requested read completed.
struct Observed {
    ElevatorId elevator;
    Reading reading;
};

// A read did not complete; nothing is known. After it the PLC may have restarted.
struct ReadFailed {
    ElevatorId elevator;
    std::string detail;
};

// The bus is ours for one command, and this was just read.
struct GrantOpened {
    ElevatorId elevator;
    GrantId grant;
    Reading reading;
};

// The bus could not be had, or was taken back before a write: nothing has been written.
struct GrantClosed {
    ElevatorId elevator;
    GrantId grant;
    std::string detail;
};

// Answer to WriteCommand. The grant is over.
struct WriteDone {
    ElevatorId elevator;
    GrantId grant;
    WriteOutcome outcome;
};

// Answer to CheckLock. No reading: no usable answer came; `detail` says why.
struct LockChecked {
    ElevatorId elevator;
    GrantId grant;
    std::optional<LockReading> reading;
    std::string detail;
};

// Once every LockRules::probe, by the lock service itself.
struct LockProbed {
    TimePoint started_at{};
    Health health = Health::outage;
    std::string instance;  // run id and replication id of the server that answered
    std::optional<WallTime> server_time;
    std::string detail;  // what failed
};

// Answer to HoldLock or ReturnLock.
struct LockMoved {
    ElevatorId elevator;
    bool returned = false;  // of a ReturnLock
    LockDone done = LockDone::no_answer;
    std::string detail;  // the foreign holder, or what failed
};

// A dispatch node says whether it reaches the lock service; `live`: not a retained copy.
struct NodeReported {
    enum class LockService { ok, lost, gone };
    SourceId node;
    LockService lock_service = LockService::ok;
    bool live = true;
};

// Another gateway's retained status was received or went away.
struct GatewayClaim {
    GatewayId gateway;
    bool online = false;
    std::vector<ElevatorId> elevators;
};

// The journal passed, or came back below, its high-water mark.
struct JournalPressure {
    bool accepting = true;
};

enum class TookEffect { yes, no, unknown };

// An operator looked at a locked-out elevator.
struct ResetRequested {
    RequestId request;
    ElevatorId elevator;
    TookEffect took_effect = TookEffect::unknown;
    bool force = false;
    std::string operator_name;
    bool fence = false;  // only lower the fencing mark
};

// The process is ending: new commands get `shutdown`, nothing new is sent.
struct Stopping {};

using Event = std::variant<CommandReceived,
                           Committed,
                           Observed,
                           ReadFailed,
                           GrantOpened,
                           GrantClosed,
                           WriteDone,
                           LockChecked,
                           LockProbed,
                           LockMoved,
                           NodeReported,
                           GatewayClaim,
                           JournalPressure,
                           ResetRequested,
                           Stopping>;

}  // namespace liftwarden::core
