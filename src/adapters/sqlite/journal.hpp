// The journal on SQLite.
#pragma once

#include "src/adapters/sqlite/log_query.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/event_sink.hpp>
#include <liftwarden/ports/journal.hpp>
#include <liftwarden/ports/settings.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sqlite {

struct Opened;

// ports::Journal in one SQLite file: write-ahead log, every commit synced, one exclusive connection
// in one thread that blocks all signals. Owned by the app; calls from any thread. The destructor
// commits everything that was queued and answers it, so clock, sinks and hooks must outlive the
// object. Do not fork while one is open, and open no path twice in a process: both break the file's
// lock.
class SqliteJournal final : public ports::Journal {
  public:
    // Seams for tests.
    struct Hooks {
        std::string vfs;  // SQLite VFS to use; empty: the default
        // Gets the last words on a failure of the device or the file. Empty: one line on stderr,
        // then _exit(74). When a handler returns, the journal answers nothing more.
        std::function<void(const std::string&)> fatal;
    };

    // Opens or creates the journal; blocks for some 10 ms, and 2 s while another process holds it.
    // `elevators`: all that are configured; a lost ledger stays remembered in the file until a row
    // of each of them was written. `boot_id`: the kernel's. Errors name path and cause: directory
    // missing, held by a process (transient), not a journal or of a newer format (permanent).
    // Damage is no error: the file is set aside and `recovered.ledger_lost` says so.
    [[nodiscard]] static core::Result<Opened> open(const ports::JournalSettings& settings,
                                                   const std::string& boot_id,
                                                   const std::vector<core::ElevatorId>& elevators,
                                                   const ports::Clock& clock,
                                                   ports::EventSink& events,
                                                   ports::JournalSink& sink,
                                                   Hooks hooks);
    ~SqliteJournal() override;

    void look_up(core::CommandReceived event) override;
    void commit(ports::JournalBatch batch) override;
    void published(ports::OutboxId id) override;
    void fetch_outbox(ports::OutboxId after, std::size_t limit) override;
    [[nodiscard]] ports::JournalStatus status() const override;
    [[nodiscard]] std::uint64_t heartbeats() const override;

    // Remembers, outside the ledger, until when the broker was heard
    // (ports::BrokerStatus::contact). It outlives the process but not the machine: written at once,
    // without a sync, so it may come as often as once a second.
    void save_contact(core::TimePoint contact);

    // Answers `liftwarden log` while the daemon runs, in slices of at most 5 ms between commits.
    // `reply` runs on the journal thread and must not block.
    void read_log(LogFilter filter, LogReply reply);

  private:
    struct Impl;
    explicit SqliteJournal(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

// What opening gives. Outbox ids are 0 when everything was confirmed.
struct Opened {
    std::unique_ptr<SqliteJournal> journal;
    core::Recovered recovered;
    ports::OutboxId oldest_outbox;
    ports::OutboxId newest_outbox;
    // What save_contact() got last, in this boot; nullopt: nothing.
    std::optional<core::TimePoint> contact;
    std::vector<std::string> notes;  // what was done to damaged files, for the log
};

}  // namespace liftwarden::sqlite
