// What a source hears about its command. The names of the enumerators are the contract's words.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::core {

// `rejected`: never written. `failed`: written, and the PLC did not execute it.
enum class Status {
    accepted,
    sent,
    acked,
    coalesced,
    rejected,
    expired,
    failed,
    unknown,     // not final: an operator has to resolve it
    served,      // follow-up to acked
    not_served,  // follow-up to acked
};

enum class Reason {
    none,
    bad_json,
    bad_field,
    too_large,
    unknown_floor,
    unsupported_action,
    source_mismatch,
    retained,
    seq_conflict,
    unknown_seq,
    stale_token,
    lock_missing,
    lock_not_held,
    lock_expiring,
    lock_unverifiable,
    elevator_busy,
    door_not_here,
    elevator_fault,
    out_of_service,
    elevator_unknown,
    plc_offline,
    queue_full,
    source_quota,
    ttl,
    ack_timeout,
    plc_refused,
    modbus_exception,
    journal_failed,
    operator_,  // "operator"
    shutdown,
};

[[nodiscard]] const char* to_string(Status status);
[[nodiscard]] const char* to_string(Reason reason);  // "none" for Reason::none
[[nodiscard]] std::optional<Status> status_from(const std::string& text);
[[nodiscard]] std::optional<Reason> reason_from(const std::string& text);

// Final statuses end a command; exactly one of them is reported.
[[nodiscard]] constexpr bool is_final(Status status) {
    return status == Status::acked || status == Status::coalesced || status == Status::rejected ||
           status == Status::expired || status == Status::failed;
}

// The command that a coalesced one stands behind.
struct CommandRef {
    SourceId source;
    Seq seq;
    friend bool operator==(const CommandRef&, const CommandRef&) = default;
};

struct Elapsed {
    std::optional<Duration> queued;  // receipt to the grant that wrote it
    std::optional<Duration> verify;  // lock verification
    std::optional<Duration> ack;     // write to acknowledgement
    friend bool operator==(const Elapsed&, const Elapsed&) = default;
};

enum class ArbitrationMode { standalone, lock, suspect, edge, handback };
[[nodiscard]] const char* to_string(ArbitrationMode mode);

// One message to one source. `to` is whose result topic it goes to: the sender, or the member of
// its group that asked. `query` makes it a `query_result`, which carries no `final`. The wall time
// is stamped where it is rendered.
struct ResultMessage {
    ElevatorId elevator;
    SourceId to;
    std::optional<Seq> seq;
    Status status = Status::accepted;
    Reason reason = Reason::none;
    std::string detail;
    bool duplicate = false;
    bool query = false;
    std::optional<CommandRef> of;
    std::optional<std::uint32_t> position;  // 1 is next
    std::optional<WireSeq> wire_seq;
    ArbitrationMode mode = ArbitrationMode::standalone;
    std::uint64_t epoch = 0;
    std::optional<std::string> msg_id;
    std::optional<std::string> issued_at;
    std::optional<std::string> task;
    Elapsed elapsed;
    std::optional<ReplyTo> reply;
    friend bool operator==(const ResultMessage&, const ResultMessage&) = default;
};

}  // namespace liftwarden::core
