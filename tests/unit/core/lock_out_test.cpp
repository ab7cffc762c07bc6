// Lock-outs, the operator who ends them, and what the PLC shows at rest.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// The outcome of command 1, a close_door of task T with wire_seq 2, is unknown.
struct Unknown : World {
    Unknown() {
        poll();
        send(command("0").hold(1).task("T"));
        advance(1s);
        send(command("r").release().task("T"));
        observe(state().door(DoorState::open));
        plc.next = {answers(AckResult::none)};
        send(command("1").close().task("T"));
        run_until([this] { return channel() == Channel::locked_out; }, 30s);
        REQUIRE(story("1") == "accepted sent unknown(ack_timeout)");
        REQUIRE(owner() == "none");
    }
};

// One command acknowledged with wire_seq 1.
struct AtRest : World {
    AtRest() {
        poll();
        send(command("0").hold(1));
        advance(1s);
        REQUIRE(story("0").starts_with("accepted sent acked"));
    }
};

}  // namespace

TEST_CASE("reset: yes resolves the command as acked with ownership", "[core][lock_out]") {
    Unknown world;
    world.reset(TookEffect::yes);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout) acked(operator)");
    CHECK(world.owner() == "node-a/task T");
    CHECK(world.channel() == Channel::ready);
    REQUIRE(world.replies().size() == 1);
    CHECK(world.replies()[0].ok);
    CHECK(world.count_alarms("reset") == 1);
}

TEST_CASE("reset: no and unknown resolve it as failed", "[core][lock_out]") {
    for (const TookEffect answer : {TookEffect::no, TookEffect::unknown}) {
        Unknown world;
        world.reset(answer);
        CHECK(world.story("1") == "accepted sent unknown(ack_timeout) failed(operator)");
        CHECK(world.owner() == "none");
        CHECK(world.channel() == Channel::ready);
    }
}

TEST_CASE("reset: closes the connection and reads a new baseline before anything else",
          "[core][lock_out]") {
    Unknown world;
    world.automatic.read = false;
    world.automatic.poll = false;
    const Actions actions = world.reset();
    int resets = 0;
    for (const Action& action : actions) {
        resets += std::holds_alternative<ResetLink>(action) ? 1 : 0;
    }
    CHECK(resets == 1);
    CHECK(world.channel() == Channel::locked_out);
    CHECK(world.replies().empty());
    world.plc.echo = 50;
    world.poll();
    CHECK(world.channel() == Channel::ready);
    world.send(command("2").open());
    CHECK(world.writes().back().command.wire_seq == WireSeq{51});
}

TEST_CASE("reset: readings from before it or through the old connection do not count",
          "[core][lock_out]") {
    Unknown world;
    world.automatic.read = false;
    world.automatic.poll = false;
    Reading before = world.plc.read(world.now() - 1ms, ReadKind::full);
    before.link += 5;
    Reading old_link = world.plc.read(world.now(), ReadKind::full);
    world.reset();
    world.play(Observed{el001, before});
    world.play(Observed{el001, old_link});
    CHECK(world.channel() == Channel::locked_out);
    world.poll();
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("reset: after it the next wire_seq follows the last own one if the echo is 0",
          "[core][lock_out]") {
    Unknown world;
    world.plc.restart();
    world.reset();
    CHECK(world.channel() == Channel::ready);
    world.send(command("2").open());
    CHECK(world.writes().back().command.wire_seq == WireSeq{3});
}

TEST_CASE("reset: an elevator that is not locked out is refused", "[core][lock_out]") {
    World world;
    world.poll();
    world.reset();
    REQUIRE(world.replies().size() == 1);
    CHECK_FALSE(world.replies()[0].ok);
    world.play(ResetRequested{RequestId{9}, ElevatorId{"EL9"}, TookEffect::no, false, "erika"});
    REQUIRE(world.replies().size() == 2);
    CHECK_FALSE(world.replies()[1].ok);
}

TEST_CASE("reset: an occupied car is refused unless forced", "[core][lock_out]") {
    Unknown world;
    world.observe(state().occupied(true));
    const std::uint64_t link = world.plc.link;
    world.reset(TookEffect::no);
    REQUIRE(world.replies().size() == 1);
    CHECK_FALSE(world.replies()[0].ok);
    CHECK(world.plc.link == link);
    CHECK(world.channel() == Channel::locked_out);
    world.reset(TookEffect::no, true);
    CHECK(world.replies().back().ok);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("reset: a car found occupied by the new reading is refused too", "[core][lock_out]") {
    Unknown world;
    world.automatic.poll = false;
    world.plc.state.occupied = true;
    world.reset(TookEffect::no);
    CHECK_FALSE(world.replies().back().ok);
    CHECK(world.channel() == Channel::locked_out);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
}

TEST_CASE("reset: with the PLC unreachable it fails after 5 s and stays locked out",
          "[core][lock_out]") {
    Unknown world;
    world.plc.online = false;
    world.reset(TookEffect::yes);
    world.advance(4900ms);
    CHECK(world.replies().empty());
    world.advance(200ms);
    REQUIRE(world.replies().size() == 1);
    CHECK_FALSE(world.replies()[0].ok);
    CHECK(world.channel() == Channel::locked_out);
    world.plc.online = true;
    world.advance(1s);
    CHECK(world.channel() == Channel::locked_out);
    world.reset(TookEffect::yes);
    CHECK(world.replies().back().ok);
}

TEST_CASE("reset: a second one while the first waits is refused", "[core][lock_out]") {
    Unknown world;
    world.plc.online = false;
    world.reset();
    world.reset();
    REQUIRE(world.replies().size() == 1);
    CHECK_FALSE(world.replies()[0].ok);
}

TEST_CASE("reset: is answered only when it is durable", "[core][lock_out]") {
    Unknown world;
    world.automatic.commit = false;
    world.reset(TookEffect::no);
    CHECK(world.replies().empty());
    world.send(command("1").close().task("T"));
    CHECK_FALSE(world.settled(world.last_delivery()));
    world.commit_all();
    CHECK(world.settled(world.last_delivery()));
    CHECK(world.last("1").status == Status::failed);
    CHECK(world.replies().size() == 1);
    CHECK(world.journal().elevators.at("EL001").lock_out == LockOut::none);
    CHECK(world.journal().find(Seq{"1"})->status == Status::failed);
}

TEST_CASE("reset: a command resolved as failed that is executed after all locks out again",
          "[core][lock_out]") {
    World world;
    world.poll();
    world.send(command("0").hold(1));
    world.advance(1s);
    world.plc.next = {ignores};
    world.send(command("1").hold(2));
    world.advance(500ms);
    world.plc.echo = 77;  // unclear
    world.run_until([&] { return world.channel() == Channel::locked_out; }, 30s);
    world.reset(TookEffect::no);
    CHECK(world.channel() == Channel::ready);
    world.plc.echo = 2;
    world.poll();
    CHECK(world.status().lock_out == LockOut::late_execution);
}

TEST_CASE("at rest: a first start with echo 0 is ready, with another it is ledger_lost",
          "[core][echo]") {
    World fresh;
    fresh.poll();
    CHECK(fresh.channel() == Channel::ready);
    World lost;
    lost.plc.echo = 7;
    lost.poll();
    CHECK(lost.status().lock_out == LockOut::ledger_lost);
    CHECK(lost.count_alarms("lock_out") == 1);
    lost.send(command("1").car_call("3"));
    CHECK(lost.story("1") == "accepted rejected(elevator_unknown)");
    lost.reset();
    lost.send(command("2").car_call("3"));
    CHECK(lost.writes().back().command.wire_seq == WireSeq{8});
}

TEST_CASE("at rest: a journal set aside as corrupt locks out, whatever the echo", "[core][echo]") {
    Recovered recovered;
    recovered.ledger_lost = true;
    World world(site(), recovered);
    world.poll();
    CHECK(world.status().lock_out == LockOut::ledger_lost);
    CHECK(world.plc.echo == 0);
    world.reset();
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("at rest: echo 0 after the link was lost is a restart: alarm, baseline, one scan",
          "[core][echo]") {
    AtRest world;
    world.automatic.poll = false;
    world.plc.restart();
    world.poll();
    CHECK(world.count_alarms("plc_restarted") == 1);
    CHECK(world.channel() == Channel::ready);
    world.send(command("1").open());
    CHECK(world.writes().size() == 1);
    world.advance(199ms);
    CHECK(world.writes().size() == 1);
    world.advance(1ms);
    REQUIRE(world.writes().size() == 2);
    CHECK(world.writes().back().command.wire_seq == WireSeq{2});
}

TEST_CASE("at rest: echo 0 after a failed read is a restart", "[core][echo]") {
    AtRest world;
    world.plc.online = false;
    world.poll();
    world.plc.online = true;
    world.plc.echo = 0;
    world.poll();
    CHECK(world.count_alarms("plc_restarted") == 1);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("at rest: echo 0 with the heartbeat register changed too is a restart", "[core][echo]") {
    AtRest world;
    world.plc.echo = 0;
    world.plc.heartbeat = 0;
    world.poll();
    CHECK(world.count_alarms("plc_restarted") == 1);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("at rest: echo 0 without any sign of a restart is a foreign writer", "[core][echo]") {
    AtRest world;
    world.plc.echo = 0;
    world.poll();
    CHECK(world.status().lock_out == LockOut::foreign_writer);
}

TEST_CASE("at rest: a restart seen in the grant writes nothing before one scan", "[core][echo]") {
    AtRest world;
    world.automatic.grant = false;
    world.automatic.poll = false;
    world.observe(state().door(DoorState::open));
    world.send(command("1").close());
    world.plc.restart();
    world.open_grant();
    CHECK(world.released() == 1);
    CHECK(world.writes().size() == 1);
    CHECK(world.count_alarms("plc_restarted") == 1);
    world.automatic.grant = true;
    world.advance(200ms);
    CHECK(world.writes().size() == 2);
}

TEST_CASE("at rest: an echo of anybody else is a foreign writer", "[core][echo]") {
    AtRest world;
    world.send(command("1").from("node-b").car_call("4"));
    world.plc.echo = 2;
    world.poll();
    CHECK(world.status().lock_out == LockOut::foreign_writer);
    CHECK(world.story("1") == "accepted rejected(elevator_unknown)");
    CHECK(world.channel() == Channel::locked_out);
}

TEST_CASE("at rest: a foreign echo seen in the grant gives the bus back unwritten",
          "[core][echo]") {
    AtRest world;
    world.automatic.grant = false;
    world.observe(state().door(DoorState::open));
    world.send(command("1").close());
    world.plc.echo = 9;
    world.open_grant();
    CHECK(world.writes().size() == 1);
    CHECK(world.released() == 1);
    CHECK(world.story("1") == "accepted rejected(elevator_unknown)");
}

TEST_CASE("at rest: our wire_seq of a command reported failed is a late execution",
          "[core][echo]") {
    AtRest world;
    world.observe(state().door(DoorState::open));
    world.plc.next = {ignores, ignores};
    world.send(command("1").close());
    world.advance(10s);
    REQUIRE(world.story("1") == "accepted sent sent failed(ack_timeout)");
    world.plc.echo = 2;
    world.plc.result = AckResult::accepted;
    world.poll();
    CHECK(world.status().lock_out == LockOut::late_execution);
    CHECK(world.story("1") == "accepted sent sent failed(ack_timeout)");
    world.reset();
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("at rest: a refused exception that was executed after all is a late execution",
          "[core][echo]") {
    AtRest world;
    world.observe(state().door(DoorState::open));
    world.plc.write_outcome = WriteOutcome::Kind::refused;
    world.send(command("1").close());
    REQUIRE(world.story("1") == "accepted failed(modbus_exception)");
    world.plc.echo = 2;
    world.poll();
    CHECK(world.status().lock_out == LockOut::late_execution);
}

TEST_CASE("at rest: nothing more is concluded from readings while locked out", "[core][echo]") {
    AtRest world;
    world.plc.echo = 9;
    world.poll();
    world.plc.echo = 10;
    world.poll();
    world.plc.restart();
    world.poll();
    CHECK(world.count_alarms("lock_out") == 1);
    CHECK(world.count_alarms("plc_restarted") == 0);
}

TEST_CASE("second gateway: its claim locks out with an alarm until reset once it is gone",
          "[core][lock_out]") {
    World world;
    world.poll();
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {el001}});
    CHECK(world.status().lock_out == LockOut::second_gateway);
    CHECK(world.count_alarms("lock_out") == 1);
    world.reset();
    CHECK_FALSE(world.replies().back().ok);
    CHECK(world.replies().back().text.find("gw-02") != std::string::npos);
    world.play(GatewayClaim{GatewayId{"gw-02"}, false, {el001}});
    CHECK(world.channel() == Channel::locked_out);
    world.reset();
    CHECK(world.replies().back().ok);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("second gateway: --force overrides its claim until it is withdrawn", "[core][lock_out]") {
    World world;
    world.poll();
    const Event claim = GatewayClaim{GatewayId{"gw-02"}, true, {el001}};
    world.play(claim);
    world.reset(TookEffect::unknown, true);
    CHECK(world.channel() == Channel::ready);
    world.play(claim);  // its status repeated
    CHECK(world.channel() == Channel::ready);
    world.play(GatewayClaim{GatewayId{"gw-02"}, false, {}});
    world.play(claim);
    CHECK(world.status().lock_out == LockOut::second_gateway);
}

TEST_CASE("second gateway: claims of other elevators or our own status do not concern us",
          "[core][lock_out]") {
    World world;
    world.poll();
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {ElevatorId{"EL777"}}});
    world.play(GatewayClaim{GatewayId{"gw-01"}, true, {el001}});
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("second gateway: a claim during flight waits for the outcome", "[core][lock_out]") {
    World world;
    world.poll();
    world.plc.next = {accepts_after(2s)};
    world.send(command("1").open());
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {el001}});
    world.send(command("2").from("node-b").car_call("3"));
    CHECK(world.channel() == Channel::in_flight);
    CHECK(world.story("2") == "accepted");
    world.advance(3s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
    CHECK(world.status().lock_out == LockOut::second_gateway);
    CHECK(world.story("2") == "accepted rejected(elevator_unknown)");
    CHECK(world.writes().size() == 1);
}

TEST_CASE("second gateway: the heartbeat stops while somebody else claims the elevator",
          "[core][lock_out]") {
    World world;
    world.poll();
    world.advance(5s);
    const std::uint16_t last = world.plc.heartbeat;
    CHECK(last >= 2);
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {el001}});
    world.advance(20s);
    CHECK(world.plc.heartbeat == last);
    world.play(GatewayClaim{GatewayId{"gw-02"}, false, {el001}});
    world.advance(20s);
    CHECK(world.plc.heartbeat == last);
    world.reset();
    world.advance(5s);
    CHECK(world.plc.heartbeat > last);
}

TEST_CASE("lock-out: is durable and holds after a restart", "[core][lock_out]") {
    AtRest world;
    world.plc.echo = 9;
    world.poll();
    world.crash();
    world.poll();
    CHECK(world.status().lock_out == LockOut::foreign_writer);
    CHECK_FALSE(world.status().lock_out_detail.empty());
    world.reset();
    world.crash();
    world.poll();
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("second gateway: the heartbeat stops at the claim, also with a command in flight",
          "[core][lock_out]") {
    AtRest world;
    world.plc.next = {accepts_after(1h)};
    world.send(command("1").hold(2));
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {el001}});
    const std::uint16_t last = world.plc.heartbeat;
    world.advance(2900ms);
    CHECK(world.channel() == Channel::in_flight);
    CHECK(world.plc.heartbeat == last);
}

TEST_CASE("at rest: echo 0 through another connection is a restart, whatever the heartbeat",
          "[core][echo]") {
    AtRest world;
    world.plc.echo = 0;
    ++world.plc.link;
    world.poll();
    CHECK(world.count_alarms("plc_restarted") == 1);
    CHECK(world.channel() == Channel::ready);
}
