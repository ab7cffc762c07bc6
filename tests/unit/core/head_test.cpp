// Who is next, and what the head of each party is told.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// task T owns the elevator, the car stands at 1 with `door`.
void own(World& world, DoorState door) {
    world.poll();
    world.send(command("own").hold(1).task("T"));
    world.advance(200ms);
    world.observe(state().door(door));
}

}  // namespace

TEST_CASE("head: commands are sent in the order of receipt", "[core][head]") {
    World world;
    world.drive_car();
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("2"));
    world.send(command("2").open());
    world.send(command("3").hold(5));
    world.observe(state());
    world.run_until([&] { return world.plc.executed.size() == 3; }, 60s);
    CHECK(world.written() == "car_call 2 #1, open_door front #2, hold_door front 5 s #3");
}

TEST_CASE("head: the order of receipt holds for commands of the same moment", "[core][head]") {
    World world;
    world.poll();
    world.automatic.grant = false;
    world.send(command("1").from("a").open());
    world.send(command("2").from("b").car_call("2"));
    world.send(command("3").from("b").open());
    world.close_grant();
    world.close_grant();
    REQUIRE(world.status().session.queue.size() == 3);
    CHECK(world.status().session.queue[0].seq == Seq{"1"});
    CHECK(world.status().session.queue[1].seq == Seq{"2"});
    CHECK(world.status().session.queue[2].seq == Seq{"3"});
}

TEST_CASE("head: a command that must wait holds back its own party only", "[core][head]") {
    World world;
    own(world, DoorState::open);
    world.send(command("1").from("node-b").car_call("3"));
    world.send(command("2").from("node-b").open());
    world.send(command("3").hold(5).task("T"));
    CHECK(world.story("1") == "accepted");
    CHECK(world.story("2") == "accepted");
    CHECK(world.story("3") == "accepted sent");
}

TEST_CASE("head: a command of a party does not overtake the one before it", "[core][head]") {
    World world;
    own(world, DoorState::opening);
    world.send(command("1").close().task("T"));
    world.send(command("2").open().task("T"));
    world.advance(1s);
    CHECK(world.story("1") == "accepted");
    CHECK(world.story("2") == "accepted");
    CHECK(world.writes().size() == 1);
}

TEST_CASE("head: the TTL ends a command wherever it stands in the queue", "[core][head]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3").ttl(60s));
    world.send(command("2").open().ttl(2s));
    world.advance(1999ms);
    CHECK(world.story("2") == "accepted");
    world.advance(1ms);
    CHECK(world.story("2") == "accepted expired(ttl)");
    CHECK(world.story("1") == "accepted");
}

TEST_CASE("head: a command that arrives expired is accepted and expired, never written",
          "[core][head]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3").ttl(0s));
    CHECK(world.story("1") == "accepted expired(ttl)");
    world.send(command("2").car_call("3").ttl(-5s));
    CHECK(world.story("2") == "accepted expired(ttl)");
    CHECK(world.writes().empty());
}

TEST_CASE("head: a TTL that ends in front of the PLC's busy is never written late",
          "[core][head]") {
    World world;
    world.poll();
    world.plc.next = {answers(AckResult::busy)};
    world.send(command("1").car_call("3").ttl(150ms));
    world.advance(2s);
    CHECK(world.story("1") == "accepted sent expired(ttl)");
    CHECK(world.writes().size() == 1);
}

TEST_CASE("head: fire refuses everything that waits, with the reason", "[core][head]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3"));
    world.send(command("2").from("node-b").open());
    world.observe(state().mode(ServiceMode::fire));
    CHECK(world.story("1") == "accepted rejected(out_of_service)");
    CHECK(world.story("2") == "accepted rejected(out_of_service)");
    world.advance(60s);
    CHECK(world.writes().empty());
}

TEST_CASE("head: a fault refuses everything that waits and raises one alarm", "[core][head]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3"));
    world.observe(state().fault(12));
    CHECK(world.story("1") == "accepted rejected(elevator_fault)");
    CHECK(world.last("1").detail.find("12") != std::string::npos);
    world.advance(10s);
    CHECK(world.count_alarms("elevator_fault") == 1);
    world.observe(state());
    world.observe(state().fault(12));
    CHECK(world.count_alarms("elevator_fault") == 2);
}

TEST_CASE("head: a floor that jumps with an open door refuses as a fault", "[core][head]") {
    World world;
    world.observe(state().at_floor("1").door(DoorState::open));
    world.observe(state().at_floor("4").door(DoorState::open));
    CHECK(world.phase() == Phase::error);
    world.send(command("1").open());
    CHECK(world.story("1") == "accepted rejected(elevator_fault)");
    CHECK(world.count_alarms("elevator_fault") == 1);
}

TEST_CASE("head: an unmapped service mode counts as normal", "[core][head]") {
    GatewayConfig config = site();
    config.elevators[0].maps_mode = false;
    World world(config);
    world.poll();
    world.send(command("1").car_call("3"));
    CHECK(world.story("1") == "accepted sent");
}

TEST_CASE("head: require_mode agv refuses everything but set_mode in normal", "[core][head]") {
    GatewayConfig config = site();
    config.elevators[0].require_agv_mode = true;
    World world(config);
    world.drive_car();
    world.poll();
    world.send(command("1").car_call("3"));
    world.send(command("2").open());
    CHECK(world.story("1") == "accepted rejected(out_of_service)");
    CHECK(world.story("2") == "accepted rejected(out_of_service)");
    world.send(command("3").set_mode(OrderedMode::agv));
    CHECK(world.run_until([&] { return world.story("3").ends_with("served"); }, 10s));
    world.send(command("4").car_call("3"));
    world.advance(1s);
    CHECK(world.story("4").starts_with("accepted sent acked"));
}

TEST_CASE("head: after set_mode everything waits until the mode reads as ordered", "[core][head]") {
    World world;
    world.poll();
    world.send(command("1").set_mode(OrderedMode::agv));
    world.send(command("2").car_call("3"));
    world.advance(2s);
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.story("2") == "accepted");
    world.observe(state().mode(ServiceMode::agv));
    CHECK(world.story("1") == "accepted sent acked served");
    CHECK(world.story("2") == "accepted sent");
}

TEST_CASE("head: a mode that never shows is not_served and waits for effect_timeout only",
          "[core][head]") {
    World world;
    world.poll();
    world.send(command("1").set_mode(OrderedMode::agv));
    world.send(command("2").car_call("3"));
    world.advance(4900ms);
    CHECK(world.story("2") == "accepted");
    world.advance(300ms);
    CHECK(world.story("1") == "accepted sent acked not_served");
    CHECK(world.story("2").starts_with("accepted sent"));
}

TEST_CASE("head: set_mode gives no ownership", "[core][head]") {
    World world;
    world.drive_car();
    world.poll();
    world.send(command("1").set_mode(OrderedMode::agv));
    world.run_until([&] { return world.story("1").ends_with("served"); }, 10s);
    CHECK(world.owner() == "none");
}

TEST_CASE("door command with floor: waits while the car moves, then is sent there",
          "[core][head]") {
    World world;
    own(world, DoorState::closed);
    world.observe(state().travel(Travel::up));
    world.send(command("1").open().at_floor("2").task("T"));
    world.send(command("x").from("node-b").open());
    CHECK(world.story("1") == "accepted");
    world.observe(state().at_floor("2"));
    CHECK(world.story("1") == "accepted sent");
}

TEST_CASE("door command with floor: standing elsewhere it is door_not_here", "[core][head]") {
    World world;
    own(world, DoorState::closed);
    world.send(command("1").open().at_floor("2").task("T"));
    CHECK(world.story("1") == "accepted rejected(door_not_here)");
    CHECK(world.last("1").detail.find("1") != std::string::npos);
    world.observe(state().at_floor("2"));
    world.send(command("2").open().at_floor("2").task("T"));
    CHECK(world.story("2") == "accepted sent");
}

TEST_CASE("door command with floor: a floor that cannot be read is not that floor",
          "[core][head]") {
    World world;
    own(world, DoorState::closed);
    world.observe(state().no_floor());
    world.send(command("1").open().at_floor("1").task("T"));
    CHECK(world.story("1") == "accepted rejected(door_not_here)");
}

TEST_CASE("door command with floor: waits for this party's unserved call to that floor",
          "[core][head]") {
    World world;
    world.drive_car();
    world.poll();
    world.send(command("1").car_call("3").task("T"));
    world.send(command("2").hold(5).at_floor("3").task("T"));
    world.advance(250ms);  // acknowledged, the car still stands at 1
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.story("2") == "accepted");
    CHECK(world.run_until([&] { return world.story("2").ends_with("served"); }, 30s));
    CHECK(world.story("2") == "accepted sent acked served");
    CHECK(world.plc.state.floor == FloorLabel{"3"});
}

TEST_CASE("door command: a side the floor lacks is door_not_here at the head", "[core][head]") {
    World world(site(two_sided_config()));
    world.observe(state().at_floor("2").rear(DoorState::closed));
    world.send(command("1").open().side(Side::front));
    CHECK(world.story("1") == "accepted rejected(door_not_here)");
    CHECK(world.last("1").detail.find("front") != std::string::npos);
    world.send(command("2").open().side(Side::rear));
    CHECK(world.story("2") == "accepted sent");
}

TEST_CASE("door command: a side is judged where the car stands, not where it passes",
          "[core][head]") {
    World world(site(two_sided_config()));
    world.observe(state().at_floor("2").rear(DoorState::closed).travel(Travel::down));
    world.send(command("1").open().side(Side::front));
    CHECK(world.story("1") == "accepted");
    world.observe(state().at_floor("1").rear(DoorState::closed));
    CHECK(world.story("1") == "accepted sent");
}

TEST_CASE("reversal guard: one reversal of a closing door within 6 s, over all owners",
          "[core][head]") {
    World world;
    own(world, DoorState::closing);
    world.send(command("1").open().task("T"));
    CHECK(world.story("1") == "accepted sent");
    world.advance(1s);
    world.observe(state().door(DoorState::open));
    world.advance(1s);
    world.observe(state().door(DoorState::closing));
    world.send(command("2").open().task("T"));
    CHECK(world.story("2") == "accepted");
    world.advance(3900ms);
    CHECK(world.story("2") == "accepted");
    world.advance(200ms);
    CHECK(world.story("2").starts_with("accepted sent"));
}

TEST_CASE("reversal guard: another owner does not get a second reversal", "[core][head]") {
    World world;
    own(world, DoorState::closing);
    world.send(command("1").open().task("T"));
    world.advance(1s);
    world.observe(state().door(DoorState::open));
    world.send(command("2").release().task("T"));
    world.send(command("3").from("node-b").hold(3));
    world.advance(1s);
    CHECK(world.owner() == "node-b/trip 3");
    world.observe(state().door(DoorState::closing));
    world.send(command("4").from("node-b").open());
    CHECK(world.story("4") == "accepted");
    world.advance(4100ms);
    CHECK(world.story("4").starts_with("accepted sent"));
}

TEST_CASE("reversal guard: hold_door on a closing door is a reversal too", "[core][head]") {
    World world;
    own(world, DoorState::closing);
    world.send(command("1").hold(5).task("T"));
    CHECK(world.story("1") == "accepted sent");
    world.advance(1s);
    world.observe(state().door(DoorState::closing));
    world.send(command("2").hold(5).task("T"));
    world.send(command("3").close().task("T"));
    world.advance(1s);
    CHECK(world.story("2") == "accepted");
}

TEST_CASE("reversal guard: a write of unknown outcome counts as a reversal", "[core][head]") {
    World world;
    own(world, DoorState::closing);
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").open().task("T"));
    world.plc.write_outcome = WriteOutcome::Kind::confirmed;
    world.advance(600ms);
    world.observe(state().door(DoorState::closing));
    world.send(command("2").hold(5).task("T"));
    world.advance(1s);
    CHECK(world.story("2") == "accepted");
}

TEST_CASE("reversal guard: counts for each side by itself", "[core][head]") {
    World world(site(two_sided_config()));
    world.observe(state().rear(DoorState::closed));
    world.send(command("own").hold(1).task("T"));
    world.advance(200ms);
    world.observe(state().door(DoorState::closing).rear(DoorState::closing));
    world.send(command("1").open().side(Side::front).task("T"));
    world.advance(300ms);
    world.observe(state().door(DoorState::open).rear(DoorState::closing));
    world.observe(state().door(DoorState::closing).rear(DoorState::closing));
    world.send(command("2").open().side(Side::rear).task("T"));
    CHECK(world.story("2") == "accepted sent");
    world.advance(300ms);
    world.observe(state().door(DoorState::closing).rear(DoorState::open));
    world.observe(state().door(DoorState::closing).rear(DoorState::closing));
    world.send(command("3").hold(5).side(Side::front).task("T"));
    CHECK(world.story("3") == "accepted");
}

TEST_CASE("assumed: what is really seen may forbid what the order would allow", "[core][head]") {
    World world;
    own(world, DoorState::closed);
    world.send(command("1").open().task("T"));
    world.advance(200ms);
    CHECK(world.story("1") == "accepted sent acked");
    // A passenger's call takes the car away before the door has begun to open.
    world.observe(state().travel(Travel::up));
    world.send(command("2").hold(5).task("T"));
    world.advance(1s);
    CHECK(world.story("2") == "accepted");
}

TEST_CASE("assumed: the next command does not land on a car about to start", "[core][head]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3").task("T"));
    world.advance(200ms);
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.phase() == Phase::idle);  // what the PLC reports
    world.send(command("2").car_call("4").task("T"));
    world.send(command("3").open().task("T"));
    world.advance(4500ms);
    CHECK(world.writes().size() == 1);
    world.advance(700ms);
    CHECK(world.story("1") == "accepted sent acked not_served");
    CHECK(world.story("2").starts_with("accepted sent"));
}

TEST_CASE("unowned_open: the next call is sent after a door stood open unowned for 15 s",
          "[core][head]") {
    World world;
    world.observe(state().door(DoorState::open));
    world.send(command("1").car_call("3").ttl(60s));
    world.advance(14900ms);
    CHECK(world.story("1") == "accepted");
    world.advance(200ms);
    CHECK(world.story("1").starts_with("accepted sent"));
}

TEST_CASE("unowned_open: never while occupied is set", "[core][head]") {
    World world;
    world.observe(state().door(DoorState::open).occupied(true));
    world.send(command("1").car_call("3").ttl(10min));
    world.advance(60s);
    CHECK(world.story("1") == "accepted");
    world.observe(state().door(DoorState::open).occupied(false));
    world.advance(14900ms);
    CHECK(world.story("1") == "accepted");
    world.advance(200ms);
    CHECK(world.story("1").starts_with("accepted sent"));
}

TEST_CASE("unowned_open: with parks_open a call is sent at once", "[core][head]") {
    GatewayConfig config = site();
    config.elevators[0].parks_open = true;
    World world(config);
    world.observe(state().door(DoorState::open));
    world.send(command("1").car_call("3").wait(false));
    CHECK(world.story("1") == "accepted sent");
}

TEST_CASE("coalesce: a second order for the same names the first and gives no ownership",
          "[core][head]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.send(command("2").from("node-b").car_call("3"));
    world.advance(300ms);
    CHECK(world.story("2") == "accepted coalesced");
    CHECK(world.last("2").of == CommandRef{SourceId{"node-a"}, Seq{"1"}});
    CHECK(world.owner() == "node-a/trip 1");
    CHECK(world.plc.executed.size() == 1);
    world.send(command("3").from("node-b").car_call("3"));
    CHECK(world.story("3") == "accepted coalesced");
}

TEST_CASE("coalesce: waits for the acknowledgement of the first", "[core][head]") {
    World world;
    world.poll();
    world.plc.next = {accepts_after(2s)};
    world.send(command("1").car_call("3"));
    world.send(command("2").from("node-b").car_call("3").wait(false));
    world.advance(1900ms);
    CHECK(world.story("2") == "accepted");
    world.advance(400ms);
    CHECK(world.story("2") == "accepted coalesced");
}

TEST_CASE("coalesce: not with a command that failed", "[core][head]") {
    World world;
    world.poll();
    world.plc.next = {answers(AckResult::refused)};
    world.send(command("1").car_call("3"));
    world.send(command("2").from("node-b").car_call("3"));
    world.advance(500ms);
    CHECK(world.story("1") == "accepted sent failed(plc_refused)");
    CHECK(world.story("2") == "accepted sent acked");
}

TEST_CASE("coalesce: not after anything else was sent", "[core][head]") {
    World world;
    own(world, DoorState::open);
    world.send(command("1").close().task("T"));
    world.advance(200ms);
    CHECK(world.story("1").starts_with("accepted sent acked"));
    world.plc.next = {answers(AckResult::refused)};
    world.send(command("2").open().task("T"));
    world.advance(300ms);
    CHECK(world.story("2") == "accepted sent failed(plc_refused)");
    world.send(command("3").from("node-b").close());
    world.advance(300ms);
    CHECK(world.story("3") == "accepted");
}

TEST_CASE("coalesce: after coalesce_window the same order is sent", "[core][head]") {
    World world;
    world.drive_car();
    world.observe(state().at_floor("3"));
    world.send(command("1").car_call("3"));
    world.run_until([&] { return world.story("1").ends_with("served"); }, 10s);
    world.advance(5s);
    world.send(command("2").car_call("3"));
    CHECK(world.story("2") == "accepted sent");
}

TEST_CASE("coalesce: is judged again by the fresh read", "[core][head]") {
    World world;
    world.drive_car();
    world.observe(state().at_floor("3"));
    world.send(command("1").car_call("3"));
    world.run_until([&] { return world.story("1").ends_with("served"); }, 10s);
    world.automatic.poll = false;
    world.observe(state().at_floor("3"));  // closed again: the effect is gone
    world.automatic.grant = false;
    world.send(command("2").car_call("3"));
    world.plc.state.front = DoorState::opening;  // by a passenger's button meanwhile
    world.open_grant();
    CHECK(world.released() == 1);
    CHECK(world.story("2") == "accepted coalesced");
}

TEST_CASE("head: wait false is judged at the head of the party only", "[core][head]") {
    World world;
    own(world, DoorState::opening);
    world.send(command("1").close().task("T"));
    world.send(command("2").car_call("3").task("T").wait(false));
    world.send(command("3").from("node-b").car_call("3").wait(false));
    CHECK(world.story("1") == "accepted");
    CHECK(world.story("2") == "accepted");
    CHECK(world.story("3") == "accepted rejected(elevator_busy)");
}

TEST_CASE("head: wait false is not judged while the channel is not ready", "[core][head]") {
    World world;
    world.poll();
    world.plc.next = {accepts_after(1s)};
    world.send(command("1").open().task("T"));
    world.send(command("2").from("node-b").car_call("3").wait(false));
    world.advance(900ms);
    CHECK(world.story("2") == "accepted");
    world.advance(500ms);
    CHECK(world.story("2") == "accepted rejected(elevator_busy)");
}

TEST_CASE("head: the TTL also runs while the message waited for the ledger", "[core][head]") {
    World world;
    world.automatic.poll = false;
    world.observe(state().travel(Travel::up));
    const TimePoint received_at = world.now();
    world.advance(800ms);
    world.play(CommandReceived{
        DeliveryId{77}, command("1").car_call("3").ttl(1s), std::nullopt, received_at});
    world.poll();
    CHECK(world.story("1") == "accepted");
    world.advance(199ms);
    CHECK(world.story("1") == "accepted");
    world.advance(1ms);
    CHECK(world.story("1") == "accepted expired(ttl)");
}

TEST_CASE("head: fire refuses at once what waits behind a command in flight", "[core][head]") {
    World world;
    world.poll();
    world.plc.next = {accepts_after(2s)};
    world.send(command("1").open().task("T"));
    world.send(command("2").close().task("T"));
    world.send(command("3").from("node-b").car_call("3"));
    world.observe(state().mode(ServiceMode::fire));
    CHECK(world.channel() == Channel::in_flight);
    CHECK(world.story("2") == "accepted rejected(out_of_service)");
    CHECK(world.story("3") == "accepted rejected(out_of_service)");
}

TEST_CASE("assumed: a call to the floor the car is passing is a call elsewhere", "[core][head]") {
    GatewayConfig config = site();
    config.elevators[0].calls_while_moving = CallsWhileMoving::allow;
    World world(config);
    own(world, DoorState::closed);
    world.observe(state().at_floor("3").travel(Travel::up));
    world.send(command("1").car_call("3").task("T"));
    world.advance(8s);
    CHECK(world.story("1") == "accepted sent acked");
}
