// A real journal in a temporary directory, with a clock and sinks that tests can look into.
#pragma once

#include "src/adapters/sqlite/journal.hpp"
#include "tests/support/files.hpp"
#include "tests/support/wait.hpp"

#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/event_sink.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace liftwarden::test {

// Stands still until told otherwise. Any thread.
class StillClock final : public ports::Clock {
  public:
    [[nodiscard]] core::TimePoint now() const override {
        return core::TimePoint(std::chrono::milliseconds(now_ms));
    }
    [[nodiscard]] core::WallTime wall() const override {
        return core::WallTime(std::chrono::milliseconds(wall_ms));
    }
    [[nodiscard]] bool wall_is_synchronised() const override { return true; }

    std::atomic<std::int64_t> now_ms{1'000'000};
    std::atomic<std::int64_t> wall_ms{1'777'732'321'000};
};

// Everything the journal said, in order. Any thread.
class Told final : public ports::EventSink, public ports::JournalSink {
  public:
    void post(core::Event event) override;
    void outbox(std::vector<ports::OutboxMessage> messages) override;

    [[nodiscard]] std::vector<core::Event> events() const;
    // One word an event: "committed 3", "received 7", "received 7 acked", "pressure on"/"off".
    [[nodiscard]] std::vector<std::string> words() const;
    [[nodiscard]] std::vector<ports::OutboxMessage> messages() const;
    [[nodiscard]] std::size_t outbox_calls() const;
    [[nodiscard]] std::vector<std::uint64_t> committed() const;
    [[nodiscard]] bool has_committed(std::uint64_t ticket) const;
    // The last JournalPressure; true if there was none.
    [[nodiscard]] bool accepting() const;

    // Waits until `condition` holds, asking after each answer; returns what it last said.
    template <class Condition>
    [[nodiscard]] bool wait(Condition condition, Millis limit = 10s) const {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        for (std::size_t seen = answers(); !condition(); seen = answers()) {
            std::unique_lock lock(mutex_);
            // A short beat for conditions on something else than an answer.
            changed_.wait_for(lock, 20ms, [&] { return answers_ != seen; });
            if (std::chrono::steady_clock::now() >= deadline) {
                lock.unlock();
                return condition();
            }
        }
        return true;
    }

    std::function<void(const core::Event&)> on_event;  // on the journal thread

  private:
    [[nodiscard]] std::size_t answers() const;

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t answers_ = 0;
    std::uint64_t newest_ticket_ = 0;
    std::vector<core::Event> events_;
    std::vector<ports::OutboxMessage> messages_;
    std::size_t outbox_calls_ = 0;
};

// Owns what a journal needs; open() may be called again and again on the same directory.
class JournalFixture {
  public:
    JournalFixture();

    // Opens (closing the one before) with fresh sinks, and requires success.
    void open();
    // Opens and returns the error.
    [[nodiscard]] core::Error open_error();
    void close() { journal.reset(); }

    // Commits one urgent batch and waits for it.
    void commit(std::vector<core::JournalWrite> writes,
                std::vector<ports::OutboxMessage> outbox = {});
    // Enqueues only; returns its ticket.
    std::uint64_t enqueue(std::vector<core::JournalWrite> writes,
                          std::vector<ports::OutboxMessage> outbox = {},
                          bool urgent = true);
    void look_up(const std::string& elevator, const std::string& seq, std::uint64_t delivery);
    [[nodiscard]] bool wait_committed(std::uint64_t ticket);
    [[nodiscard]] std::optional<core::CommandRow> row(const std::string& elevator,
                                                      const std::string& seq);

    TempDir dir;
    ports::JournalSettings settings;
    std::string boot_id = "boot-1";
    std::vector<core::ElevatorId> elevators{core::ElevatorId("EL1"), core::ElevatorId("EL2")};
    sqlite::SqliteJournal::Hooks hooks;
    StillClock clock;
    std::unique_ptr<Told> told = std::make_unique<Told>();
    sqlite::Opened opened;
    std::unique_ptr<sqlite::SqliteJournal> journal;
    std::uint64_t last_ticket = 0;
};

[[nodiscard]] core::CommandRow command_row(const std::string& elevator,
                                           const std::string& seq,
                                           core::Status status = core::Status::accepted,
                                           const std::string& detail = "");
[[nodiscard]] core::ElevatorRow elevator_row(const std::string& elevator, std::uint64_t epoch = 0);
[[nodiscard]] core::Alarm alarm(const std::string& elevator,
                                const std::string& kind,
                                const std::string& detail = "");
[[nodiscard]] ports::OutboxMessage message(const std::string& topic, const std::string& payload);

// Runs SQL on a closed journal's file.
void run_sql(const std::string& path, const std::string& sql);

}  // namespace liftwarden::test
