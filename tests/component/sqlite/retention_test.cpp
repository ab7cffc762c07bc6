#include "tests/component/sqlite/journal_fixture.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::Status;

constexpr std::int64_t minute = 60'000;

JournalFixture& hour(JournalFixture& f) {
    f.settings.retention = 1h;
    return f;
}

// Opens and waits for the first look at what is old.
void open_and_prune(JournalFixture& f) {
    f.open();
    const auto before = f.journal->heartbeats();
    REQUIRE(wait_until([&] { return f.journal->heartbeats() > before + 4; }));
}

TEST_CASE("retention: finished commands are forgotten after the retention, open ones never",
          "[sqlite][retention]") {
    JournalFixture f;
    hour(f).open();
    f.commit({command_row("EL1", "open", Status::unknown), command_row("EL1", "1", Status::acked)});
    f.commit({command_row("EL1", "2", Status::rejected), alarm("EL1", "lock_out")});
    f.clock.now_ms += 59 * minute;
    open_and_prune(f);
    CHECK(f.row("EL1", "1"));
    CHECK(f.journal->status().commands == 3);
    f.commit({command_row("EL1", "young", Status::acked)});
    f.clock.now_ms += 2 * minute;
    open_and_prune(f);
    CHECK(wait_until([&] { return f.journal->status().commands == 2; }));
    CHECK_FALSE(f.row("EL1", "1"));
    CHECK_FALSE(f.row("EL1", "2"));
    CHECK(f.row("EL1", "open"));
    CHECK(f.row("EL1", "young"));
    f.close();
    const auto log = sqlite::read_log(f.settings.path, {});
    REQUIRE(log.has_value());
    CHECK(log->size() == 2);  // the alarm is gone too
    f.open();
    CHECK(f.journal->status().commands == 2);
}

TEST_CASE("retention: a command that ended late is kept from its end", "[sqlite][retention]") {
    JournalFixture f;
    hour(f).open();
    f.commit({command_row("EL1", "1", Status::unknown), command_row("EL1", "2", Status::acked)});
    f.clock.now_ms += 50 * minute;
    f.commit({command_row("EL1", "1", Status::failed)});
    f.clock.now_ms += 20 * minute;
    open_and_prune(f);
    CHECK(f.row("EL1", "1"));
    CHECK_FALSE(f.row("EL1", "2"));
}

TEST_CASE("retention: a stepped wall clock forgets nothing", "[sqlite][retention]") {
    JournalFixture f;
    hour(f).open();
    f.commit({command_row("EL1", "1", Status::acked)});
    f.clock.wall_ms += 365LL * 24 * 60 * minute;
    open_and_prune(f);
    CHECK(f.row("EL1", "1"));
}

TEST_CASE("retention: uptime adds up over boots, and time switched off does not count",
          "[sqlite][retention]") {
    JournalFixture f;
    hour(f).open();
    f.commit({command_row("EL1", "1", Status::acked)});
    f.clock.now_ms += 40 * minute;
    f.close();
    f.boot_id = "boot-2";
    f.clock.now_ms = 5000;
    open_and_prune(f);
    CHECK(f.row("EL1", "1"));
    f.clock.now_ms += 15 * minute;
    f.close();
    f.boot_id = "boot-3";
    f.clock.now_ms = 900 * minute;  // up for long before the journal was opened: not counted
    open_and_prune(f);
    CHECK(f.row("EL1", "1"));
    f.clock.now_ms += 6 * minute;
    open_and_prune(f);
    CHECK_FALSE(f.row("EL1", "1"));
}

TEST_CASE("retention: thousands of old rows go in slices while commands are served",
          "[sqlite][retention]") {
    JournalFixture f;
    hour(f).open();
    for (int n = 0; n < 6000; ++n) {
        f.enqueue({command_row("EL1", std::to_string(n), Status::acked)});
    }
    REQUIRE(f.wait_committed(f.last_ticket));
    f.clock.now_ms += 120 * minute;
    f.open();
    int during = 0;
    REQUIRE(f.told->wait(
        [&] {
            f.commit({command_row("EL2", std::to_string(during), Status::acked)});
            const std::uint64_t left = f.journal->status().commands;
            during += left > 1000 && left < 6000 ? 1 : 0;
            return left <= static_cast<std::uint64_t>(during) + 1000;
        },
        60s));
    CHECK(during > 2);
    CHECK(wait_until([&] { return !f.row("EL1", "5999"); }));
}

}  // namespace
}  // namespace liftwarden::test
