// One command's way: grant, intent, write, acknowledgement, outcome.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

TEST_CASE("flight: a command is journalled, accepted, sent, acknowledged and served",
          "[core][flight]") {
    World world;
    world.drive_car();
    world.poll();
    world.send(command("1001").car_call("3"));
    CHECK(world.run_until([&] { return world.story("1001") == "accepted sent acked served"; }));
    CHECK(world.written() == "car_call 3 #1");
    CHECK(world.plc.executed.size() == 1);
    CHECK(world.owner() == "node-a/trip 1001");
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("flight: nothing is settled, accepted or granted before the row is durable",
          "[core][flight]") {
    World world;
    world.poll();
    world.automatic.commit = false;
    world.send(command("1001").car_call("3"));
    CHECK(world.story("1001").empty());
    CHECK_FALSE(world.settled(world.last_delivery()));
    CHECK(world.grants() == 0);
    world.commit_all();
    CHECK(world.story("1001") == "accepted");
    CHECK(world.settled(world.last_delivery()));
    CHECK(world.grants() == 1);
}

TEST_CASE("flight: a second command waits until the first is acknowledged", "[core][flight]") {
    World world;
    world.drive_car();
    world.plc.next = {accepts_after(1s)};
    world.poll();
    world.send(command("1").open());
    world.send(command("2").hold(5));
    CHECK(world.written() == "open_door front #1");
    world.advance(900ms);
    CHECK(world.channel() == Channel::in_flight);
    CHECK(world.writes().size() == 1);
    CHECK(world.run_until([&] { return world.story("2").starts_with("accepted sent acked"); }));
    CHECK(world.written() == "open_door front #1, hold_door front 5 s #2");
}

TEST_CASE("flight: the next command waits until the outcome before is durable", "[core][flight]") {
    World world;
    world.poll();
    world.send(command("1").open());
    world.automatic.commit = false;
    world.send(command("2").hold(5));
    world.advance(400ms);
    CHECK(world.plc.executed.size() == 1);
    CHECK(world.grants() == 1);
    world.automatic.commit = true;
    world.commit_all();
    world.observe(state().door(DoorState::open));
    CHECK(world.grants() == 2);
}

TEST_CASE("flight: nothing is written before the intent is durable", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.automatic.commit = false;
    world.open_grant();
    CHECK(world.writes().empty());
    world.commit_all();
    CHECK(world.written() == "car_call 3 #1");
    const auto row = world.journal().find(Seq{"1"});
    REQUIRE(row);
    CHECK(row->status == Status::sent);
    CHECK(row->wire_seq == WireSeq{1});
    CHECK(row->echo_before == Echo{0});
}

TEST_CASE("flight: the echo stored is the one just read in the grant", "[core][flight]") {
    World world;
    world.poll();
    world.send(command("1").open());
    world.advance(1s);
    world.observe(state().door(DoorState::open));
    world.plc.next = {accepts_after(2s)};
    world.send(command("2").close());
    CHECK(world.journal().find(Seq{"2"})->echo_before == Echo{1});
    CHECK(world.writes().back().command.wire_seq == WireSeq{2});
}

TEST_CASE("flight: the write must leave before TTL and freshness of the reading end",
          "[core][flight]") {
    World world;
    world.poll();
    world.send(command("1").open().ttl(300ms));
    CHECK(world.writes().at(0).not_after == world.now() + 300ms);
    World fresh;
    fresh.poll();
    fresh.send(command("1").open().ttl(60s));
    CHECK(fresh.writes().at(0).not_after == fresh.now() + 1s);
}

TEST_CASE("flight: a grant is asked for only when the last observation would let it go",
          "[core][flight]") {
    World world;
    world.automatic.poll = false;
    world.send(command("1").car_call("3"));
    CHECK(world.grants() == 0);  // nothing read yet
    world.observe(state().travel(Travel::up));
    CHECK(world.grants() == 0);
    world.observe(state());
    CHECK(world.grants() == 1);
}

TEST_CASE("flight: the fresh read in the grant decides, not the last observation",
          "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.plc.state.travel = Travel::up;
    world.open_grant();
    CHECK(world.writes().empty());
    CHECK(world.released() == 1);
    CHECK(world.story("1") == "accepted");
    world.automatic.grant = true;
    world.observe(state());
    CHECK(world.written() == "car_call 3 #1");
}

TEST_CASE("flight: a fresh read that shows fire refuses the command", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.plc.state.mode = ServiceMode::fire;
    world.open_grant();
    CHECK(world.writes().empty());
    CHECK(world.released() == 1);
    CHECK(world.story("1") == "accepted rejected(out_of_service)");
}

TEST_CASE("flight: a fresh read that cannot be decoded writes nothing", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.plc.state.undecodable = "door 9";
    world.open_grant();
    CHECK(world.writes().empty());
    CHECK(world.released() == 1);
}

TEST_CASE("flight: a grant opened after the TTL is given back and the command expires",
          "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3").ttl(1s));
    world.advance(1s);
    world.open_grant();
    CHECK(world.writes().empty());
    CHECK(world.released() == 1);
    CHECK(world.story("1") == "accepted expired(ttl)");
}

TEST_CASE("flight: an intent that becomes durable after the TTL is not written", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3").ttl(50ms));
    world.automatic.commit = false;
    world.open_grant();
    world.advance(51ms);
    world.commit_all();
    CHECK(world.writes().empty());
    CHECK(world.released() == 1);
    world.automatic.commit = true;
    world.commit_all();
    world.advance(300ms);
    CHECK(world.writes().empty());
    CHECK(world.story("1") == "accepted expired(ttl)");
}

TEST_CASE("flight: the bus is given back when a commit takes over 100 ms, and asked for again",
          "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.automatic.commit = false;
    world.open_grant();
    world.advance(99ms);
    CHECK(world.released() == 0);
    world.advance(1ms);
    CHECK(world.released() == 1);
    CHECK(world.count_alarms("journal_slow") == 0);
    world.commit_all();
    world.automatic.commit = true;
    CHECK(world.writes().empty());
    world.automatic.grant = true;
    world.advance(200ms);
    CHECK(world.written() == "car_call 3 #2");
}

TEST_CASE("flight: three rounds with a slow journal raise journal_slow once", "[core][flight]") {
    World world;
    world.automatic.poll = false;
    world.poll();
    world.send(command("w").release());
    world.commit_delay = 150ms;
    world.send(command("1").car_call("3").ttl(10s));
    for (int i = 0; i < 40; ++i) {
        world.advance(100ms);
        world.poll();
        if (i == 5) {
            CHECK(world.count_alarms("journal_slow") == 0);
        }
    }
    CHECK(world.grants() >= 4);
    CHECK(world.count_alarms("journal_slow") == 1);
    CHECK(world.writes().empty());
    CHECK(world.story("1") == "accepted");
    world.commit_delay = {};
    world.advance(1s);
    world.poll();
    world.advance(1s);
    world.poll();
    world.advance(1s);
    CHECK(world.writes().size() == 1);
}

TEST_CASE("flight: a grant that is refused is asked for again one scan later", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.close_grant();
    CHECK_FALSE(world.grant_asked());
    world.advance(199ms);
    CHECK(world.grants() == 1);
    world.advance(1ms);
    CHECK(world.grants() == 2);
    CHECK(world.story("1") == "accepted");
}

TEST_CASE("flight: a bus taken back before the write means that nothing was written",
          "[core][flight]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.automatic.write = false;
    world.send(command("1").car_call("3"));
    world.open_grant();
    REQUIRE(world.writes().size() == 1);
    const GrantId grant = world.writes().front().grant;
    world.play(GrantClosed{el001, grant, "the bus was taken back"});
    CHECK(world.channel() == Channel::ready);
    // When the order crossed the end of the grant, it is answered too.
    world.play(WriteDone{el001, grant, {WriteOutcome::Kind::not_written, std::nullopt, "closed"}});
    CHECK(world.channel() == Channel::ready);
    world.automatic.grant = true;
    world.automatic.write = true;
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
    CHECK(world.plc.executed.size() == 1);
}

TEST_CASE("flight: a write that did not leave goes back to the queue and comes again",
          "[core][flight]") {
    World world;
    world.poll();
    world.automatic.write = false;
    world.send(command("1").car_call("3"));
    world.finish_write(WriteOutcome::Kind::not_written);
    CHECK(world.story("1") == "accepted");
    CHECK(world.journal().find(Seq{"1"})->status == Status::accepted);
    world.plc.write_outcome = WriteOutcome::Kind::confirmed;
    world.automatic.write = true;
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
    CHECK(world.written() == "car_call 3 #1, car_call 3 #2");
}

TEST_CASE("flight: three writes in a row that leave too late raise an alarm", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.write = false;
    world.send(command("1").car_call("3"));
    for (int i = 0; i < 3; ++i) {
        CHECK(world.count_alarms("write_late") == 0);
        world.finish_write(WriteOutcome::Kind::not_written);
        world.advance(200ms);
    }
    CHECK(world.count_alarms("write_late") == 1);
}

TEST_CASE("flight: an exception that refuses the write fails the command", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.write = false;
    world.send(command("1").car_call("3"));
    world.finish_write(WriteOutcome::Kind::refused);
    CHECK(world.story("1") == "accepted failed(modbus_exception)");
    CHECK(world.channel() == Channel::ready);
    CHECK(world.owner() == "none");
}

TEST_CASE("flight: exception busy offers the command again with a new wire_seq", "[core][flight]") {
    World world;
    world.poll();
    world.automatic.write = false;
    world.send(command("1").car_call("3"));
    world.finish_write(WriteOutcome::Kind::busy);
    CHECK(world.story("1") == "accepted");
    world.advance(199ms);
    CHECK(world.writes().size() == 1);
    world.advance(1ms);
    CHECK(world.written() == "car_call 3 #1, car_call 3 #2");
}

TEST_CASE("flight: result busy comes again with a new wire_seq at scan intervals until the TTL",
          "[core][flight]") {
    World world;
    world.poll();
    world.plc.next = {answers(AckResult::busy), answers(AckResult::busy)};
    world.send(command("1").car_call("3"));
    CHECK(world.run_until([&] { return world.plc.executed.size() == 1; }, 3s));
    CHECK(world.written() == "car_call 3 #1, car_call 3 #2, car_call 3 #3");
    CHECK(world.last("1").wire_seq == WireSeq{3});

    World never;
    never.poll();
    for (int i = 0; i < 100; ++i) {
        never.plc.next.push_back(answers(AckResult::busy));
    }
    never.send(command("1").car_call("3").ttl(2s));
    never.advance(5s);
    CHECK(never.story("1").ends_with("expired(ttl)"));
    CHECK(never.writes().size() >= 3);
    CHECK(never.writes().size() <= 11);
    CHECK(never.plc.executed.empty());
}

TEST_CASE("flight: result refused fails the command at once", "[core][flight]") {
    World world;
    world.poll();
    world.plc.next = {answers(AckResult::refused)};
    world.send(command("1").car_call("3"));
    world.advance(300ms);
    CHECK(world.story("1") == "accepted sent failed(plc_refused)");
    CHECK(world.owner() == "none");
    world.send(command("2").car_call("3"));
    world.advance(300ms);
    CHECK(world.story("2") == "accepted sent acked");
}

TEST_CASE("flight: an unknown result code is an unknown outcome", "[core][flight]") {
    World world;
    world.poll();
    world.plc.next = {answers(AckResult::unrecognised)};
    world.send(command("1").car_call("3"));
    world.advance(15s);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
    CHECK(world.channel() == Channel::locked_out);
}

TEST_CASE("flight: acknowledgement registers are read from one scan after the write on",
          "[core][flight]") {
    World world;
    world.automatic.poll = false;
    world.automatic.read = false;
    world.poll();
    world.plc.next = {accepts_after(10s)};
    world.send(command("1").car_call("3"));
    const auto reads = [](const Actions& actions) {
        int count = 0;
        for (const Action& action : actions) {
            const auto* read = std::get_if<RequestRead>(&action);
            count += read != nullptr && read->kind == ReadKind::acknowledgement ? 1 : 0;
        }
        return count;
    };
    CHECK(reads(world.advance(199ms)) == 0);
    CHECK(reads(world.advance(1ms)) == 1);
    CHECK(reads(world.advance(200ms)) == 1);
}

TEST_CASE("flight: the acknowledgement is read at least twice before its time is over",
          "[core][flight]") {
    World world;
    world.automatic.poll = false;
    world.automatic.read = false;
    world.poll();
    world.plc.next = {accepts_after(10s)};
    world.send(command("1").car_call("3"));
    world.advance(5s);
    CHECK(world.channel() == Channel::in_flight);
    world.play(Observed{el001, world.plc.read(world.now(), ReadKind::acknowledgement)});
    CHECK(world.channel() == Channel::in_flight);
    world.play(Observed{el001, world.plc.read(world.now(), ReadKind::acknowledgement)});
    CHECK(world.channel() == Channel::verifying);
}

TEST_CASE("flight: a reading that began before the write says nothing of it", "[core][flight]") {
    World world;
    world.automatic.read = false;
    world.automatic.write = false;
    world.automatic.poll = false;
    world.poll();
    const Reading old = world.plc.read(world.now(), ReadKind::full);
    world.send(command("1").car_call("3"));
    world.advance(10ms);
    world.finish_write(WriteOutcome::Kind::confirmed);
    Reading forged = old;
    forged.ack = {Echo{1}, AckResult::accepted, 1};
    world.play(Observed{el001, forged});
    CHECK(world.channel() == Channel::in_flight);
}

TEST_CASE("flight: results carry how long queue and acknowledgement took", "[core][flight]") {
    World world;
    world.automatic.poll = false;
    world.send(command("1").car_call("3"));
    world.advance(3s);
    world.poll();
    world.advance(200ms);
    CHECK(world.last("1").status == Status::acked);
    CHECK(world.last("1").elapsed.queued == 3s);
    CHECK(world.last("1").elapsed.ack == 200ms);
    CHECK_FALSE(world.last("1").elapsed.verify);
}

TEST_CASE(
    "flight: a command whose write was refused as busy, and which the PLC took all the same, is "
    "acknowledged and not sent again",
    "[core][flight]") {
    World world;
    world.poll();
    world.automatic.write = false;
    world.send(command("1").open());
    REQUIRE(world.writes().size() == 1);
    const WireCommand written = world.writes().front().command;
    world.finish_write(WriteOutcome::Kind::busy);
    world.plc.write(world.now(), written);
    world.advance(2s);
    CHECK(world.story("1").find("acked") != std::string::npos);
    CHECK(world.writes().size() == 1);
    CHECK(world.channel() == Channel::ready);
    CHECK(world.owner() != "none");
}
