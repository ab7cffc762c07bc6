// Who owns the elevator, and how that ends.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// task T called the car to 3 with `call`, it was served, the door stands open there.
void call_served(World& world, const CommandBuilder& call) {
    world.drive_car();
    world.poll();
    world.send(CommandBuilder(call).task("T"));
    REQUIRE(world.run_until([&] { return world.plc.state.front == DoorState::open; }, 60s));
    world.advance(200ms);
    REQUIRE(world.owner() == "node-a/task T");
}

}  // namespace

TEST_CASE("owner: an acknowledged call or door command makes its party the owner",
          "[core][owner]") {
    for (const ActionKind action : {ActionKind::hall_call,
                                    ActionKind::car_call,
                                    ActionKind::open_door,
                                    ActionKind::close_door,
                                    ActionKind::hold_door}) {
        World world;
        world.poll();
        world.send(command("1").action(action).task("T"));
        CHECK(world.owner() == "none");  // sent, not acknowledged
        world.advance(200ms);
        CHECK(world.owner() == "node-a/task T");
    }
}

TEST_CASE("owner: an acknowledgement does not take the elevator from its owner", "[core][owner]") {
    World world;
    world.poll();
    world.plc.next = {accepts_after(1s)};
    world.send(command("1").open().task("T"));
    world.advance(2s);
    CHECK(world.owner() == "node-a/task T");
    world.send(command("2").set_mode(OrderedMode::normal).task("T"));
    world.advance(1s);
    CHECK(world.owner() == "node-a/task T");
}

TEST_CASE("owner: two AGVs of one node are two parties", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.send(command("2").car_call("5").task("U"));
    world.advance(1s);
    CHECK(world.story("2") == "accepted");
    world.send(command("3").car_call("5").task("T"));
    CHECK(world.story("3") == "accepted sent");
}

TEST_CASE("owner: release ends it, is acked and never reaches the PLC", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    const std::size_t written = world.writes().size();
    world.send(command("2").release().task("T"));
    CHECK(world.story("2") == "accepted acked");
    CHECK(world.owner() == "none");
    CHECK(world.writes().size() == written);
    CHECK(world.last("2").detail.empty());
}

TEST_CASE("owner: release by somebody else is acked without effect, naming the owner",
          "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.send(command("2").from("node-b").release());
    CHECK(world.story("2") == "accepted acked");
    CHECK(world.owner() == "node-a/task T");
    CHECK(world.last("2").detail.find("node-a/task T") != std::string::npos);
    World nobody;
    nobody.send(command("1").release());
    CHECK(nobody.story("1") == "accepted acked");
    CHECK_FALSE(nobody.last("1").detail.empty());
}

TEST_CASE("owner: release is decided in every phase, mode and locked out", "[core][owner]") {
    for (const Observation& seen : {Observation(state().travel(Travel::up)),
                                    Observation(state().door(DoorState::closing)),
                                    Observation(state().fault(3)),
                                    Observation(state().mode(ServiceMode::fire)),
                                    Observation(state().mode(ServiceMode::unknown)),
                                    Observation(state().undecodable("door 9"))}) {
        World world;
        call_served(world, command("1").car_call("3"));
        world.observe(seen);
        world.send(command("2").release().task("T"));
        CHECK(world.story("2") == "accepted acked");
        CHECK(world.owner() == "none");
    }
    World offline;
    call_served(offline, command("1").car_call("3"));
    offline.plc.online = false;
    offline.advance(10s);
    offline.send(command("2").release().task("T"));
    CHECK(offline.owner() == "none");
    World locked;
    call_served(locked, command("1").car_call("3"));
    locked.plc.echo = 99;
    locked.poll();
    CHECK(locked.channel() == Channel::locked_out);
    locked.send(command("2").release().task("T"));
    CHECK(locked.story("2") == "accepted acked");
    CHECK(locked.owner() == "none");
}

TEST_CASE("owner: release waits for what its party has in flight", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.plc.next = {accepts_after(2s)};
    world.send(command("2").close().task("T"));
    world.send(command("3").release().task("T"));
    world.advance(1900ms);
    CHECK(world.story("3") == "accepted");
    world.advance(400ms);
    CHECK(world.story("2").starts_with("accepted sent acked"));
    CHECK(world.story("3") == "accepted acked");
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: release waits behind its own party's queue, not behind others", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3").door(DoorState::closing));
    world.send(command("b").from("node-b").car_call("1"));
    world.send(command("2").car_call("5").task("T"));
    world.send(command("3").release().task("T"));
    world.advance(1s);
    CHECK(world.story("3") == "accepted");
    World other;
    call_served(other, command("1").car_call("3"));
    other.send(command("b").from("node-b").car_call("1"));
    other.send(command("3").release().task("T"));
    CHECK(other.story("3") == "accepted acked");
}

TEST_CASE("owner: somebody else may queue a release of nothing while another is in flight",
          "[core][owner]") {
    World world;
    world.poll();
    world.plc.next = {accepts_after(2s)};
    world.send(command("1").open().task("T"));
    world.send(command("2").from("node-b").release());
    CHECK(world.story("2") == "accepted acked");
}

TEST_CASE("owner: owner_grace after a served car call with doors closed", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3"));
    world.advance(9900ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(200ms);
    CHECK(world.owner() == "none");
    CHECK(world.count_alarms("owner_gone") == 1);
    CHECK_FALSE(world.alarms().back().alarm);
}

TEST_CASE("owner: owner_grace after door commands only", "[core][owner]") {
    World world;
    world.poll();
    world.send(command("1").hold(1).task("T"));
    world.advance(200ms);
    world.advance(9600ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(5s);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: boarding_grace with an alarm after a served hall call", "[core][owner]") {
    World world;
    call_served(world, command("1").hall_call("3"));
    world.observe(state().at_floor("3"));
    world.advance(89s);
    CHECK(world.owner() == "node-a/task T");
    world.advance(2s);
    CHECK(world.owner() == "none");
    REQUIRE(world.count_alarms("owner_gone") == 1);
    CHECK(world.alarms().back().alarm);
}

TEST_CASE("owner: boarding_grace whenever a door is open", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.advance(80s);
    CHECK(world.owner() == "node-a/task T");
    world.advance(12s);
    CHECK(world.owner() == "none");
    CHECK(world.alarms().back().alarm);
}

TEST_CASE("owner: silence never frees an occupied car", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3").occupied(true));
    world.advance(1h);
    CHECK(world.owner() == "node-a/task T");
    world.observe(state().at_floor("3").occupied(false));
    world.advance(9900ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(200ms);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: no grace runs while the elevator cannot be read", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3"));
    world.plc.online = false;
    world.advance(10min);
    CHECK(world.owner() == "node-a/task T");
    world.plc.online = true;
    world.advance(9900ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(400ms);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: a gap in the readings breaks the grace even if nobody looked meanwhile",
          "[core][owner]") {
    World world;
    world.automatic.poll = false;
    world.observe(state());
    world.send(command("1").hold(1).task("T"));
    world.advance(200ms);
    world.poll();
    REQUIRE(world.owner() == "node-a/task T");
    // The loop stands still for 9 s: no deadline is served, then a reading comes.
    world.stall(9s);
    world.poll();
    for (int i = 0; i < 10; ++i) {
        world.advance(500ms);
        world.poll();
    }
    CHECK(world.owner() == "node-a/task T");
}

TEST_CASE("owner: a message of the owner restarts its grace", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3"));
    world.advance(9s);
    world.send(command("1").car_call("3").task("T"));  // a repeat is a message too
    world.advance(9900ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(200ms);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: messages refused before the journal do not count as sent", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3"));
    world.advance(9s);
    world.play(JournalPressure{false});
    world.send(command("2").car_call("5").task("T"));
    world.send(command("1").car_call("4").task("T"));
    world.advance(1200ms);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: something of the owner in the queue keeps the ownership", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3").door(DoorState::opening));
    world.send(command("2").close().task("T").ttl(10min));
    world.advance(5min);
    CHECK(world.story("2") == "accepted");
    CHECK(world.owner() == "node-a/task T");
    CHECK(world.last("2").status == Status::accepted);
}

TEST_CASE("owner: the end of a queued command restarts the grace", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3").door(DoorState::opening));
    world.send(command("2").close().task("T").ttl(30s));
    world.advance(30s);
    CHECK(world.story("2") == "accepted expired(ttl)");
    world.observe(state().at_floor("3"));
    world.advance(9900ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(400ms);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: a failed command of the owner restarts its grace", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3"));
    world.advance(8s);
    world.plc.next = {answers(AckResult::refused)};
    world.send(command("2").car_call("5").task("T"));
    world.advance(1s);
    CHECK(world.story("2") == "accepted sent failed(plc_refused)");
    world.advance(8900ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(1s);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: an unknown outcome of the owner keeps it until a person has looked",
          "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.plc.on_execute = nullptr;
    world.plc.next = {answers(AckResult::none)};
    world.send(command("2").close().task("T"));
    world.advance(15s);
    CHECK(world.channel() == Channel::locked_out);
    world.observe(state().at_floor("3"));
    world.advance(5min);
    CHECK(world.owner() == "node-a/task T");
}

TEST_CASE("owner: what waits for the ownership is sent when it ends", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.send(command("2").from("node-b").car_call("1"));
    world.send(command("3").close().task("T"));
    world.run_until([&] { return world.story("3").ends_with("served"); }, 10s);
    CHECK(world.story("2") == "accepted");
    world.advance(11s);
    CHECK(world.story("2").starts_with("accepted sent acked"));
    CHECK(world.owner() == "node-b/trip 2");
}

TEST_CASE("owner: the session topic names the owner at once", "[core][owner]") {
    World world;
    world.poll();
    bool seen = false;
    world.tap = [&](TimePoint, const Event*, const Actions& actions) {
        for (const Action& action : actions) {
            const auto* session = std::get_if<PublishSession>(&action);
            seen = seen || (session != nullptr && session->view.owner);
        }
    };
    world.send(command("1").open());
    CHECK_FALSE(seen);
    world.advance(200ms);
    CHECK(seen);
}

TEST_CASE("owner: a command that expires in the queue restarts the grace, though the car stood",
          "[core][owner]") {
    World world;
    world.poll();
    world.send(command("1").hold(1).task("T"));
    world.advance(200ms);
    for (int i = 0; i < 100; ++i) {
        world.plc.next.push_back(answers(AckResult::busy));
    }
    world.send(command("2").close().task("T").ttl(8s));
    world.advance(8200ms);
    REQUIRE(world.story("2").ends_with("expired(ttl)"));
    world.advance(9500ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(1s);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: something of the owner in flight keeps the ownership", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.observe(state().at_floor("3"));
    world.plc.next = {ignores};
    world.send(command("2").open().task("T"));
    world.observe(state().at_floor("3").mode(ServiceMode::fire));
    world.advance(60s);
    CHECK(world.channel() == Channel::verifying);
    CHECK(world.owner() == "node-a/task T");
}

TEST_CASE("owner: a new call makes the served one before it count no more", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.plc.on_execute = nullptr;
    world.observe(state().at_floor("3"));
    world.send(command("2").car_call("5").task("T"));
    world.advance(30s);
    CHECK(world.story("2") == "accepted sent acked not_served");
    CHECK(world.owner() == "node-a/task T");
    world.advance(70s);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: the grace counts from the acknowledgement, not from the message",
          "[core][owner]") {
    World world;
    world.poll();
    world.send(command("1").hold(1).task("T"));
    world.advance(1s);
    world.plc.next = {accepts_after(2500ms)};
    world.send(command("2").hold(2).task("T"));
    REQUIRE(
        world.run_until([&] { return world.story("2").starts_with("accepted sent acked"); }, 4s));
    world.advance(9800ms);
    CHECK(world.owner() == "node-a/task T");
    world.advance(400ms);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: a grace begins anew with the outcome of set_mode", "[core][owner]") {
    World world;
    call_served(world, command("1").car_call("3"));
    world.plc.next = {accepts_after(2s)};
    world.send(command("2").set_mode(OrderedMode::agv).task("T"));
    world.advance(91s);  // since it was sent; boarding_grace is 90 s
    CHECK(world.owner() == "node-a/task T");
    world.advance(3s);
    CHECK(world.owner() == "none");
}

TEST_CASE("owner: a grace begins anew when an operator resolves its command", "[core][owner]") {
    World world;
    world.poll();
    world.send(command("0").hold(1).task("T"));
    world.advance(1s);
    world.plc.next = {answers(AckResult::none)};
    world.send(command("1").close().task("T"));
    REQUIRE(world.run_until([&] { return world.channel() == Channel::locked_out; }, 30s));
    world.advance(200s);
    world.reset(TookEffect::no);
    CHECK(world.owner() == "node-a/task T");
    world.advance(9s);
    CHECK(world.owner() == "node-a/task T");
    world.advance(2s);  // owner_grace is 10 s
    CHECK(world.owner() == "none");
}
