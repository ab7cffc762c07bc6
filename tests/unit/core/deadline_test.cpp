// Everything that happens by time alone happens at its moment, because next_deadline() names it:
// here nothing is polled and a reading stays fresh for an hour.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

GatewayConfig patient(bool heartbeat = false) {
    GatewayConfig config = site();
    config.elevators[0].stale_after = 1h;
    config.elevators[0].maps_heartbeat = heartbeat;
    return config;
}

// Without polls; command 0 of task T is acknowledged, task T owns the elevator.
struct Quiet : World {
    explicit Quiet(GatewayConfig config = patient()) : World(std::move(config)) {
        automatic.poll = false;
        poll();
        send(command("0").hold(1).task("T"));
        advance(300ms);
        REQUIRE(owner() == "node-a/task T");
    }
};

}  // namespace

TEST_CASE("deadline: the heartbeat's period", "[core][deadline]") {
    World world(patient(true));
    world.automatic.poll = false;
    world.poll();
    world.advance(0s);
    REQUIRE(world.plc.heartbeat == 1);
    world.advance(1999ms);
    CHECK(world.plc.heartbeat == 1);
    world.advance(1ms);
    world.advance(0s);
    CHECK(world.plc.heartbeat == 2);
}

TEST_CASE("deadline: state and session are published anew every 5 s", "[core][deadline]") {
    Quiet world;
    int states = 0;
    int sessions = 0;
    world.tap = [&](TimePoint, const Event*, const Actions& actions) {
        for (const Action& action : actions) {
            states += std::holds_alternative<PublishState>(action) ? 1 : 0;
            sessions += std::holds_alternative<PublishSession>(action) ? 1 : 0;
        }
    };
    world.observe(state().occupied(true));
    states = 0;
    world.advance(15s);
    CHECK(states == 3);
    CHECK(sessions == 3);
}

TEST_CASE("deadline: the end of the reversal guard", "[core][deadline]") {
    Quiet world;
    world.observe(state().door(DoorState::closing));
    world.send(command("1").open().task("T"));
    const TimePoint reversed = world.now();
    world.advance(300ms);
    world.observe(state().door(DoorState::opening));
    world.observe(state().door(DoorState::closing));
    world.send(command("2").hold(5).task("T"));
    world.advance(reversed + 6s - 1ms - world.now());
    CHECK(world.story("2") == "accepted");
    world.advance(1ms);
    CHECK(world.story("2").starts_with("accepted sent"));
}

TEST_CASE("deadline: effect_timeout and served_timeout", "[core][deadline]") {
    Quiet silent;
    silent.send(command("1").car_call("3").task("T"));
    silent.advance(200ms);
    REQUIRE(silent.story("1") == "accepted sent acked");
    silent.advance(5s - 1ms);
    CHECK(silent.story("1") == "accepted sent acked");
    silent.advance(1ms);
    CHECK(silent.story("1") == "accepted sent acked not_served");

    Quiet stuck;
    stuck.send(command("1").car_call("3").task("T"));
    stuck.advance(200ms);
    stuck.observe(state().travel(Travel::up));
    stuck.advance(120s - 1ms);
    CHECK(stuck.story("1") == "accepted sent acked");
    stuck.advance(1ms);
    CHECK(stuck.story("1") == "accepted sent acked not_served");
}

TEST_CASE("deadline: the end of settle lets the next command go", "[core][deadline]") {
    Quiet world;
    world.send(command("1").car_call("3").task("T"));
    world.advance(200ms);
    world.observe(state().travel(Travel::up));
    world.advance(10s);
    world.observe(state());
    world.send(command("2").car_call("4").task("T"));
    world.advance(3s - 1ms);
    CHECK(world.story("2") == "accepted");
    world.advance(1ms);
    CHECK(world.story("2") == "accepted sent");
}

TEST_CASE("deadline: the end of a grace lets the next party go", "[core][deadline]") {
    Quiet world;
    world.send(command("1").from("node-b").car_call("3"));
    world.advance(9s);
    CHECK(world.story("1") == "accepted");
    world.advance(1500ms);
    CHECK(world.story("1").starts_with("accepted sent"));
}

TEST_CASE("deadline: the end of unowned_open lets the next call go", "[core][deadline]") {
    Quiet world;
    world.send(command("r").release().task("T"));
    world.observe(state().door(DoorState::open));
    world.send(command("1").from("node-b").car_call("3"));
    world.advance(15s - 1ms);
    CHECK(world.story("1") == "accepted");
    world.advance(1ms);
    CHECK(world.story("1") == "accepted sent");
}

TEST_CASE("deadline: a reset that gets no reading", "[core][deadline]") {
    Quiet world;
    world.plc.echo = 9;
    world.poll();
    world.automatic.read = false;
    world.reset();
    world.advance(5s - 1ms);
    CHECK(world.replies().empty());
    world.advance(1ms);
    CHECK(world.replies().size() == 1);
}

TEST_CASE("deadline: the TTL of what waits", "[core][deadline]") {
    Quiet world;
    world.send(command("1").from("node-b").car_call("3").ttl(4s));
    world.advance(4s - 1ms);
    CHECK(world.story("1") == "accepted");
    world.advance(1ms);
    CHECK(world.story("1") == "accepted expired(ttl)");
}

TEST_CASE("deadline: time-outs in the machine never busy-wait", "[core][deadline]") {
    Quiet world;
    world.send(command("1").car_call("3").task("T"));
    world.send(command("2").from("node-b").open().ttl(5min));
    world.send(command("3").car_call("4").task("T").ttl(3min));
    int calls = 0;
    world.tap = [&](TimePoint, const Event* event, const Actions&) {
        calls += event == nullptr ? 1 : 0;
    };
    world.advance(10min);
    CHECK(calls < 10 * 60 / 5 + 40);
}
