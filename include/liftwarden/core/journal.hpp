// What is durable, in the core's terms. wire/ turns these into text, adapters/sqlite keeps them.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/lock.hpp>
#include <liftwarden/core/observation.hpp>
#include <liftwarden/core/result.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace liftwarden::core {

// The ledger's row for one (elevator, seq): what was asked and how far it got. `accepted` means
// queued; `sent` means the intent is durable and the write may or may not have happened.
struct CommandRow {
    Command command;
    Party party;
    std::string boot_id;  // of received_at, deadline and the other times
    TimePoint received_at{};
    TimePoint deadline{};
    Status status = Status::accepted;
    Reason reason = Reason::none;
    std::string detail;
    std::optional<CommandRef> of;
    std::optional<WireSeq> wire_seq;
    std::optional<Echo> echo_before;                // read in the grant that wrote it
    std::optional<std::uint16_t> heartbeat_before;  // the register, read in the same grant
    bool resent = false;                            // the one permitted resend has been used
    Elapsed elapsed;
    friend bool operator==(const CommandRow&, const CommandRow&) = default;
};

// The party that may take the next step, and what decides when it stops being that.
struct Owner {
    Party party;
    std::optional<Content> last_call;  // its last acknowledged call
    bool last_call_served = false;
    TimePoint last_activity{};  // last message sent, or outcome of one
    friend bool operator==(const Owner&, const Owner&) = default;
};

// An acknowledged command whose physical effect is still awaited. It keeps the whole row, so that
// the follow-up can be written and reported after a restart too.
struct Watch {
    CommandRow row;
    bool car_was_here = false;  // a call to the floor where the car stood
    bool sign_seen = false;
    bool settled_out = false;  // stood closed too long: no longer counts as moving
    TimePoint acked_at{};
    friend bool operator==(const Watch&, const Watch&) = default;
};

// The newest trip of a source or group that names neither ride nor task.
struct Trip {
    Party party;
    std::optional<FloorLabel> hall_floor;  // of the hall call that began it
    friend bool operator==(const Trip&, const Trip&) = default;
};

struct LastAcked {
    CommandRef command;
    Content content;
    Party party;
    TimePoint acked_at{};
    friend bool operator==(const LastAcked&, const LastAcked&) = default;
};

enum class LockOut {
    none,
    unknown_outcome,  // a command whose outcome three read-backs did not show
    foreign_writer,   // the echo changed and it was not us
    late_execution,   // the PLC took a command that had been reported failed
    ledger_lost,      // the memory of what was executed is gone
    second_gateway,   // another gateway claims this elevator
};
[[nodiscard]] const char* to_string(LockOut cause);
[[nodiscard]] std::optional<LockOut> lock_out_from(const std::string& text);

// What must survive a crash for one elevator, besides its commands. Times belong to `boot_id`.
struct ElevatorRow {
    ElevatorId elevator;
    std::string boot_id;
    std::optional<Echo> baseline;            // the echo at rest; nullopt: never read
    std::optional<WireSeq> last_wire_seq;    // last one used since the baseline was taken anew
    std::optional<std::uint16_t> heartbeat;  // last value written
    std::vector<WireSeq> failed_wire_seqs;   // reported failed; newest last, bounded
    std::optional<Owner> owner;
    std::vector<Watch> watches;
    std::vector<Trip> trips;  // newest last, bounded
    std::optional<LastAcked> last_acked;
    LockOut lock_out = LockOut::none;
    std::string lock_out_detail;
    ArbitrationMode mode = ArbitrationMode::standalone;
    std::uint64_t epoch = 0;
    Fence fence;
    friend bool operator==(const ElevatorRow&, const ElevatorRow&) = default;
};

// Something a person or the audit trail should know. `kind` is a stable word ("lock_out",
// "foreign_writer", "reset"); `alarm` says whether somebody should come.
struct Alarm {
    ElevatorId elevator;  // empty: the gateway itself
    std::string kind;
    bool alarm = true;
    std::string detail;
    std::optional<SourceId> source;
    std::optional<Seq> seq;
    friend bool operator==(const Alarm&, const Alarm&) = default;
};

// Writes of one commit: all or nothing. ResultMessages go to the outbox and are published from
// there after the commit, again after a crash if the broker never confirmed them.
using JournalWrite = std::variant<CommandRow, ElevatorRow, ResultMessage, Alarm>;

// What the journal held at start. `ledger_lost`: the file had to be set aside as corrupt.
struct Recovered {
    std::vector<CommandRow> open_commands;  // accepted, sent, unknown; in order of receipt
    std::vector<ElevatorRow> elevators;
    bool ledger_lost = false;
};

}  // namespace liftwarden::core
