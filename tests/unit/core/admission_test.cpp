// Receiving: ledger, limits, queries, and what is refused without being remembered.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

GatewayConfig grouped() {
    GatewayConfig config = site();
    config.source_groups = {{SourceId{"node-a"}, "dispatch"}, {SourceId{"node-b"}, "dispatch"}};
    return config;
}

GatewayConfig small_queue(std::uint32_t depth, double share) {
    GatewayConfig config = site();
    config.queue.depth = depth;
    config.queue.source_share = share;
    return config;
}

}  // namespace

TEST_CASE("admission: a repeat is answered with the latest status and never executed again",
          "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.advance(1s);
    world.send(command("1").car_call("3").msg_id("second"));
    CHECK(world.last("1").status == Status::acked);
    CHECK(world.last("1").duplicate);
    CHECK(world.last("1").msg_id == "second");
    CHECK(world.settled(world.last_delivery()));
    world.advance(5s);
    CHECK(world.plc.executed.size() == 1);
}

TEST_CASE("admission: a repeat while queued names its position", "[core][admission]") {
    World world;
    world.send(command("1").car_call("3"));
    world.send(command("2").from("node-b").car_call("4"));
    world.send(command("2").from("node-b").car_call("4"));
    CHECK(world.last("2").status == Status::accepted);
    CHECK(world.last("2").duplicate);
    CHECK(world.last("2").position == 2U);
}

TEST_CASE("admission: a repeat before the row is durable is answered after it",
          "[core][admission]") {
    World world;
    world.automatic.commit = false;
    world.send(command("1").car_call("3"));
    world.send(command("1").car_call("3"));
    CHECK(world.messages().empty());
    CHECK_FALSE(world.settled(1));
    CHECK_FALSE(world.settled(2));
    world.commit_all();
    REQUIRE(world.messages().size() == 2);
    CHECK_FALSE(world.messages()[0].duplicate);
    CHECK(world.messages()[1].duplicate);
    CHECK(world.settled(1));
    CHECK(world.settled(2));
}

TEST_CASE("admission: a final outcome is not told to a repeat before it is durable",
          "[core][admission]") {
    World world;
    world.automatic.poll = false;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3"));
    world.automatic.commit = false;
    world.observe(state().mode(ServiceMode::fire));
    const std::size_t before = world.messages().size();
    world.send(command("1").car_call("3"));
    CHECK(world.messages().size() == before);
    CHECK_FALSE(world.settled(world.last_delivery()));
    world.commit_all();
    CHECK(world.last("1").status == Status::rejected);
    CHECK(world.last("1").duplicate);
    CHECK(world.settled(world.last_delivery()));
}

TEST_CASE("admission: an acknowledgement is not told to a repeat before it is durable",
          "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.automatic.commit = false;
    world.advance(200ms);
    CHECK(world.plc.executed.size() == 1);
    world.send(command("1").car_call("3"));
    CHECK_FALSE(world.settled(world.last_delivery()));
    world.commit_all();
    CHECK(world.last("1").status == Status::acked);
    CHECK(world.last("1").duplicate);
    CHECK(world.settled(world.last_delivery()));
}

TEST_CASE("admission: a repeat after the follow-up gets the final outcome first",
          "[core][admission]") {
    World world;
    world.drive_car();
    world.poll();
    world.send(command("1").open());
    world.run_until([&] { return world.story("1").ends_with("served"); }, 10s);
    const std::size_t before = world.messages().size();
    world.send(command("1").open());
    REQUIRE(world.messages().size() == before + 2);
    CHECK(world.messages()[before].status == Status::acked);
    CHECK(world.messages()[before].duplicate);
    CHECK(world.messages()[before + 1].status == Status::served);
}

TEST_CASE("admission: another content under the same seq is refused with an alarm",
          "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.advance(1s);
    world.send(command("1").car_call("4"));
    CHECK(world.last("1").status == Status::rejected);
    CHECK(world.last("1").reason == Reason::seq_conflict);
    CHECK(world.count_alarms("seq_conflict") == 1);
    CHECK(world.settled(world.last_delivery()));
    world.advance(10s);
    CHECK(world.plc.executed.size() == 1);
    CHECK(world.journal().find(Seq{"1"})->command.content.floor == FloorLabel{"3"});
}

TEST_CASE("admission: another source under the same seq is refused with an alarm",
          "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.send(command("1").from("node-b").car_call("3"));
    CHECK(world.last("1").reason == Reason::seq_conflict);
    CHECK(world.last("1").to == SourceId{"node-b"});
    CHECK(world.count_alarms("seq_conflict") == 1);
}

TEST_CASE("admission: another member of the group gets the answer itself", "[core][admission]") {
    World world(grouped());
    world.poll();
    world.send(command("1").from("node-a").car_call("3"));
    world.send(command("1").from("node-b").car_call("3"));
    CHECK(world.last("1").to == SourceId{"node-b"});
    CHECK(world.last("1").duplicate);
    CHECK(world.count_alarms("seq_conflict") == 0);
}

TEST_CASE("admission: a repeat older than repeat_window is a conflict", "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").open());
    world.advance(10min + 1s);
    world.send(command("1").open());
    CHECK(world.last("1").reason == Reason::seq_conflict);
    CHECK(world.count_alarms("seq_conflict") == 1);
    CHECK(world.plc.executed.size() == 1);
}

TEST_CASE("admission: answers go with the reply topic and ids of the one who asked",
          "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3").msg_id("m1").task("T-7").reply_to("r/1", "c1"));
    world.advance(1s);
    CHECK(world.last("1").reply == ReplyTo{"r/1", "c1"});
    CHECK(world.last("1").msg_id == "m1");
    CHECK(world.last("1").task == "T-7");
    world.send(command("1").car_call("3").reply_to("r/2", "c2"));
    CHECK(world.last("1").reply == ReplyTo{"r/2", "c2"});
}

TEST_CASE("query: answers the latest status, executes nothing, settles", "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.advance(1s);
    world.send(command("1").query());
    CHECK(world.last("1").query);
    CHECK(world.last("1").status == Status::acked);
    CHECK(world.settled(world.last_delivery()));
    CHECK(world.plc.executed.size() == 1);
}

TEST_CASE("query: a command of another source is unknown_seq, of the group is not",
          "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.send(command("1").from("node-b").query());
    CHECK(world.last("1").query);
    CHECK(world.last("1").reason == Reason::unknown_seq);
    CHECK(world.last("1").to == SourceId{"node-b"});
    World group(grouped());
    group.poll();
    group.send(command("1").car_call("3"));
    group.send(command("1").from("node-b").query());
    CHECK(group.last("1").reason == Reason::none);
    CHECK(group.last("1").to == SourceId{"node-b"});
}

TEST_CASE("query: an unknown seq is unknown_seq and is not remembered", "[core][admission]") {
    World world;
    world.poll();
    world.send(command("9").query());
    CHECK(world.last("9").reason == Reason::unknown_seq);
    CHECK_FALSE(world.journal().find(Seq{"9"}));
    world.send(command("9").car_call("3"));
    world.advance(1s);
    CHECK(world.story("9").starts_with("accepted sent acked"));
}

TEST_CASE("query: a final outcome is not told before it is durable", "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.automatic.commit = false;
    world.advance(200ms);
    CHECK(world.plc.executed.size() == 1);
    const std::size_t before = world.messages().size();
    world.send(command("1").query());
    CHECK(world.messages().size() == before);
    world.commit_all();
    CHECK(world.last("1").query);
    CHECK(world.last("1").status == Status::acked);
}

TEST_CASE("admission: a command for an elevator that is not ours is settled in silence",
          "[core][admission]") {
    World world;
    world.poll();
    const Actions actions = world.send(command("1").to("EL999").car_call("3"));
    REQUIRE(actions.size() == 1);
    CHECK(std::holds_alternative<Settle>(actions.front()));
}

TEST_CASE("queue: full is refused before the journal and not remembered", "[core][queue]") {
    World world(small_queue(4, 1.0));
    for (int i = 1; i <= 3; ++i) {
        world.send(command(std::to_string(i)).from("s" + std::to_string(i)).car_call("3"));
    }
    world.send(command("4").from("s4").car_call("3"));
    CHECK(world.story("4") == "rejected(queue_full)");
    CHECK(world.settled(world.last_delivery()));
    CHECK_FALSE(world.journal().find(Seq{"4"}));
    CHECK(world.last("4").detail.find("4") != std::string::npos);
    world.send(command("1").from("s1").car_call("3"));
    CHECK(world.last("1").duplicate);
}

TEST_CASE("queue: a source has its share, others still find room", "[core][queue]") {
    World world(small_queue(8, 0.25));
    for (int i = 1; i <= 3; ++i) {
        world.send(command(std::to_string(i)).car_call("3"));
    }
    CHECK(world.story("2") == "accepted");
    CHECK(world.story("3") == "rejected(source_quota)");
    CHECK_FALSE(world.journal().find(Seq{"3"}));
    world.send(command("b").from("node-b").car_call("3"));
    CHECK(world.story("b") == "accepted");
}

TEST_CASE("queue: a place is kept for the owner's next step", "[core][queue]") {
    World world(small_queue(4, 1.0));
    world.drive_car();
    world.poll();
    world.send(command("own").car_call("3"));
    world.run_until([&] { return world.story("own").ends_with("served"); }, 30s);
    for (int i = 1; i <= 4; ++i) {
        world.send(command(std::to_string(i)).from("node-b").car_call("5"));
    }
    CHECK(world.story("3") == "accepted");
    CHECK(world.story("4") == "rejected(queue_full)");
    world.advance(1s);
    world.plc.next = {accepts_after(1s)};
    world.send(command("next").close());
    CHECK(world.story("next") == "accepted sent");
}

TEST_CASE("queue: the owner's next step finds room beyond its source's share", "[core][queue]") {
    World world(small_queue(8, 0.25));
    world.drive_car();
    world.poll();
    world.send(command("own").car_call("3").task("T-1"));
    world.run_until([&] { return world.story("own").ends_with("served"); }, 30s);
    world.send(command("1").car_call("5").task("T-2"));
    world.send(command("2").car_call("5").task("T-3"));
    world.send(command("3").car_call("5").task("T-4"));
    CHECK(world.story("3") == "rejected(source_quota)");
    world.advance(1s);
    world.send(command("next").close().task("T-1"));
    CHECK(world.story("next").starts_with("accepted sent"));
}

TEST_CASE("queue: even a depth of one takes a command", "[core][queue]") {
    World world(small_queue(1, 1.0));
    world.poll();
    world.send(command("1").car_call("3"));
    CHECK(world.story("1").starts_with("accepted"));
}

TEST_CASE("journal pressure: new commands are refused without a row, repeats are answered",
          "[core][admission]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.play(JournalPressure{false});
    CHECK(world.count_alarms("journal_full") == 1);
    world.send(command("2").car_call("3"));
    CHECK(world.story("2") == "rejected(journal_failed)");
    CHECK_FALSE(world.journal().find(Seq{"2"}));
    CHECK(world.settled(world.last_delivery()));
    world.send(command("1").car_call("3"));
    CHECK(world.last("1").duplicate);
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent acked"));  // the reserve is for outcomes
    world.play(JournalPressure{true});
    world.send(command("2").car_call("3"));
    CHECK(world.story("2").find("accepted") != std::string::npos);
}

TEST_CASE("shutdown: new commands get shutdown, what is queued stays and resumes",
          "[core][admission]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3"));
    world.play(Stopping{});
    world.send(command("2").car_call("3"));
    CHECK(world.story("2") == "rejected(shutdown)");
    CHECK_FALSE(world.journal().find(Seq{"2"}));
    world.observe(state());
    world.advance(1s);
    CHECK(world.writes().empty());
    CHECK(world.story("1") == "accepted");
    world.send(command("1").query());
    CHECK(world.last("1").status == Status::accepted);
    world.crash();
    world.poll();
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("shutdown: a grant that opens while stopping is given back", "[core][admission]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.play(Stopping{});
    world.open_grant();
    CHECK(world.released() == 1);
    CHECK(world.writes().empty());
    CHECK(world.journal().find(Seq{"1"})->status == Status::accepted);
}

TEST_CASE("shutdown: nothing is sent a second time while stopping", "[core][admission]") {
    World world;
    world.poll();
    world.send(command("0").open());
    world.advance(1s);
    world.observe(state().door(DoorState::open));
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.play(Stopping{});
    world.advance(10s);
    CHECK(world.writes().size() == 2);
    CHECK(world.journal().find(Seq{"1"})->status == Status::sent);
}

TEST_CASE("shutdown: an intent that becomes durable while stopping is not written",
          "[core][admission]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").car_call("3"));
    world.automatic.commit = false;
    world.open_grant();
    world.play(Stopping{});
    world.commit_all();
    world.automatic.commit = true;
    world.commit_all();
    CHECK(world.writes().empty());
    CHECK(world.released() == 1);
    CHECK(world.journal().find(Seq{"1"})->status == Status::accepted);
}
