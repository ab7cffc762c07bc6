// kill -9 in the middle of the work, again and again on the same file.
#include "tests/component/sqlite/journal_fixture.hpp"

#include <catch2/catch.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

namespace liftwarden::test {
namespace {

using core::Status;

// A process that commits batch after batch, several at a time, and writes the number of each one to
// a pipe once it was reported committed. A batch is two commands, the elevator's row and a message.
class Writer {
  public:
    Writer(JournalFixture& f, std::uint64_t first, rlim_t file_limit = RLIM_INFINITY) {
        int ends[2];
        REQUIRE(pipe(ends) == 0);
        child_ = fork();
        if (child_ == 0) {
            close(ends[0]);
            write_for_ever(f, first, file_limit, ends[1]);
        }
        close(ends[1]);
        reports_ = ends[0];
    }
    ~Writer() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        close(reports_);
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    // Waits for `count` reports; the last one. 0: the process ended.
    std::uint64_t read_reports(int count) {
        for (int i = 0; i < count; ++i) {
            std::uint64_t number = 0;
            if (read(reports_, &number, sizeof number) != sizeof number) {
                return 0;
            }
            last_ = number;
        }
        return last_;
    }
    // Kills it, and returns the last number it had reported.
    std::uint64_t kill() {
        ::kill(child_, SIGKILL);
        (void)finish();
        return last_;
    }
    // Reads all there is and returns the wait status.
    int finish() {
        while (read_reports(1) != 0) {
        }
        int status = 0;
        waitpid(child_, &status, 0);
        child_ = -1;
        return status;
    }
    [[nodiscard]] std::uint64_t last() const { return last_; }

  private:
    [[noreturn]] static void write_for_ever(JournalFixture& f,
                                            std::uint64_t first,
                                            rlim_t file_limit,
                                            int reports) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{file_limit, file_limit};
        setrlimit(RLIMIT_FSIZE, &limit);
        f.open();
        f.told->on_event = [reports](const core::Event& event) {
            const std::uint64_t number = std::get<core::Committed>(event).ticket.value();
            if (write(reports, &number, sizeof number) != sizeof number) {
                _exit(1);
            }
        };
        f.last_ticket = first - 1;
        while (true) {
            const std::string number = std::to_string(f.last_ticket + 1);
            const std::uint64_t ticket = f.enqueue({command_row("EL1", number + "a"),
                                                    command_row("EL2", number + "b", Status::acked),
                                                    elevator_row("EL1", f.last_ticket + 1)},
                                                   {message("result", number)});
            if (ticket % 8 == 0 && !f.wait_committed(ticket - 4)) {
                _exit(2);
            }
        }
    }

    pid_t child_ = -1;
    int reports_ = -1;
    std::uint64_t last_ = 0;
};

// Every batch up to `reported` is there, later ones wholly or not at all. Returns the last one.
std::uint64_t check_batches(JournalFixture& f, std::uint64_t reported) {
    f.open();
    CHECK_FALSE(f.opened.recovered.ledger_lost);
    const auto& recovered = f.opened.recovered;
    const std::uint64_t last = recovered.elevators.empty() ? 0 : recovered.elevators[0].epoch;
    CHECK(last >= reported);
    REQUIRE(recovered.open_commands.size() == last);
    for (std::uint64_t n = 1; n <= last; ++n) {
        REQUIRE(recovered.open_commands[n - 1].command.seq.str() == std::to_string(n) + "a");
    }
    for (std::uint64_t n = last > 20 ? last - 20 : 1; n <= last; ++n) {
        CHECK(f.row("EL2", std::to_string(n) + "b"));
    }
    CHECK_FALSE(f.row("EL2", std::to_string(last + 1) + "b"));
    CHECK(f.journal->status().outbox == last);
    CHECK(f.journal->status().commands == 2 * last);
    f.close();
    return last;
}

TEST_CASE("crash: what was reported survives kill -9, and half a batch never appears",
          "[sqlite][crash]") {
    JournalFixture f;
    std::mt19937 random(20260502);
    std::uint64_t last = 0;
    for (int round = 0; round < 25; ++round) {
        CAPTURE(round, last);
        Writer writer(f, last + 1);
        REQUIRE(writer.read_reports(1 + static_cast<int>(random() % 40)) > last);
        usleep(static_cast<useconds_t>(random() % 4000));  // any moment will do
        last = check_batches(f, writer.kill());
    }
    CHECK(last > 100);
}

TEST_CASE("crash: a file that may not grow ends the process with 74, losing nothing reported",
          "[sqlite][crash]") {
    JournalFixture f;
    f.settings.max_bytes = 64ULL << 20;
    Writer writer(f, 1, 9ULL << 20);  // room for the reserve
    const int status = writer.finish();
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 74);
    CHECK(writer.last() > 100);
    CHECK(check_batches(f, writer.last()) >= writer.last());
}

}  // namespace
}  // namespace liftwarden::test
