// The journal thread.
#pragma once

#include "src/adapters/sqlite/contact_file.hpp"
#include "src/adapters/sqlite/files.hpp"
#include "src/adapters/sqlite/group_commit.hpp"
#include "src/adapters/sqlite/log_scan.hpp"
#include "src/adapters/sqlite/opening.hpp"
#include "src/adapters/sqlite/space.hpp"

#include <liftwarden/ports/settings.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace liftwarden::sqlite {

// What other threads may look at.
struct Counters {
    std::atomic<std::uint64_t> commands{0};
    std::atomic<std::uint64_t> outbox{0};
    std::atomic<std::uint64_t> commits{0};
    std::atomic<std::uint64_t> file_bytes{0};
    std::atomic<bool> accepting{true};
    std::atomic<bool> reserve{false};
    std::atomic<std::uint64_t> heartbeats{0};
};

// Owns the connection and everything prepared on it. Made and filled by the opening thread; run()
// is the journal thread's whole life. Requests first; in between, one slice at a time, retention,
// checkpoints and log queries.
class Worker {
  public:
    struct Outside {
        const ports::Clock& clock;
        ports::EventSink& events;
        ports::JournalSink& sink;
        RequestQueue& queue;
        Counters& counters;
        std::function<void(const std::string&)> fatal;
    };

    // Throws SqlError.
    Worker(std::unique_ptr<Connection> connection,
           const ports::JournalSettings& settings,
           std::string boot_id,
           Outside outside);

    [[nodiscard]] Store& store() { return store_; }
    // Of the process before this one.
    [[nodiscard]] std::optional<core::TimePoint> saved_contact() const { return contact_.load(); }

    // Until the queue is closed and drained, or the first failure, after which nothing is answered.
    void run() noexcept;

  private:
    using SteadyTime = std::chrono::steady_clock::time_point;
    struct PendingScan {
        std::unique_ptr<LogScan> scan;
        LogReply reply;
    };

    void serve();
    void take(Request request);
    void start_scan(ReadLog request);
    void background();
    bool scan_slice();
    void checkpoint_if_due(bool idle);
    [[nodiscard]] bool unless_full(const std::function<void()>& work);
    void look_at_space();
    void publish_counters();
    void close();
    void die(const std::string& text, bool corruption) noexcept;
    [[nodiscard]] SteadyTime next_wake() const;

    std::unique_ptr<Connection> connection_;
    JournalFiles files_;
    ContactFile contact_;
    Outside outside_;
    Store store_;
    SpaceGuard space_;
    Retention retention_;
    GroupCommit group_;
    std::deque<PendingScan> scans_;
    SteadyTime next_prune_;
    SteadyTime next_slice_;  // while requests keep coming
    SteadyTime last_request_;
    SteadyTime not_before_;  // tidying, after the disk was found full
    bool pruning_ = false;
};

}  // namespace liftwarden::sqlite
