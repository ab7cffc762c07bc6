// Heartbeat, state and session, deadlines, determinism.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

template <class A>
std::vector<A> all_of(const Actions& actions) {
    std::vector<A> found;
    for (const Action& action : actions) {
        if (const auto* it = std::get_if<A>(&action)) {
            found.push_back(*it);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("heartbeat: counts on at its period, from the first fresh read", "[core][heartbeat]") {
    World world;
    world.automatic.poll = false;
    CHECK(all_of<WriteHeartbeat>(world.advance(5s)).empty());
    world.automatic.poll = true;
    const auto beats = all_of<WriteHeartbeat>(world.advance(10s));
    REQUIRE(beats.size() >= 5);
    for (std::size_t i = 0; i < beats.size(); ++i) {
        CHECK(beats[i].value == i + 1);
    }
    CHECK(beats.size() <= 6);
}

TEST_CASE("heartbeat: none without a register", "[core][heartbeat]") {
    GatewayConfig config = site();
    config.elevators[0].maps_heartbeat = false;
    World world(config);
    CHECK(all_of<WriteHeartbeat>(world.advance(10s)).empty());
}

TEST_CASE("heartbeat: stops when the bus stalls", "[core][heartbeat]") {
    World world;
    world.advance(5s);
    world.plc.online = false;
    world.advance(2s);
    CHECK(all_of<WriteHeartbeat>(world.advance(20s)).empty());
    world.plc.online = true;
    CHECK_FALSE(all_of<WriteHeartbeat>(world.advance(3s)).empty());
}

TEST_CASE("heartbeat: stops when the journal stalls", "[core][heartbeat]") {
    World world;
    world.advance(5s);
    world.automatic.commit = false;
    world.send(command("1").from("x").release());
    world.advance(3s);
    CHECK(all_of<WriteHeartbeat>(world.advance(20s)).empty());
    world.automatic.commit = true;
    world.commit_all();
    CHECK_FALSE(all_of<WriteHeartbeat>(world.advance(3s)).empty());
}

TEST_CASE("heartbeat: goes on in fire and when locked out", "[core][heartbeat]") {
    World world;
    world.poll();
    world.observe(state().mode(ServiceMode::fire));
    CHECK(all_of<WriteHeartbeat>(world.advance(10s)).size() >= 4);
    world.plc.echo = 9;
    world.poll();
    REQUIRE(world.channel() == Channel::locked_out);
    CHECK(all_of<WriteHeartbeat>(world.advance(10s)).size() >= 4);
}

TEST_CASE("heartbeat: goes on while a command with an echo of its own is in flight",
          "[core][heartbeat]") {
    World world;
    world.poll();
    world.send(command("0").hold(1));
    world.advance(1s);
    world.plc.next = {accepts_after(1h)};
    world.send(command("1").hold(2));
    CHECK_FALSE(all_of<WriteHeartbeat>(world.advance(2500ms)).empty());
}

TEST_CASE("state: is published on change and at least every 5 s", "[core][report]") {
    World world;
    world.poll();
    CHECK(all_of<PublishState>(world.poll()).empty());
    const auto changed = all_of<PublishState>(world.observe(state().door(DoorState::opening)));
    REQUIRE(changed.size() == 1);
    CHECK(changed[0].view.phase == Phase::door_opening);
    CHECK(changed[0].view.quality == Quality::good);
    const auto later = world.advance(20s);
    CHECK(all_of<PublishState>(later).size() >= 4);
    CHECK(all_of<PublishState>(later).size() <= 5);
    CHECK(all_of<PublishSession>(later).size() >= 4);
}

TEST_CASE("state: going stale is a change of its own, and old values keep their age",
          "[core][report]") {
    World world;
    world.poll();
    const TimePoint seen_at = world.now();
    world.plc.online = false;
    const auto views = all_of<PublishState>(world.advance(1100ms));
    REQUIRE_FALSE(views.empty());
    CHECK(views.back().view.quality == Quality::stale);
    CHECK(views.back().view.phase == Phase::offline);
    CHECK(views.back().view.observation);
    CHECK(views.back().view.observed_at == seen_at);
    const auto again = all_of<PublishState>(world.advance(20s));
    REQUIRE_FALSE(again.empty());
    CHECK(again.back().view.observed_at == seen_at);
}

TEST_CASE("state: an undecodable reading has quality unknown", "[core][report]") {
    World world;
    world.observe(state().undecodable("door 9"));
    CHECK(world.status().state.quality == Quality::unknown);
    CHECK(world.phase() == Phase::offline);
}

TEST_CASE("state: the channel shows ready, in_flight, verifying and locked_out", "[core][report]") {
    World world;
    world.poll();
    CHECK(world.channel() == Channel::ready);
    world.plc.next = {answers(AckResult::none)};
    world.send(command("1").hold(1));
    CHECK(world.channel() == Channel::in_flight);
    world.advance(4s);
    CHECK(world.channel() == Channel::verifying);
    world.advance(10s);
    CHECK(world.channel() == Channel::locked_out);
}

TEST_CASE("session: lists what waits, with positions", "[core][report]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3"));
    world.send(command("2").from("node-b").car_call("4"));
    const SessionView view = world.status().session;
    REQUIRE(view.queue.size() == 2);
    CHECK(view.queue[0] == QueueEntry{Seq{"1"}, SourceId{"node-a"}, 1});
    CHECK(view.queue[1] == QueueEntry{Seq{"2"}, SourceId{"node-b"}, 2});
    CHECK(view.mode == ArbitrationMode::standalone);
    CHECK(world.last("2").position == 2U);
}

TEST_CASE("status: names the command that has the bus", "[core][report]") {
    World world;
    world.poll();
    CHECK_FALSE(world.status().in_flight);
    world.send(command("1").hold(1));
    CHECK(world.status().in_flight == CommandRef{SourceId{"node-a"}, Seq{"1"}});
}

TEST_CASE("deadline: calling on_time early or often changes nothing", "[core][report]") {
    World world;
    world.poll();
    world.send(command("1").hold(1));
    world.advance(1s);
    // World::advance checks after every call that the next deadline lies in the future.
    for (int i = 0; i < 100; ++i) {
        world.advance(1ms);
    }
    CHECK(world.writes().size() == 1);
}

TEST_CASE("deadline: on_time called late does what was due", "[core][report]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3").ttl(5s));
    world.stall(1h);
    world.advance(0s);
    CHECK(world.story("1").starts_with("accepted expired"));
}

TEST_CASE("deadline: an elevator at rest wakes for its publications and stale reading only",
          "[core][report]") {
    GatewayConfig config = site();
    config.elevators[0].maps_heartbeat = false;
    World world(config);
    world.automatic.poll = false;
    world.poll();
    int calls = 0;
    world.tap = [&](TimePoint, const Event* event, const Actions&) {
        calls += event == nullptr ? 1 : 0;
    };
    world.advance(60s);
    CHECK(calls <= 14);
}

TEST_CASE("determinism: the same events give the same actions", "[core][report]") {
    const auto play = [] {
        Actions all;
        World world;
        world.tap = [&](TimePoint, const Event*, const Actions& actions) {
            all.insert(all.end(), actions.begin(), actions.end());
        };
        world.drive_car();
        world.poll();
        world.plc.next = {accepts, ignores, accepts_after(1s), answers(AckResult::busy)};
        for (int i = 0; i < 12; ++i) {
            const std::string source = i % 2 == 0 ? "node-a" : "node-b";
            const auto seq = std::to_string(i);
            world.send(command(seq).from(source).car_call(std::to_string(1 + i % 5)));
            world.send(command(seq + "d").from(source).open().ttl(8s));
            world.advance(1700ms);
            if (i == 5) {
                world.crash();
            }
        }
        world.plc.echo = 999;
        world.advance(5s);
        world.reset(TookEffect::no);
        world.advance(60s);
        return all;
    };
    const Actions first = play();
    CHECK(first.size() > 200);
    CHECK(first == play());
}

TEST_CASE("wire_seq: wraps from 65535 to 1 in flight and skips 0", "[core][echo]") {
    World world;
    world.plc.echo = 65533;
    world.poll();
    world.reset();
    for (const int next : {65534, 65535, 1, 2}) {
        const auto expected = static_cast<std::uint16_t>(next);
        world.send(command(std::to_string(expected)).hold(1));
        CHECK(world.writes().back().command.wire_seq == WireSeq{expected});
        world.advance(1s);
        CHECK(world.plc.echo == expected);
    }
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("two elevators: each has its own queue, gate and lock-out", "[core][report]") {
    GatewayConfig config = site();
    ElevatorConfig second = elevator_config();
    second.id = ElevatorId{"EL002"};
    config.elevators.push_back(second);
    Gateway gateway(config, "boot", {}, TimePoint{1h});
    Actions out;
    const auto count_grants = [&](const std::string& elevator) {
        int found = 0;
        for (const RequestGrant& grant : all_of<RequestGrant>(out)) {
            found += grant.elevator.str() == elevator ? 1 : 0;
        }
        return found;
    };
    const auto commit = [&] {
        const Actions before = std::exchange(out, {});
        for (const Commit& it : all_of<Commit>(before)) {
            gateway.handle(TimePoint{1h}, Committed{it.ticket}, out);
        }
    };
    gateway.handle(TimePoint{1h}, Observed{el001, reading(TimePoint{1h}, state())}, out);
    gateway.handle(TimePoint{1h}, Observed{second.id, reading(TimePoint{1h}, state(), 9)}, out);
    commit();
    gateway.handle(
        TimePoint{1h}, CommandReceived{DeliveryId{1}, command("1").car_call("3"), {}}, out);
    gateway.handle(TimePoint{1h},
                   CommandReceived{DeliveryId{2}, command("1").to("EL002").car_call("3"), {}},
                   out);
    commit();
    CHECK(count_grants("EL001") == 1);
    CHECK(count_grants("EL002") == 0);
    const auto status = gateway.status(TimePoint{1h});
    REQUIRE(status.size() == 2);
    CHECK(status[0].lock_out == LockOut::none);
    CHECK(status[1].lock_out == LockOut::ledger_lost);
}

TEST_CASE("state: going stale is published at its moment, without any event", "[core][report]") {
    World world;
    world.automatic.poll = false;
    world.poll();
    CHECK(all_of<PublishState>(world.advance(999ms)).empty());
    const auto views = all_of<PublishState>(world.advance(1ms));
    REQUIRE(views.size() == 1);
    CHECK(views[0].view.quality == Quality::stale);
}

TEST_CASE(
    "report: a PLC that cannot be read is an alarm after three seconds, and its return a note",
    "[core][report]") {
    World world;
    world.poll();
    world.plc.online = false;
    world.advance(3500ms);
    CHECK(world.count_alarms("plc_offline") == 0);
    world.advance(1s);
    CHECK(world.count_alarms("plc_offline") == 1);
    world.advance(10s);
    CHECK(world.count_alarms("plc_offline") == 1);
    world.plc.online = true;
    world.advance(1s);
    CHECK(world.count_alarms("plc_online") == 1);
}

TEST_CASE("report: every refusal is an event too", "[core][report]") {
    World world;
    world.drive_car();
    world.poll();
    world.send(command("1").car_call("5").task("T"));
    world.advance(1s);
    world.send(command("2").from("node-b").car_call("1").wait(false));
    REQUIRE(world.story("2") == "accepted rejected(elevator_busy)");
    CHECK(world.count_alarms("refused") == 1);
    world.send(command("1").car_call("4").task("T"));
    CHECK(world.count_alarms("refused") == 2);
}

TEST_CASE("report: an expired command says what kept it", "[core][report]") {
    World world;
    world.drive_car();
    world.poll();
    world.send(command("1").car_call("5").task("T"));
    world.advance(1s);
    world.send(command("2").from("node-b").car_call("1").ttl(2s));
    world.advance(3s);
    CHECK_THAT(world.last("2").detail,
               Catch::Contains("2000 ms") && Catch::Contains("moving") &&
                   Catch::Contains("node-a/task T"));
}
