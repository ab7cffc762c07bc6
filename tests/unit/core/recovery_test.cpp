// The process dies at every step, and starts again from what was durable.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// Echo 1, door open, task T has just released it: a world with a past.
struct Warm : World {
    Warm() {
        poll();
        send(command("0").hold(1).task("T"));
        advance(1s);
        send(command("r").release().task("T"));
        observe(state().door(DoorState::open));
        REQUIRE(plc.echo == 1);
    }
};

}  // namespace

TEST_CASE("crash: what was not durable is gone, and its delivery was not settled",
          "[core][recovery]") {
    World world;
    world.poll();
    world.automatic.commit = false;
    world.send(command("1").car_call("3"));
    CHECK_FALSE(world.settled(1));
    world.automatic.commit = true;
    world.crash();
    world.poll();
    world.advance(1s);
    CHECK(world.story("1").empty());
    world.send(command("1").car_call("3"));  // the broker delivers it again
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
}

TEST_CASE("crash: queued commands resume in their order", "[core][recovery]") {
    World world;
    world.drive_car();
    world.observe(state().travel(Travel::up));
    world.send(command("1").open());
    world.send(command("2").from("node-b").car_call("3").ttl(10min));
    world.crash();
    world.observe(state());
    CHECK(world.run_until([&] { return world.plc.executed.size() == 2; }, 3min));
    CHECK(world.written() == "open_door front #1, car_call 3 #2");
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("crash: time down counts exactly for the TTL", "[core][recovery]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3").ttl(30s));
    world.stall(31s);
    world.crash();
    world.poll();
    CHECK(world.story("1").starts_with("accepted expired"));
    World in_time;
    in_time.observe(state().travel(Travel::up));
    in_time.send(command("1").car_call("3").ttl(30s));
    in_time.stall(29s);
    in_time.crash();
    in_time.observe(state());
    CHECK(in_time.story("1") == "accepted sent");
}

TEST_CASE("crash: nothing is written before the first fresh read", "[core][recovery]") {
    World world;
    world.automatic.poll = false;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3"));
    world.plc.state = state();
    world.crash();
    world.advance(10s);
    CHECK(world.grants() == 0);
    world.poll();
    CHECK(world.writes().size() == 1);
}

TEST_CASE("crash: an intent that was not durable leaves the command queued", "[core][recovery]") {
    Warm world;
    world.automatic.grant = false;
    world.send(command("1").close());
    world.automatic.commit = false;
    world.open_grant();
    world.automatic.commit = true;
    world.automatic.grant = true;
    world.crash();
    world.poll();
    CHECK(world.written() == "hold_door front 1 s #1, close_door front #2");
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("crash: an intent without a write is proved not taken and sent once",
          "[core][recovery]") {
    Warm world;
    world.automatic.write = false;
    world.send(command("1").close());
    REQUIRE(world.journal().find(Seq{"1"})->status == Status::sent);
    world.automatic.write = true;
    world.crash();
    CHECK(world.channel() == Channel::verifying);
    world.advance(3s);
    CHECK(world.plc.executed.size() == 2);
    CHECK(world.writes().back().command.wire_seq == WireSeq{2});
    CHECK(world.last("1").status == Status::acked);
    CHECK(world.last("1").elapsed.ack);
}

TEST_CASE("crash: a write that was executed is acked and not written again", "[core][recovery]") {
    Warm world;
    world.automatic.read = false;
    world.automatic.poll = false;
    world.send(command("1").close());
    REQUIRE(world.plc.executed.size() == 2);
    world.crash();
    world.automatic.read = true;
    world.automatic.poll = true;
    world.advance(5s);
    CHECK(world.plc.executed.size() == 2);
    CHECK(world.writes().size() == 2);
    CHECK(world.story("1").starts_with("accepted sent acked"));
    CHECK(world.owner() == "node-a/trip 1");
}

TEST_CASE("crash: a command that the PLC takes late after the restart is executed once",
          "[core][recovery]") {
    Warm world;
    world.plc.next = {accepts_after(350ms)};
    world.send(command("1").close());
    world.crash();
    world.advance(10s);
    CHECK(world.plc.executed.size() == 2);
    CHECK(world.story("1").find("acked") != std::string::npos);
}

TEST_CASE("crash: an outcome that was not durable is found again", "[core][recovery]") {
    Warm world;
    world.send(command("1").close());
    world.automatic.commit = false;
    world.advance(200ms);
    REQUIRE(world.plc.executed.size() == 2);
    world.automatic.commit = true;
    world.crash();
    world.advance(1s);
    CHECK(world.journal().find(Seq{"1"})->status == Status::acked);
    CHECK(world.plc.executed.size() == 2);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("crash: an unclear echo after the restart ends in unknown and lock-out",
          "[core][recovery]") {
    Warm world;
    world.plc.next = {answers(AckResult::none)};
    world.send(command("1").close());
    world.crash();
    world.advance(10s);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
    CHECK(world.channel() == Channel::locked_out);
}

TEST_CASE("crash: an unknown outcome stays unknown and locked out until reset",
          "[core][recovery]") {
    Warm world;
    world.plc.next = {answers(AckResult::none)};
    world.send(command("1").close());
    world.advance(15s);
    world.crash();
    world.poll();
    CHECK(world.status().lock_out == LockOut::unknown_outcome);
    world.send(command("1").query());
    CHECK(world.last("1").status == Status::unknown);
    world.reset(TookEffect::no);
    CHECK(world.journal().find(Seq{"1"})->status == Status::failed);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("crash: a stored echo of 0 needs the heartbeat that stood beside it",
          "[core][recovery]") {
    World kept;
    kept.poll();
    kept.advance(1s);
    kept.automatic.write = false;
    kept.send(command("1").open());
    kept.automatic.write = true;
    kept.crash();
    kept.advance(3s);
    CHECK(kept.plc.executed.size() == 1);
    CHECK(kept.story("1").find("acked") != std::string::npos);

    World restarted;
    restarted.poll();
    restarted.advance(1s);
    restarted.automatic.read = false;
    restarted.automatic.poll = false;
    restarted.send(command("1").open());
    REQUIRE(restarted.plc.executed.size() == 1);
    restarted.plc.restart();
    restarted.crash();
    restarted.automatic.read = true;
    restarted.automatic.poll = true;
    restarted.advance(20s);
    CHECK(restarted.plc.executed.size() == 1);
    CHECK(restarted.story("1") == "accepted sent unknown(ack_timeout)");
}

TEST_CASE("crash: the resend that was durable is not made a second time", "[core][recovery]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.plc.write_outcome = WriteOutcome::Kind::confirmed;
    world.plc.next = {ignores};
    world.run_until([&] { return world.writes().size() == 3; }, 3s);
    world.crash();
    world.advance(10s);
    CHECK(world.writes().size() == 3);
    CHECK(world.story("1").ends_with("failed(ack_timeout)"));
}

TEST_CASE("crash: with the link down after the restart it waits, with an alarm at once",
          "[core][recovery]") {
    Warm world;
    world.plc.next = {accepts_after(100ms)};
    world.send(command("1").close());
    world.plc.online = false;
    world.crash();
    CHECK(world.count_alarms("verify_waits") == 1);
    world.advance(60s);
    CHECK(world.channel() == Channel::verifying);
    world.plc.online = true;
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("crash: owner, its last call and the assumed phase are restored", "[core][recovery]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3").task("T"));
    world.advance(300ms);
    REQUIRE(world.story("1") == "accepted sent acked");
    world.crash();
    world.poll();
    CHECK(world.owner() == "node-a/task T");
    world.send(command("2").car_call("4").task("T"));
    world.advance(4s);
    CHECK(world.story("2") == "accepted");  // 1 is still assumed to start the car
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked not_served");
    CHECK(world.story("2").starts_with("accepted sent"));
}

TEST_CASE("crash: a follow-up is reported after the restart too", "[core][recovery]") {
    World world;
    world.drive_car();
    world.poll();
    world.send(command("1").car_call("3"));
    world.advance(1s);
    world.crash();
    CHECK(world.run_until([&] { return world.story("1") == "accepted sent acked served"; }, 60s));
}

TEST_CASE("crash: a grace goes on with what the last call was", "[core][recovery]") {
    World hall;
    hall.drive_car();
    hall.poll();
    hall.send(command("1").hall_call("3"));
    hall.run_until([&] { return hall.story("1").ends_with("served"); }, 30s);
    hall.advance(1s);
    hall.observe(state().at_floor("3"));
    hall.crash();
    hall.advance(20s);
    CHECK(hall.owner() == "node-a/trip 1");
    hall.advance(75s);
    CHECK(hall.owner() == "none");
}

TEST_CASE("crash: the trips of a source are restored", "[core][recovery]") {
    World world;
    world.poll();
    world.send(command("1").hall_call("1"));
    world.advance(300ms);
    world.crash();
    world.poll();
    world.advance(300ms);
    world.observe(state().door(DoorState::open));
    world.send(command("2").car_call("3"));
    world.advance(1s);
    CHECK(world.owner() == "node-a/trip 1");
    CHECK(world.story("2").starts_with("accepted sent"));
}

TEST_CASE("crash: coalescing goes on across it", "[core][recovery]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.advance(300ms);
    world.crash();
    world.poll();
    world.send(command("2").from("node-b").car_call("3"));
    CHECK(world.story("2") == "accepted coalesced");
}

TEST_CASE("crash: the baseline is kept, a changed echo is judged by it", "[core][recovery]") {
    Warm foreign;
    foreign.plc.echo = 9;
    foreign.crash();
    foreign.poll();
    CHECK(foreign.status().lock_out == LockOut::foreign_writer);
    Warm restarted;
    restarted.plc.restart();
    restarted.crash();
    restarted.poll();
    CHECK(restarted.channel() == Channel::ready);
    CHECK(restarted.count_alarms("plc_restarted") == 1);
}

TEST_CASE("crash: wire sequences go on after the last own one", "[core][recovery]") {
    Warm world;
    world.crash();
    world.poll();
    world.send(command("1").close());
    CHECK(world.writes().back().command.wire_seq == WireSeq{2});
}

TEST_CASE("crash: a repeat after it is answered from the journal", "[core][recovery]") {
    World world;
    world.poll();
    world.send(command("1").open());
    world.advance(1s);
    world.crash();
    world.send(command("1").open());
    CHECK(world.last("1").duplicate);
    CHECK(world.last("1").status == Status::acked);
    world.advance(5s);
    CHECK(world.plc.executed.size() == 1);
}

TEST_CASE("crash: a command the PLC was busy for does not stay sent", "[core][recovery]") {
    Warm world;
    world.plc.next = {answers(AckResult::busy)};
    world.send(command("1").close());
    world.advance(200ms);
    CHECK(world.journal().find(Seq{"1"})->status == Status::accepted);
    world.crash();
    world.advance(2s);
    CHECK(world.story("1").find("acked") != std::string::npos);
    CHECK(world.plc.executed.size() == 2);
}

TEST_CASE("reboot: every queued command is expired", "[core][recovery]") {
    World world;
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3").ttl(10min));
    world.send(command("2").from("node-b").open());
    world.reboot();
    CHECK(world.story("1") == "accepted expired(ttl)");
    CHECK(world.story("2") == "accepted expired(ttl)");
    world.observe(state());
    world.advance(1s);
    CHECK(world.writes().empty());
}

TEST_CASE("reboot: a written command is verified first, and never written again",
          "[core][recovery]") {
    Warm taken;
    taken.automatic.read = false;
    taken.automatic.poll = false;
    taken.send(command("1").close());
    taken.automatic.read = true;
    taken.automatic.poll = true;
    taken.reboot();
    taken.advance(5s);
    CHECK(taken.story("1").starts_with("accepted sent acked"));
    CHECK(taken.plc.executed.size() == 2);

    Warm not_taken;
    not_taken.plc.next = {ignores};
    not_taken.send(command("1").close().ttl(10min));
    not_taken.reboot();
    not_taken.advance(5s);
    CHECK(not_taken.story("1") == "accepted sent failed(ttl)");
    CHECK(not_taken.writes().size() == 2);
}

TEST_CASE("reboot: graces and assumption start anew", "[core][recovery]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3").task("T"));
    world.advance(4s);
    world.reboot();
    world.poll();
    world.send(command("2").car_call("4").task("T"));
    world.advance(4500ms);
    CHECK(world.story("2") == "accepted");
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked not_served");
    CHECK(world.owner() == "node-a/task T");
}

TEST_CASE("reboot: an old acknowledgement coalesces nothing", "[core][recovery]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3"));
    world.advance(300ms);
    world.reboot();
    world.poll();
    world.send(command("2").car_call("3"));
    CHECK(world.story("2") == "accepted");
}

TEST_CASE("crash: a configuration that lost the elevator leaves its rows alone",
          "[core][recovery]") {
    Recovered recovered;
    CommandRow row;
    row.command = command("1").to("EL009").car_call("3");
    row.boot_id = "boot-1";
    recovered.open_commands = {row};
    World world(site(), recovered);
    world.poll();
    world.advance(1s);
    CHECK(world.messages().empty());
}

TEST_CASE("crash: between an unknown outcome and its lock-out nothing is lost",
          "[core][recovery]") {
    Warm before;
    before.plc.next = {answers(AckResult::none)};
    before.send(command("1").close());
    before.advance(15s);
    Recovered found = before.journal().recover();
    REQUIRE(found.open_commands.size() == 1);
    found.elevators.front().lock_out = LockOut::none;
    World world(site(), found);
    world.plc.echo = 2;
    world.poll();
    CHECK(world.status().lock_out == LockOut::unknown_outcome);
}

TEST_CASE("crash: a written command of an elevator that is locked out waits for the operator",
          "[core][recovery]") {
    Warm before;
    before.plc.next = {answers(AckResult::none)};
    before.send(command("1").close());
    Recovered found = before.journal().recover();
    REQUIRE(found.open_commands.front().status == Status::sent);
    found.elevators.front().lock_out = LockOut::second_gateway;
    World world(site(), found);
    world.plc.echo = 2;
    world.plc.result = AckResult::accepted;
    world.advance(20s);
    CHECK(world.story("1") == "unknown");
    CHECK(world.status().lock_out == LockOut::second_gateway);
    world.reset(TookEffect::yes);
    CHECK(world.story("1") == "unknown acked(operator)");
}

TEST_CASE("crash: the reversal guard holds across it", "[core][recovery]") {
    Warm world;
    world.send(command("1").hold(1).task("T"));
    world.advance(1s);
    world.observe(state().door(DoorState::closing));
    world.send(command("2").open().task("T"));
    world.advance(1s);
    REQUIRE(world.story("2").starts_with("accepted sent acked"));
    world.crash();
    world.observe(state().door(DoorState::closing));
    world.send(command("3").hold(2).task("T"));
    world.advance(3s);
    CHECK(world.story("3") == "accepted");
    world.advance(4s);
    CHECK(world.story("3").starts_with("accepted sent"));
}

TEST_CASE("crash: follow-ups of one moment are durable together", "[core][recovery]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3").task("T"));
    world.advance(1s);
    world.observe(state().travel(Travel::up));
    world.observe(state());
    world.advance(9s);  // stood for settle: the next call may go
    world.send(command("2").car_call("3").task("T"));
    world.advance(1s);
    REQUIRE(world.story("2") == "accepted sent acked");
    world.observe(state().travel(Travel::up));
    world.automatic.commit = false;
    const Actions actions = world.observe(state().at_floor("3").door(DoorState::opening));
    int follow_ups = 0;
    for (const Action& action : actions) {
        const auto* commit = std::get_if<Commit>(&action);
        const auto is_served = [](const JournalWrite& write) {
            const auto* row = std::get_if<CommandRow>(&write);
            return row != nullptr && row->status == Status::served;
        };
        if (commit != nullptr) {
            follow_ups = std::max(follow_ups,
                                  static_cast<int>(std::count_if(
                                      commit->writes.begin(), commit->writes.end(), is_served)));
        }
    }
    CHECK(follow_ups == 2);
}
