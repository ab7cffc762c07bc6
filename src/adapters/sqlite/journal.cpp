#include "src/adapters/sqlite/journal.hpp"

#include "src/adapters/sqlite/worker.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <utility>

namespace liftwarden::sqlite {
namespace {

constexpr int exit_io_error = 74;  // EX_IOERR of sysexits.h

void end_process(const std::string& text) {
    const std::string line = "liftwarden: " + text.substr(0, 1000) + "\n";
    // A log that nobody drains must not keep the process from ending.
    pollfd log{STDERR_FILENO, POLLOUT, 0};
    if (poll(&log, 1, 100) == 1) {
        (void)!write(STDERR_FILENO, line.data(), line.size());
    }
    _exit(exit_io_error);
}

// Signals are for the app's thread; a new thread inherits the mask of its maker.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_{};
};

// Judges and tends the mark of a lost ledger.
bool ledger_is_lost(Store& store,
                    const std::vector<core::ElevatorId>& configured,
                    const std::vector<core::ElevatorRow>& saved) {
    if (store.meta_integer("ledger_lost").value_or(0) == 0) {
        return false;
    }
    std::set<core::ElevatorId> missing(configured.begin(), configured.end());
    for (const core::ElevatorRow& row : saved) {
        missing.erase(row.elevator);
    }
    const bool lost = !missing.empty();
    store.expect_elevators(std::move(missing));
    return lost;
}

}  // namespace

struct SqliteJournal::Impl {
    RequestQueue queue;
    Counters counters;
    std::function<void(const std::string&)> fatal;
    std::unique_ptr<Worker> worker;
    std::jthread thread;

    void push(Request request) {
        if (queue.push(std::move(request)) == RequestQueue::Pushed::full) {
            fatal("journal: " + std::to_string(RequestQueue::most_requests) +
                  " requests are waiting; ending, nothing more is acknowledged");
        }
    }
};

SqliteJournal::SqliteJournal(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SqliteJournal::~SqliteJournal() {
    impl_->queue.close();
    impl_->thread.join();
}

core::Result<Opened> SqliteJournal::open(const ports::JournalSettings& settings,
                                         const std::string& boot_id,
                                         const std::vector<core::ElevatorId>& elevators,
                                         const ports::Clock& clock,
                                         ports::EventSink& events,
                                         ports::JournalSink& sink,
                                         Hooks hooks) {
    const JournalFiles files(settings.path);
    SpaceGuard::make_room(files, settings.max_bytes);
    auto file = open_file(files, hooks.vfs, clock.wall());
    if (!file) {
        return file.error();
    }
    auto impl = std::make_unique<Impl>();
    impl->fatal = hooks.fatal ? std::move(hooks.fatal) : end_process;
    Opened opened;
    try {
        const Worker::Outside outside{
            clock, events, sink, impl->queue, impl->counters, impl->fatal};
        Connection& connection = *file->connection;
        opened.oldest_outbox = ports::OutboxId(static_cast<std::uint64_t>(
            connection.integer("SELECT coalesce(min(id), 0) FROM outbox")));
        opened.newest_outbox = ports::OutboxId(static_cast<std::uint64_t>(
            connection.integer("SELECT coalesce(max(id), 0) FROM outbox")));
        impl->worker =
            std::make_unique<Worker>(std::move(file->connection), settings, boot_id, outside);
        file->recovered.ledger_lost =
            ledger_is_lost(impl->worker->store(), elevators, file->recovered.elevators);
    } catch (const SqlError& error) {
        return to_error(error, files);
    }
    opened.contact = impl->worker->saved_contact();
    opened.recovered = std::move(file->recovered);
    opened.notes = std::move(file->notes);
    {
        const SignalsBlocked blocked;
        impl->thread = std::jthread([worker = impl->worker.get()] { worker->run(); });
    }
    opened.journal.reset(new SqliteJournal(std::move(impl)));
    return opened;
}

void SqliteJournal::look_up(core::CommandReceived event) {
    impl_->push(std::move(event));
}

void SqliteJournal::commit(ports::JournalBatch batch) {
    impl_->push(std::move(batch));
}

void SqliteJournal::published(ports::OutboxId id) {
    impl_->push(Published{id});
}

void SqliteJournal::fetch_outbox(ports::OutboxId after, std::size_t limit) {
    impl_->push(FetchOutbox{after, limit});
}

ports::JournalStatus SqliteJournal::status() const {
    ports::JournalStatus status;
    status.commands = impl_->counters.commands;
    status.outbox = impl_->counters.outbox;
    status.commits = impl_->counters.commits;
    status.file_bytes = impl_->counters.file_bytes;
    status.accepting = impl_->counters.accepting;
    status.reserve = impl_->counters.reserve;
    return status;
}

std::uint64_t SqliteJournal::heartbeats() const {
    return impl_->counters.heartbeats;
}

void SqliteJournal::save_contact(core::TimePoint contact) {
    impl_->push(SaveContact{contact});
}

void SqliteJournal::read_log(LogFilter filter, LogReply reply) {
    impl_->push(ReadLog{std::move(filter), std::move(reply)});
}

}  // namespace liftwarden::sqlite
