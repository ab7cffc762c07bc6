// Many requests, one transaction, answers in the order of the calls.
#pragma once

#include "src/adapters/sqlite/requests.hpp"
#include "src/adapters/sqlite/retention.hpp"
#include "src/adapters/sqlite/store.hpp"

#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/event_sink.hpp>

#include <chrono>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace liftwarden::sqlite {

// One round of the journal thread: requests go in with take(), finish() makes them durable. An
// urgent batch opens the transaction, everything behind it joins. What nobody waits for is put off
// until the next transaction, at most a second, and keeps its place before the batches that came
// later. An answer that could show an uncommitted row waits for the commit; so the answers keep
// their order, except that those of put-off batches come with their commit. A look-up of a command
// that a put-off batch changes makes that batch urgent. Used by the journal thread; throws
// SqlError.
class GroupCommit {
  public:
    using SteadyTime = std::chrono::steady_clock::time_point;

    GroupCommit(Connection& connection,
                Store& store,
                Retention& retention,
                const ports::Clock& clock,
                ports::EventSink& events,
                ports::JournalSink& sink);

    void take(core::CommandReceived event);
    void take(ports::JournalBatch batch);
    void take(Published published);
    void take(FetchOutbox fetch);

    // When finish() has to be called even without a new request.
    [[nodiscard]] SteadyTime due() const;
    // Commits and answers, if a transaction is open or something put off is due. True: committed.
    bool finish(SteadyTime now);
    // Commits everything, the uptime too: the orderly end.
    void finish_all();

    // Bytes of alarms that may still be added; see SpaceGuard.
    void set_alarm_room(std::uint64_t bytes) { alarm_room_ = bytes; }

  private:
    using Reply = std::variant<core::Event, std::vector<ports::OutboxMessage>>;

    void begin();
    void commit();
    void save(SteadyTime now);
    void apply(const ports::JournalBatch& batch);
    void answer(Reply reply);
    void send(Reply reply);
    void put_off();
    [[nodiscard]] bool put_off_changes(const core::Command& command) const;

    Connection& connection_;
    Store& store_;
    Retention& retention_;
    const ports::Clock& clock_;
    ports::EventSink& events_;
    ports::JournalSink& sink_;
    std::uint64_t alarm_room_ = 0;

    std::optional<Transaction> transaction_;
    Stamp stamp_;                              // of this transaction
    ports::OutboxId first_new_;                // first outbox id of this transaction
    std::vector<ports::OutboxMessage> added_;  // by this transaction
    std::vector<Reply> replies_;               // held back until its commit

    std::vector<ports::JournalBatch> put_off_;
    std::set<ports::OutboxId> published_;
    std::optional<SteadyTime> put_off_until_;
    SteadyTime next_save_;
};

}  // namespace liftwarden::sqlite
