// Everything the core can ask for. Actions of one call are carried out in their order.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/observation.hpp>
#include <liftwarden/core/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace liftwarden::core {

// The MQTT message may now be acknowledged to the broker.
struct Settle {
    DeliveryId delivery;
    friend bool operator==(const Settle&, const Settle&) = default;
};

// Commit all of `writes` in one transaction, then say Committed{ticket}. `urgent` false: nobody
// waits for it, it may ride along with the next commit (at most a second later).
struct Commit {
    Ticket ticket;
    std::vector<JournalWrite> writes;
    bool urgent = true;
    friend bool operator==(const Commit&, const Commit&) = default;
};

// Publish now, without the outbox: may be lost with the process, the sender then asks again.
struct PublishResult {
    ResultMessage message;
    friend bool operator==(const PublishResult&, const PublishResult&) = default;
};

// Take the bus for this elevator, read state and acknowledgement, answer GrantOpened and hold the
// bus until WriteCommand or ReleaseGrant, at most a little over bus_wait_max.
struct RequestGrant {
    ElevatorId elevator;
    GrantId grant;
    friend bool operator==(const RequestGrant&, const RequestGrant&) = default;
};

struct ReleaseGrant {
    ElevatorId elevator;
    GrantId grant;
    friend bool operator==(const ReleaseGrant&, const ReleaseGrant&) = default;
};

// Verify the claim by one atomic read; answer LockChecked.
struct CheckLock {
    ElevatorId elevator;
    GrantId grant;
    LockClaim claim;
    friend bool operator==(const CheckLock&, const CheckLock&) = default;
};

// Hold the elevator's lock in the site's own format for `lease`: take it if it is free, renew it if
// `holder` has it already, leave everybody else alone; answer LockMoved.
struct HoldLock {
    ElevatorId elevator;
    std::string holder;
    Duration lease{};
    friend bool operator==(const HoldLock&, const HoldLock&) = default;
};

// Raise the counter to at least `counter` (redisson_fenced), then, if `holder` has the lock, delete
// it and wake who waits for it, all at once; answer LockMoved{returned}.
struct ReturnLock {
    ElevatorId elevator;
    std::string holder;
    std::int64_t counter = 0;
    friend bool operator==(const ReturnLock&, const ReturnLock&) = default;
};

// Write inside the grant unless `not_after` has passed; answer WriteDone.
struct WriteCommand {
    ElevatorId elevator;
    GrantId grant;
    WireCommand command;
    TimePoint not_after{};
    friend bool operator==(const WriteCommand&, const WriteCommand&) = default;
};

// Read before polling's turn; answer Observed or ReadFailed.
struct RequestRead {
    ElevatorId elevator;
    ReadKind kind = ReadKind::full;
    friend bool operator==(const RequestRead&, const RequestRead&) = default;
};

// Write the heartbeat register; no answer is awaited, its read-back comes with the readings.
struct WriteHeartbeat {
    ElevatorId elevator;
    std::uint16_t value = 0;
    friend bool operator==(const WriteHeartbeat&, const WriteHeartbeat&) = default;
};

// Close the elevator's connection abortively, so that nothing old can still arrive.
struct ResetLink {
    ElevatorId elevator;
    friend bool operator==(const ResetLink&, const ResetLink&) = default;
};

enum class Channel { ready, in_flight, verifying, locked_out };
[[nodiscard]] const char* to_string(Channel channel);

enum class Quality { good, stale, unknown };
[[nodiscard]] const char* to_string(Quality quality);

// The retained `state` topic. `observed_at` gives the age where it is rendered.
struct StateView {
    ElevatorId elevator;
    Phase phase = Phase::offline;
    std::optional<Observation> observation;  // the last one, however old
    Channel channel = Channel::ready;
    Quality quality = Quality::unknown;
    std::uint32_t queue = 0;
    std::optional<TimePoint> observed_at;
    friend bool operator==(const StateView&, const StateView&) = default;
};

struct QueueEntry {
    Seq seq;
    SourceId source;
    std::uint32_t position = 0;  // 1 is next
    friend bool operator==(const QueueEntry&, const QueueEntry&) = default;
};

// The retained `session` topic.
struct SessionView {
    ElevatorId elevator;
    ArbitrationMode mode = ArbitrationMode::standalone;
    std::uint64_t epoch = 0;
    std::optional<Party> owner;
    std::vector<QueueEntry> queue;
    friend bool operator==(const SessionView&, const SessionView&) = default;
};

struct PublishState {
    StateView view;
    friend bool operator==(const PublishState&, const PublishState&) = default;
};

struct PublishSession {
    SessionView view;
    friend bool operator==(const PublishSession&, const PublishSession&) = default;
};

// Publish on the event topic and log. What must also be durable is in a Commit as an Alarm.
struct Raise {
    Alarm alarm;
    friend bool operator==(const Raise&, const Raise&) = default;
};

// Answer to ResetRequested.
struct ControlReply {
    RequestId request;
    bool ok = false;
    std::string text;
    friend bool operator==(const ControlReply&, const ControlReply&) = default;
};

using Action = std::variant<Settle,
                            Commit,
                            PublishResult,
                            RequestGrant,
                            ReleaseGrant,
                            CheckLock,
                            HoldLock,
                            ReturnLock,
                            WriteCommand,
                            RequestRead,
                            WriteHeartbeat,
                            ResetLink,
                            PublishState,
                            PublishSession,
                            Raise,
                            ControlReply>;

using Actions = std::vector<Action>;

}  // namespace liftwarden::core
