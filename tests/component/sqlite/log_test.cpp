#include "tests/component/sqlite/journal_fixture.hpp"

#include <catch2/catch.hpp>

#include <optional>

namespace liftwarden::test {
namespace {

using core::Status;
using sqlite::LogEntries;
using sqlite::LogFilter;
using Words = std::vector<std::string>;

Words words(const LogEntries& entries) {
    Words words;
    for (const sqlite::LogEntry& entry : entries) {
        if (const auto* command = std::get_if<sqlite::LoggedCommand>(&entry.what)) {
            words.push_back(command->row.command.elevator.str() + " " +
                            command->row.command.seq.str() + " " +
                            core::to_string(command->row.status));
        } else {
            const auto& alarm = std::get<core::Alarm>(entry.what);
            words.push_back(alarm.elevator.str() + " " + alarm.kind);
        }
    }
    return words;
}

core::Result<LogEntries> ask(JournalFixture& f, const LogFilter& filter) {
    std::mutex mutex;
    std::optional<core::Result<LogEntries>> answer;
    f.journal->read_log(filter, [&](core::Result<LogEntries> entries) {
        const std::lock_guard lock(mutex);
        answer = std::move(entries);
    });
    REQUIRE(wait_until([&] {
        const std::lock_guard lock(mutex);
        return answer.has_value();
    }));
    return *answer;
}

core::WallTime at(std::int64_t ms) {
    return core::WallTime(std::chrono::milliseconds(ms));
}

// Four commands and two alarms, a second apart.
void write_history(JournalFixture& f) {
    f.clock.wall_ms = 1000;
    f.commit({command_row("EL1", "1", Status::accepted)});
    f.clock.wall_ms = 2000;
    f.commit({command_row("EL2", "1", Status::rejected)});
    f.clock.wall_ms = 3000;
    core::Alarm refused = alarm("EL1", "seq_conflict", "another floor");
    refused.source = core::SourceId("node-b");
    refused.seq = core::Seq("1");
    f.commit({refused});
    f.clock.wall_ms = 4000;
    f.commit({command_row("EL1", "1", Status::acked), command_row("EL1", "2", Status::expired)});
    f.clock.wall_ms = 5000;
    f.commit({alarm("", "journal_slow")});
    f.clock.wall_ms = 6000;
    f.commit({command_row("EL2", "3", Status::failed)});
}

TEST_CASE("log: filters, newest last, the same with and without the daemon", "[sqlite][log]") {
    JournalFixture f;
    f.open();
    write_history(f);
    LogFilter filter;
    Words expected;
    SECTION("everything") {
        expected = {"EL1 1 acked",
                    "EL2 1 rejected",
                    "EL1 seq_conflict",
                    "EL1 2 expired",
                    " journal_slow",
                    "EL2 3 failed"};
    }
    SECTION("one elevator") {
        filter.elevator = core::ElevatorId("EL1");
        expected = {"EL1 1 acked", "EL1 seq_conflict", "EL1 2 expired"};
    }
    SECTION("one seq") {
        filter.seq = core::Seq("1");
        expected = {"EL1 1 acked", "EL2 1 rejected", "EL1 seq_conflict"};
    }
    SECTION("one seq of one elevator") {
        filter.elevator = core::ElevatorId("EL2");
        filter.seq = core::Seq("1");
        expected = {"EL2 1 rejected"};
    }
    SECTION("since") {
        filter.since = at(4000);
        expected = {"EL1 2 expired", " journal_slow", "EL2 3 failed"};
    }
    SECTION("a limit keeps the newest") {
        filter.limit = 2;
        expected = {" journal_slow", "EL2 3 failed"};
    }
    SECTION("nothing matches") {
        filter.elevator = core::ElevatorId("EL9");
    }
    const auto live = ask(f, filter);
    REQUIRE(live.has_value());
    CHECK(words(*live) == expected);
    f.close();
    const auto offline = sqlite::read_log(f.settings.path, filter);
    REQUIRE(offline.has_value());
    CHECK(words(*offline) == expected);
}

TEST_CASE("log: an entry carries the whole row, both times, and the alarm as raised",
          "[sqlite][log]") {
    JournalFixture f;
    f.open();
    write_history(f);
    const auto log = ask(f, {});
    REQUIRE(log.has_value());
    const auto& first = std::get<sqlite::LoggedCommand>(log->at(0).what);
    CHECK(first.row == command_row("EL1", "1", Status::acked));
    CHECK(log->at(0).at == at(1000));
    CHECK(first.changed_at == at(4000));
    const auto& raised = std::get<core::Alarm>(log->at(2).what);
    CHECK(raised.source == core::SourceId("node-b"));
    CHECK(raised.seq == core::Seq("1"));
    CHECK(raised.detail == "another floor");
    CHECK(raised.alarm);
}

TEST_CASE("log: a long history is read in slices between commits", "[sqlite][log]") {
    JournalFixture f;
    f.open();
    for (int n = 0; n < 12000; ++n) {
        f.enqueue({command_row("EL1", std::to_string(n), Status::acked)});
    }
    REQUIRE(f.wait_committed(f.last_ticket));
    std::atomic<std::size_t> entries{0};
    f.journal->read_log({{}, {}, {}, 100000}, [&](core::Result<LogEntries> answer) {
        entries = answer ? answer->size() : 1;
    });
    int commits = 0;
    while (entries == 0) {
        f.commit({command_row("EL2", std::to_string(++commits), Status::acked)});
    }
    CHECK(commits > 3);
    CHECK(entries == sqlite::most_log_entries);
}

TEST_CASE("log: a row that cannot be decoded is shown as such", "[sqlite][log]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "1", Status::acked)});
    f.close();
    run_sql(f.settings.path, "UPDATE command SET body = 'x'");
    const auto log = sqlite::read_log(f.settings.path, {});
    REQUIRE(log.has_value());
    REQUIRE(log->size() == 1);
    const auto& row = std::get<sqlite::LoggedCommand>(log->at(0).what).row;
    CHECK(row.command.seq.str() == "1");
    CHECK_THAT(row.detail, Catch::Matchers::Contains("cannot be read"));
}

TEST_CASE("log: no journal, and a question that the end of the journal cuts off", "[sqlite][log]") {
    JournalFixture f;
    const auto none = sqlite::read_log(f.settings.path, {});
    REQUIRE_FALSE(none.has_value());
    CHECK_THAT(none.error().text, Catch::Matchers::Contains("no journal at " + f.settings.path));
    f.open();
    for (int n = 0; n < 3000; ++n) {
        f.enqueue({command_row("EL1", std::to_string(n), Status::acked)});
    }
    std::atomic<int> answers{0};
    for (int n = 0; n < 50; ++n) {
        f.journal->read_log({}, [&](const core::Result<LogEntries>&) { ++answers; });
    }
    f.close();
    CHECK(answers == 50);
}

}  // namespace
}  // namespace liftwarden::test
