// Transcripts of robots that share an elevator.
#include "tests/scenario/transcript.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

void wait_for(World& world, const std::string& seq) {
    REQUIRE(world.run_until([&] { return world.story(seq).ends_with("served"); }, 2min));
}

}  // namespace

TEST_CASE("scenario: a trip from hall call to release, another AGV waits for it", "[scenario]") {
    World world;
    world.drive_car();
    world.poll();
    Transcript transcript(world, Transcript::Detail::outcomes);
    world.send(command("a1").hall_call("2").task("T-1"));
    world.send(command("b1").from("node-b").hall_call("4").task("T-2").ttl(5min));
    wait_for(world, "a1");
    transcript.note("T-1 drives in.");
    world.advance(2s);
    world.plc.state.occupied = true;
    world.send(command("a2").close().task("T-1"));
    wait_for(world, "a2");
    world.send(command("a3").car_call("5").task("T-1"));
    wait_for(world, "a3");
    transcript.note("T-1 drives out and lets go.");
    world.advance(2s);
    world.plc.state.occupied = false;
    world.send(command("a4").release().task("T-1"));
    transcript.note("The door stands open without owner; after 15 s the next call is sent.");
    wait_for(world, "b1");
    check_golden("trip_and_handover", transcript.text());
    CHECK(world.owner() == "node-b/task T-2");
}

TEST_CASE("scenario: an owner falls silent, its grace ends, the next one rides", "[scenario]") {
    World world;
    world.drive_car();
    world.poll();
    Transcript transcript(world, Transcript::Detail::outcomes);
    world.send(command("a1").hall_call("2").task("T-1"));
    world.send(command("b1").from("node-b").car_call("4").ttl(10min));
    wait_for(world, "b1");
    check_golden("silent_owner", transcript.text());
    CHECK(world.count_alarms("owner_gone") == 1);
}

TEST_CASE("scenario: one reversal is allowed, the second waits for the guard", "[scenario]") {
    World world;
    world.drive_car();
    world.door_time = 4s;
    world.poll();
    world.send(command("0").open().task("T"));
    wait_for(world, "0");
    Transcript transcript(world, Transcript::Detail::outcomes);
    const auto closing = [&] { return world.plc.state.front == DoorState::closing; };
    world.send(command("1").close().task("T"));
    REQUIRE(world.run_until(closing, 5s));
    world.send(command("2").open().task("T"));
    wait_for(world, "2");
    world.send(command("3").close().task("T"));
    REQUIRE(world.run_until(closing, 5s));
    world.send(command("4").open().task("T"));
    world.advance(300ms);
    CHECK(world.story("4") == "accepted");
    wait_for(world, "4");
    check_golden("reversal_guard", transcript.text());
}

TEST_CASE("scenario: the PLC goes away and comes back", "[scenario]") {
    World world;
    world.drive_car();
    world.poll();
    Transcript transcript(world, Transcript::Detail::outcomes);
    world.plc.online = false;
    world.advance(2s);
    world.send(command("1").car_call("3").ttl(5s));
    world.send(command("2").from("node-b").car_call("4").ttl(60s));
    world.send(command("3").from("node-c").car_call("5").wait(false));
    world.advance(10s);
    world.plc.online = true;
    wait_for(world, "2");
    check_golden("plc_gone_and_back", transcript.text());
}

TEST_CASE("scenario: repeats, conflicts and queries", "[scenario]") {
    World world;
    world.drive_car();
    world.poll();
    Transcript transcript(world, Transcript::Detail::outcomes);
    world.send(command("1").car_call("3"));
    world.send(command("1").car_call("3"));
    wait_for(world, "1");
    world.send(command("1").car_call("3"));
    world.send(command("1").car_call("4"));
    world.send(command("1").from("node-b").car_call("3"));
    world.send(command("1").query());
    world.send(command("1").from("node-b").query());
    check_golden("repeats_and_conflicts", transcript.text());
    CHECK(world.plc.executed.size() == 1);
}

TEST_CASE("scenario: stopping and starting again", "[scenario]") {
    World world;
    world.drive_car();
    world.observe(state().travel(Travel::up));
    Transcript transcript(world);
    world.send(command("1").car_call("3"));
    world.play(Stopping{});
    world.send(command("2").car_call("4"));
    world.observe(state());
    transcript.note("The process has ended and starts again.");
    world.crash();
    world.advance(1s);
    check_golden("stop_and_start", transcript.text());
    CHECK(world.story("1").starts_with("accepted sent acked"));
}
