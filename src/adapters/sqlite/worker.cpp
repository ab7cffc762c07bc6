#include "src/adapters/sqlite/worker.hpp"

#include <algorithm>
#include <exception>
#include <utility>
#include <variant>

namespace liftwarden::sqlite {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t most_in_a_round = 512;
constexpr auto beat = 500ms;        // heartbeats and the look at free space
constexpr auto slice_budget = 5ms;  // of anything that is not a request
constexpr auto slice_gap = 50ms;    // between slices while requests keep coming
constexpr std::size_t most_scans = 8;
constexpr auto prune_period = 60s;
constexpr int full_wal_frames = 1000;  // SQLite's own default for its automatic checkpoint
constexpr int idle_wal_frames = 500;   // worth a checkpoint when nobody is waiting
constexpr int tight_wal_frames = 32;   // on a disk that is nearly full
constexpr auto pause_when_full = 1s;   // before tidying is tried again
constexpr auto idle_before_checkpoint = 5s;

// A row of the audit trail takes about 150 bytes: it gets about a tenth of the file.
std::uint64_t audit_limit(std::uint64_t max_bytes) {
    return max_bytes / 2048;
}

}  // namespace

Worker::Worker(std::unique_ptr<Connection> connection,
               const ports::JournalSettings& settings,
               std::string boot_id,
               Outside outside)
    : connection_(std::move(connection)),
      files_(settings.path),
      contact_(files_.contact(), boot_id),
      outside_(std::move(outside)),
      store_(*connection_),
      space_(*connection_, files_, settings.max_bytes),
      retention_(*connection_,
                 store_,
                 settings.retention,
                 audit_limit(settings.max_bytes),
                 std::move(boot_id),
                 outside_.clock.now()),
      group_(*connection_, store_, retention_, outside_.clock, outside_.events, outside_.sink),
      next_prune_(steady_clock::now() + beat),
      next_slice_(steady_clock::now()),
      last_request_(steady_clock::now()),
      not_before_(steady_clock::now()) {
    group_.set_alarm_room(space_.alarm_room());
    outside_.counters.accepting = space_.accepting();
    publish_counters();
}

void Worker::run() noexcept {
    try {
        if (!space_.accepting()) {
            outside_.events.post(core::JournalPressure{false});
        }
        while (!outside_.queue.drained()) {
            serve();
        }
        close();
    } catch (const SqlError& error) {
        die(error.text, error.is_corruption());
    } catch (const std::exception& error) {
        die(error.what(), false);
    }
}

void Worker::serve() {
    std::vector<Request> requests = outside_.queue.take(most_in_a_round, next_wake());
    const SteadyTime now = steady_clock::now();
    outside_.counters.heartbeats.fetch_add(1, std::memory_order_relaxed);
    for (Request& request : requests) {
        take(std::move(request));
    }
    if (group_.finish(now)) {
        outside_.counters.commits.fetch_add(1, std::memory_order_relaxed);
    }
    const bool idle = std::all_of(requests.begin(), requests.end(), [](const Request& request) {
        return std::holds_alternative<SaveContact>(request);  // comes every second
    });
    if (!idle) {
        last_request_ = now;
    }
    look_at_space();
    checkpoint_if_due(idle);
    if (idle || now >= next_slice_) {
        background();
        next_slice_ = steady_clock::now() + slice_gap;
    }
    publish_counters();
}

void Worker::take(Request request) {
    std::visit(
        [this](auto&& item) {
            if constexpr (std::is_same_v<std::decay_t<decltype(item)>, ReadLog>) {
                start_scan(std::move(item));
            } else if constexpr (std::is_same_v<std::decay_t<decltype(item)>, SaveContact>) {
                contact_.save(item.contact);
            } else {
                group_.take(std::move(item));
            }
        },
        std::move(request));
}

void Worker::start_scan(ReadLog request) {
    if (scans_.size() >= most_scans) {
        request.reply(core::Error{core::ErrorClass::transient,
                                  "too many questions to the journal at once; ask again"});
        return;
    }
    scans_.push_back({std::make_unique<LogScan>(*connection_, std::move(request.filter)),
                      std::move(request.reply)});
}

void Worker::background() {
    if (scan_slice()) {
        return;
    }
    if (steady_clock::now() >= next_prune_ || pruning_) {
        pruning_ =
            unless_full([this] { pruning_ = retention_.slice(outside_.clock.now()); }) && pruning_;
        next_prune_ = steady_clock::now() + prune_period;
    }
}

bool Worker::scan_slice() {
    if (scans_.empty()) {
        return false;
    }
    PendingScan& first = scans_.front();
    if (first.scan->slice(steady_clock::now() + slice_budget)) {
        const LogReply reply = std::move(first.reply);
        LogEntries entries = first.scan->take();
        scans_.pop_front();
        reply(std::move(entries));
    }
    return true;
}

void Worker::checkpoint_if_due(bool idle) {
    const int frames = connection_->wal_frames();
    const SteadyTime now = steady_clock::now();
    const bool quiet = idle && now - last_request_ >= idle_before_checkpoint;
    const bool due = frames >= full_wal_frames || (quiet && frames >= idle_wal_frames) ||
                     (space_.disk_is_tight() && frames >= tight_wal_frames);
    if (due && now >= not_before_ && !unless_full([this] { connection_->checkpoint(false); })) {
        not_before_ = now + pause_when_full;
    }
}

// Work that only tidies up must not end the process because the disk is full. False: it was.
bool Worker::unless_full(const std::function<void()>& work) {
    try {
        work();
        return true;
    } catch (const SqlError& error) {
        if (error.primary() != SQLITE_FULL) {
            throw;
        }
        return false;
    }
}

void Worker::look_at_space() {
    if (space_.refresh()) {
        outside_.counters.accepting = space_.accepting();
        outside_.events.post(core::JournalPressure{space_.accepting()});
    }
    group_.set_alarm_room(space_.alarm_room());
}

void Worker::publish_counters() {
    outside_.counters.commands = store_.commands();
    outside_.counters.outbox = store_.outbox_rows();
    outside_.counters.file_bytes = space_.file_bytes();
    outside_.counters.reserve = space_.has_reserve();
}

void Worker::close() {
    group_.finish_all();
    (void)unless_full([this] { connection_->checkpoint(true); });
    for (PendingScan& pending : std::exchange(scans_, {})) {
        pending.reply(core::Error{core::ErrorClass::transient, "the journal is being closed"});
    }
}

void Worker::die(const std::string& text, bool corruption) noexcept {
    if (corruption) {
        files_.mark_suspect();
    }
    outside_.fatal("journal " + files_.database() + ": " + text +
                   "; ending, nothing more is acknowledged");
    outside_.queue.close();
    while (!outside_.queue.drained()) {
        (void)outside_.queue.take(most_in_a_round, steady_clock::now());
    }
}

Worker::SteadyTime Worker::next_wake() const {
    const SteadyTime now = steady_clock::now();
    if (!scans_.empty() || pruning_) {
        return now;
    }
    return std::min({now + beat, group_.due(), next_prune_});
}

}  // namespace liftwarden::sqlite
