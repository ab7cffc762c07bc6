// Running out of room, by the journal's own limit and by the disk.
#include "tests/component/sqlite/journal_fixture.hpp"
#include "tests/support/tiny_disk.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <thread>

namespace liftwarden::test {
namespace {

namespace fs = std::filesystem;
using core::Status;

constexpr std::uint64_t small = 1 << 20;

// Commits commands, ten at a time, until the journal says stop. Returns how many.
int fill_until_refused(JournalFixture& f, Status status) {
    int n = 0;
    while (f.told->accepting() && n < 5000) {
        std::vector<core::JournalWrite> rows;
        for (int i = 0; i < 10; ++i) {
            rows.emplace_back(command_row("EL1", std::to_string(n++), status));
        }
        f.commit(std::move(rows));
    }
    return n;
}

TEST_CASE("space: at the high-water mark new commands stop, and every outcome still fits",
          "[sqlite][space]") {
    JournalFixture f;
    std::atomic<int> deaths{0};
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    f.settings.max_bytes = small;
    f.open();
    const int accepted = fill_until_refused(f, Status::accepted);
    REQUIRE(accepted > 200);
    REQUIRE(accepted < 5000);
    CHECK_FALSE(f.journal->status().accepting);
    // As many as the queues of twenty elevators hold; the others were finished before.
    for (int n = accepted - 64; n < accepted; ++n) {
        const std::string seq = std::to_string(n);
        f.commit({command_row("EL1", seq, Status::sent)}, {message("result", "sent")});
        f.commit({command_row("EL1", seq, Status::acked, "what the PLC said, in a sentence"),
                  elevator_row("EL1", 1),
                  alarm("EL1", "queue_full", "somebody complains")},
                 {message("result", std::string(300, 'x'))});
    }
    CHECK(deaths == 0);
    f.open();
    CHECK(f.told->wait([&] { return !f.told->accepting(); }));  // still, and said at once
}

TEST_CASE("space: the journal accepts again when retention has made room", "[sqlite][space]") {
    JournalFixture f;
    f.settings.max_bytes = small;
    f.settings.retention = 1h;
    f.open();
    REQUIRE(fill_until_refused(f, Status::acked) < 5000);
    f.clock.now_ms += 7'200'000;
    f.open();
    REQUIRE(f.told->wait([&] { return !f.told->events().empty(); }));
    CHECK(f.told->words().front() == "pressure on");
    CHECK(f.told->wait([&] { return f.told->accepting(); }));
    CHECK(wait_until([&] { return f.journal->status().commands == 0; }));
}

TEST_CASE("space: the hard limit ends the journal, and nothing acknowledged is lost",
          "[sqlite][space]") {
    JournalFixture f;
    std::atomic<int> deaths{0};
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    f.settings.max_bytes = small;
    f.open();
    int acknowledged = 0;
    while (deaths == 0 && acknowledged < 5000) {
        const auto ticket = f.enqueue({command_row("EL1", std::to_string(acknowledged))});
        REQUIRE(f.told->wait([&] { return deaths > 0 || f.told->has_committed(ticket); }));
        acknowledged += f.told->has_committed(ticket) ? 1 : 0;
    }
    REQUIRE(deaths == 1);
    f.open();
    CHECK(f.opened.recovered.open_commands.size() == static_cast<std::size_t>(acknowledged));
    CHECK(f.told->wait([&] { return !f.told->accepting(); }));
}

TEST_CASE("space: a flood of alarms cannot fill the journal", "[sqlite][space]") {
    JournalFixture f;
    std::atomic<int> deaths{0};
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    f.settings.max_bytes = small;
    f.open();
    for (int n = 0; n < 20000; ++n) {
        f.enqueue({alarm("EL1", "seq_conflict", std::string(200, 'x'))}, {}, n % 100 == 99);
    }
    REQUIRE(f.told->wait([&] { return deaths > 0 || f.told->has_committed(20000); }, 60s));
    CHECK(deaths == 0);
    f.commit({command_row("EL1", "1")});
}

TEST_CASE("space: a disk filled by somebody else stops new commands, not outcomes",
          "[sqlite][space]") {
    JournalFixture f;
    const TinyDisk disk(f.dir.path());
    if (!disk.mounted()) {
        return;
    }
    std::atomic<int> deaths{0};
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    f.settings.max_bytes = 16 << 20;
    f.open();
    REQUIRE(fs::exists(f.settings.path + ".reserve"));
    f.commit({command_row("EL1", "1")});
    CHECK(f.told->accepting());
    disk.fill(100 << 10);
    CHECK(f.told->wait([&] { return !f.told->accepting(); }));
    CHECK(wait_until([&] { return !fs::exists(f.settings.path + ".reserve"); }));
    // The reserve is for these; without it the disk has no room for them.
    for (int n = 0; n < 20; ++n) {
        f.commit({command_row("EL1", "1", Status::acked), elevator_row("EL1", 1)},
                 {message("result", "acked")});
    }
    CHECK(deaths == 0);

    disk.fill(0);
    std::uint64_t last = 0;
    for (std::uint64_t n = 0; deaths == 0 && n < 2000; ++n) {
        const auto ticket =
            f.enqueue({elevator_row("EL1", n), command_row("EL2", std::to_string(n))});
        REQUIRE(f.told->wait([&] { return deaths > 0 || f.told->has_committed(ticket); }));
        last = f.told->has_committed(ticket) ? n : last;
    }
    CHECK(deaths == 1);
    f.close();
    disk.clear();
    f.open();
    CHECK(f.opened.recovered.elevators.at(0).epoch >= last);
    CHECK(f.opened.recovered.open_commands.size() >= last);
    CHECK(f.told->wait([&] { return f.told->accepting(); }));
}

TEST_CASE("space: on a small disk the reserve is small, and missing only where it must be",
          "[sqlite][space]") {
    JournalFixture f;
    const auto* size = GENERATE("12m", "100m");
    CAPTURE(size);
    const TinyDisk disk(f.dir.path(), size);
    if (!disk.mounted()) {
        return;
    }
    f.open();  // with the default limit, which is larger than the disk
    CHECK(fs::exists(f.settings.path + ".reserve"));
    CHECK(f.journal->status().reserve);
    CHECK(f.journal->status().accepting);
    f.commit({command_row("EL1", "1")});
    f.close();
    fs::remove(f.settings.path + ".reserve");
    disk.fill(1 << 20);
    f.open();
    CHECK_FALSE(f.journal->status().reserve);  // and this is how anybody gets to know
    disk.clear();
    CHECK(wait_until([&] { return f.journal->status().reserve; }));
}

// Between the look at the free space and the commit: the first answer holds the journal's thread
// until a round with two requests waits, and the answer to the first of those fills the disk.
TEST_CASE("space: a disk that fills up from one moment to the next costs no outcome",
          "[sqlite][space]") {
    JournalFixture f;
    const TinyDisk disk(f.dir.path());
    if (!disk.mounted()) {
        return;
    }
    std::atomic<int> deaths{0};
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    f.open();
    REQUIRE(fs::exists(f.settings.path + ".reserve"));
    f.commit({command_row("EL1", "1")});
    std::atomic<int> answers{0};
    std::atomic<bool> go_on{false};
    f.told->on_event = [&](const core::Event& event) {
        if (!std::holds_alternative<core::CommandReceived>(event)) {
            return;
        }
        if (++answers > 1) {
            disk.fill(0);
        }
        while (!go_on) {
            std::this_thread::sleep_for(1ms);
        }
    };
    f.look_up("EL1", "1", 1);
    REQUIRE(wait_until([&] { return answers == 1; }));
    f.look_up("EL1", "1", 2);
    const auto ticket = f.enqueue({command_row("EL1", "1", Status::acked), elevator_row("EL1", 1)},
                                  {message("result", std::string(2000, 'x'))});
    go_on = true;
    CHECK(f.wait_committed(ticket));
    CHECK(deaths == 0);
    CHECK_FALSE(fs::exists(f.settings.path + ".reserve"));
    CHECK(f.told->wait([&] { return !f.told->accepting(); }));
    // The disk stays full, and the outcomes of a whole queue still fit.
    for (int n = 0; n < 100; ++n) {
        f.commit({command_row("EL1", "1", Status::acked), elevator_row("EL1", 1)},
                 {message("result", "acked")});
        f.journal->published(ports::OutboxId(static_cast<std::uint64_t>(n) + 1));
    }
    CHECK(deaths == 0);
    f.open();
    CHECK(f.row("EL1", "1")->status == Status::acked);
}

TEST_CASE("space: the start on a full disk takes back the reserve", "[sqlite][space]") {
    JournalFixture f;
    const TinyDisk disk(f.dir.path());
    if (!disk.mounted()) {
        return;
    }
    std::atomic<int> deaths{0};
    f.hooks.fatal = [&](const std::string&) { ++deaths; };
    f.open();
    f.commit({command_row("EL1", "1")});
    f.close();
    disk.fill(0);
    REQUIRE(fs::exists(f.settings.path + ".reserve"));
    f.open();
    CHECK(f.opened.recovered.open_commands.size() == 1);
    f.commit({command_row("EL1", "1", Status::acked)}, {message("result", "acked")});
    CHECK(f.told->wait([&] { return !f.told->accepting(); }));
    CHECK(deaths == 0);
    f.open();  // once more, now without a reserve
    CHECK(f.opened.recovered.open_commands.empty());
    CHECK(deaths == 0);
}

}  // namespace
}  // namespace liftwarden::test
