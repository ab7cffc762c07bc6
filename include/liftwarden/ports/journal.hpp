#pragma once

#include <liftwarden/core/event.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/journal.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::ports {

using OutboxId = core::Number<struct OutboxTag, std::uint64_t>;

// A message that must reach the broker even if that takes days. Ids grow; 0 means not stored yet.
struct OutboxMessage {
    OutboxId id;
    std::string topic;
    std::string payload;
    std::optional<std::string> correlation;  // raw bytes
    friend bool operator==(const OutboxMessage&, const OutboxMessage&) = default;
};

// One transaction. `writes` holds no ResultMessage: those have become `outbox`.
struct JournalBatch {
    core::Ticket ticket;
    std::vector<core::JournalWrite> writes;
    std::vector<OutboxMessage> outbox;
    bool urgent = true;  // false: may wait up to a second for company
};

struct JournalStatus {
    std::uint64_t commands = 0;
    std::uint64_t outbox = 0;
    std::uint64_t commits = 0;
    std::uint64_t file_bytes = 0;
    bool accepting = true;
    bool reserve = true;  // disk space is kept for outcomes
};

// What the journal has to tell besides core events. Called on the journal thread; must not block.
class JournalSink {
  public:
    virtual ~JournalSink() = default;
    // Unconfirmed outbox messages in id order: after each commit that added some, and as the answer
    // to fetch_outbox.
    virtual void outbox(std::vector<OutboxMessage> messages) = 0;
};

// The ledger, the elevators' durable state, the outbox and the audit trail in one file, behind one
// thread. Calls enqueue and never block; answers are core events (CommandReceived with its ledger
// row, Committed, JournalPressure) in the order of the calls, a batch that is not urgent counting
// from its commit. What was reported Committed survives power loss. On an I/O error or a corrupt
// page it ends the process with _exit: nothing after it may be acknowledged. Called by any thread.
class Journal {
  public:
    virtual ~Journal() = default;
    // Adds what the ledger knows of the command's seq and posts the event to the core.
    virtual void look_up(core::CommandReceived event) = 0;
    virtual void commit(JournalBatch batch) = 0;
    // The broker has confirmed it; not urgent.
    virtual void published(OutboxId id) = 0;
    // Up to `limit` messages with an id above `after`.
    virtual void fetch_outbox(OutboxId after, std::size_t limit) = 0;
    [[nodiscard]] virtual JournalStatus status() const = 0;
    // See ElevatorLink::heartbeats.
    [[nodiscard]] virtual std::uint64_t heartbeats() const = 0;
};

}  // namespace liftwarden::ports
