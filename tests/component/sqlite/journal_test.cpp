#include "tests/component/sqlite/journal_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

namespace liftwarden::test {
namespace {

using core::Status;
using Words = std::vector<std::string>;

TEST_CASE("journal: what was committed is there after reopening", "[sqlite]") {
    JournalFixture f;
    f.open();
    CHECK(f.opened.recovered.open_commands.empty());
    CHECK(f.opened.recovered.elevators.empty());
    CHECK_FALSE(f.opened.recovered.ledger_lost);

    core::CommandRow row = command_row("EL1", "1001", Status::accepted, "text");
    row.command.task = "T-77";
    row.wire_seq = core::WireSeq(812);
    row.echo_before = core::Echo(811);
    f.commit({row, elevator_row("EL1", 7)});
    f.open();
    REQUIRE(f.opened.recovered.open_commands == std::vector{row});
    CHECK(f.opened.recovered.elevators == std::vector{elevator_row("EL1", 7)});
    CHECK(f.row("EL1", "1001") == row);
    CHECK_FALSE(f.row("EL2", "1001"));
}

TEST_CASE("journal: recovery lists open commands in order of receipt and leaves finished ones",
          "[sqlite]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "z"), command_row("EL1", "done"), command_row("EL2", "a")});
    f.commit({command_row("EL1", "m"), command_row("EL1", "done", Status::acked)});
    f.commit({command_row("EL1", "z", Status::sent), command_row("EL2", "a", Status::unknown)});
    f.open();
    std::vector<std::string> seqs;
    for (const auto& row : f.opened.recovered.open_commands) {
        seqs.push_back(row.command.seq.str());
    }
    CHECK(seqs == Words{"z", "a", "m"});
    CHECK(f.row("EL1", "done")->status == Status::acked);
}

TEST_CASE("journal: a second row of the same elevator and seq replaces the first", "[sqlite]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "1", Status::accepted)});
    f.commit({command_row("EL1", "1", Status::acked, "later")});
    f.commit({command_row("EL2", "1", Status::expired)});
    CHECK(f.row("EL1", "1")->detail == "later");
    CHECK(f.row("EL2", "1")->status == Status::expired);
    CHECK(wait_until([&] { return f.journal->status().commands == 2; }));
}

TEST_CASE("journal: a look-up behind a commit sees it, and answers keep the order of the calls",
          "[sqlite]") {
    JournalFixture f;
    f.open();
    f.look_up("EL1", "1", 1);
    f.enqueue({command_row("EL1", "1", Status::accepted)});
    f.look_up("EL1", "1", 2);
    f.enqueue({command_row("EL1", "1", Status::sent)});
    f.look_up("EL1", "1", 3);
    f.look_up("EL1", "2", 4);
    f.enqueue({command_row("EL1", "1", Status::acked)});
    f.look_up("EL1", "1", 5);
    REQUIRE(f.told->wait([&] { return f.told->events().size() == 8; }));
    CHECK(f.told->words() == Words{"received 1",
                                   "committed 1",
                                   "received 2 accepted",
                                   "committed 2",
                                   "received 3 sent",
                                   "received 4",
                                   "committed 3",
                                   "received 5 acked"});
}

TEST_CASE("journal: a batch that is not urgent rides with the next urgent one, before it",
          "[sqlite]") {
    JournalFixture f;
    f.open();
    const auto commits = f.journal->status().commits;
    f.enqueue({command_row("EL1", "1", Status::served)}, {}, false);
    f.enqueue({command_row("EL1", "2")});
    REQUIRE(f.wait_committed(2));
    CHECK(f.told->committed() == std::vector<std::uint64_t>{1, 2});
    CHECK(wait_until([&] { return f.journal->status().commits == commits + 1; }));
}

TEST_CASE("journal: a batch that is not urgent is committed within about a second", "[sqlite]") {
    JournalFixture f;
    f.open();
    const auto start = std::chrono::steady_clock::now();
    f.enqueue({command_row("EL1", "1")}, {}, false);
    REQUIRE(f.told->wait([&] { return f.told->has_committed(1); }, 5s));
    CHECK(std::chrono::steady_clock::now() - start < 3s);
}

TEST_CASE("journal: a look-up of what a waiting batch changes commits that batch first",
          "[sqlite]") {
    JournalFixture f;
    f.open();
    f.commit({command_row("EL1", "1", Status::acked)});
    f.enqueue({command_row("EL1", "1", Status::served)}, {}, false);
    f.look_up("EL2", "1", 1);  // of nobody's concern: answered at once
    f.look_up("EL1", "1", 2);
    REQUIRE(f.told->wait([&] { return f.told->events().size() == 4; }));
    CHECK(f.told->words() ==
          Words{"committed 1", "received 1", "committed 2", "received 2 served"});
}

TEST_CASE("journal: closing commits and answers everything that was queued", "[sqlite]") {
    JournalFixture f;
    f.open();
    for (int i = 0; i < 200; ++i) {
        f.enqueue({command_row("EL1", std::to_string(i))}, {}, i % 3 == 0);
    }
    f.close();
    auto tickets = f.told->committed();
    REQUIRE(tickets.size() == 200);
    CHECK(std::is_sorted(tickets.begin(), tickets.end()));
    f.open();
    CHECK(f.opened.recovered.open_commands.size() == 200);
    CHECK(f.journal->status().commands == 200);
}

TEST_CASE("journal: outbox messages live from their commit until they are confirmed", "[sqlite]") {
    JournalFixture f;
    f.open();
    CHECK(f.opened.newest_outbox == ports::OutboxId(0));
    ports::OutboxMessage binary = message("reply", "two");
    binary.correlation = std::string("\0\xff\x01", 3);
    f.commit({command_row("EL1", "1")}, {message("result", "one"), binary});
    f.commit({command_row("EL1", "2")}, {message("result", "three")});
    REQUIRE(f.told->wait([&] { return f.told->messages().size() == 3; }));
    const auto sent = f.told->messages();
    CHECK(sent[0].payload == "one");
    CHECK(sent[1].correlation == binary.correlation);
    CHECK(sent[0].id < sent[1].id);
    CHECK(sent[1].id < sent[2].id);
    CHECK(f.told->outbox_calls() == 2);

    f.journal->published(sent[0].id);
    f.journal->fetch_outbox(ports::OutboxId(0), 10);  // no longer there, though not deleted yet
    REQUIRE(f.told->wait([&] { return f.told->outbox_calls() == 3; }));
    CHECK(f.told->messages().size() == 5);
    CHECK(f.told->messages()[3] == sent[1]);

    f.open();
    CHECK(f.opened.oldest_outbox == sent[1].id);
    CHECK(f.opened.newest_outbox == sent[2].id);
    CHECK(f.journal->status().outbox == 2);
    f.journal->fetch_outbox(sent[0].id, 1);
    f.journal->fetch_outbox(sent[1].id, 1);
    f.journal->fetch_outbox(sent[2].id, 1);
    REQUIRE(f.told->wait([&] { return f.told->outbox_calls() == 3; }));
    CHECK(f.told->messages() == std::vector{sent[1], sent[2]});
}

TEST_CASE("journal: confirmations are deleted within about a second by themselves", "[sqlite]") {
    JournalFixture f;
    f.open();
    f.commit({}, {message("t", "p")});
    REQUIRE(f.told->wait([&] { return f.told->messages().size() == 1; }));
    f.journal->published(f.told->messages()[0].id);
    CHECK(wait_until([&] { return f.journal->status().outbox == 0; }, 5s));
}

TEST_CASE("journal: the contact with the broker is remembered within one boot", "[sqlite]") {
    JournalFixture f;
    f.open();
    CHECK_FALSE(f.opened.contact);
    f.open();
    CHECK_FALSE(f.opened.contact);
    f.journal->save_contact(core::TimePoint{7001ms});
    f.journal->save_contact(core::TimePoint{123456ms});
    f.open();
    CHECK(f.opened.contact == core::TimePoint{123456ms});
    f.open();
    CHECK(f.opened.contact == core::TimePoint{123456ms});  // until there is a newer one

    f.boot_id = "the-next-boot";
    f.open();
    CHECK_FALSE(f.opened.contact);
    f.journal->save_contact(core::TimePoint{9ms});
    f.open();
    CHECK(f.opened.contact == core::TimePoint{9ms});
    f.close();
    write_file(f.settings.path + ".contact", "nonsense\n");
    f.open();
    CHECK_FALSE(f.opened.contact);
}

TEST_CASE("journal: the heart beats while nothing happens", "[sqlite]") {
    JournalFixture f;
    f.open();
    const auto before = f.journal->heartbeats();
    CHECK(wait_until([&] { return f.journal->heartbeats() > before + 1; }));
}

}  // namespace
}  // namespace liftwarden::test
