// No acknowledgement: everything that can have happened, and what may be concluded from it.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// A world in which the PLC has taken one command already, so that its echo is 1 and not 0.
struct Warm : World {
    explicit Warm(GatewayConfig config = site()) : World(std::move(config)) {
        drive_car();
        poll();
        send(command("first").open());
        run_until([this] { return story("first") == "accepted sent acked served"; }, 10s);
    }
};

}  // namespace

TEST_CASE("verify: a late acknowledgement is an acknowledgement", "[core][verify]") {
    Warm world;
    world.plc.next = {accepts_after(3500ms)};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    CHECK(world.channel() == Channel::verifying);
    world.plc.next = {};
    // Not proved before two scans are over, and then the PLC takes the resend as a repeat.
    CHECK(world.run_until([&] { return world.story("1").find("acked") != std::string::npos; }));
    CHECK(world.plc.executed.size() == 2);
}

TEST_CASE("verify: an echo that shows our wire_seq after ack_timeout is acked late",
          "[core][verify]") {
    Warm world;
    world.automatic.read = false;
    world.automatic.poll = false;
    world.plc.next = {accepts_after(3300ms)};
    world.send(command("1").close());
    world.advance(2s);
    world.play(ReadFailed{el001, "no answer"});
    world.advance(1100ms);
    world.play(ReadFailed{el001, "no answer"});
    CHECK(world.channel() == Channel::verifying);
    world.advance(500ms);
    world.poll();
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.plc.executed.size() == 2);
}

TEST_CASE("verify: an unknown write is proved not taken two scans after it, and sent once more",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.plc.write_outcome = WriteOutcome::Kind::confirmed;
    world.advance(399ms);
    CHECK(world.writes().size() == 2);
    world.advance(300ms);
    CHECK(world.written() == "open_door front #1, close_door front #2, close_door front #2");
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent sent acked"));
    CHECK(world.plc.executed.size() == 2);
}

TEST_CASE("verify: a confirmed write without acknowledgement is sent again with the same wire_seq",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.send(command("1").close());
    world.advance(2900ms);
    CHECK(world.writes().size() == 2);
    CHECK(world.channel() == Channel::in_flight);
    world.advance(500ms);
    REQUIRE(world.writes().size() == 3);
    CHECK(world.writes()[2].command == world.writes()[1].command);
    world.advance(300ms);
    CHECK(world.story("1").starts_with("accepted sent sent acked"));
}

TEST_CASE("verify: what a stalled path delivers late, right before the first answer, is no proof",
          "[core][verify][M10]") {
    Warm world;
    world.automatic.read = false;
    world.automatic.poll = false;
    world.plc.next = {accepts_after(2400ms)};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.advance(1s);
    world.play(ReadFailed{el001, "no answer"});
    world.advance(1250ms);
    world.poll();  // the write has just arrived, the PLC's scan is not over
    CHECK(world.channel() == Channel::verifying);
    CHECK(world.writes().size() == 2);
    world.advance(300ms);
    world.poll();
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.writes().size() == 2);
}

TEST_CASE("verify: the one resend is durable before it is written", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores, accepts_after(2s)};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.run_until([&] { return world.writes().size() == 3; }, 2s);
    CHECK(world.journal().find(Seq{"1"})->resent);
}

TEST_CASE("verify: twice proved not taken fails with ack_timeout and the channel is ready",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores, ignores};
    world.send(command("1").close());
    world.advance(10s);
    CHECK(world.story("1") == "accepted sent sent failed(ack_timeout)");
    CHECK(world.channel() == Channel::ready);
    CHECK(world.writes().size() == 3);
    world.send(command("2").close());
    world.advance(1s);
    CHECK(world.story("2").starts_with("accepted sent acked"));
}

TEST_CASE("verify: no resend after the TTL", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.send(command("1").close().ttl(2s));
    world.advance(10s);
    CHECK(world.story("1") == "accepted sent failed(ttl)");
    CHECK(world.writes().size() == 2);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("verify: no resend where the table no longer says send", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.send(command("1").close());
    world.advance(1s);
    world.plc.state = state().travel(Travel::up);
    world.advance(10s);
    CHECK(world.story("1") == "accepted sent failed(elevator_busy)");
    CHECK(world.writes().size() == 2);
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("verify: no resend in a fault", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.send(command("1").close());
    world.advance(1s);
    world.plc.state.fault = 4;
    world.advance(10s);
    CHECK(world.story("1") == "accepted sent failed(elevator_fault)");
    CHECK(world.writes().size() == 2);
}

TEST_CASE("verify: fire during flight waits in verifying until service is normal",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.send(command("1").close());
    world.advance(1s);
    world.plc.state.mode = ServiceMode::fire;
    world.advance(60s);
    CHECK(world.story("1") == "accepted sent");
    CHECK(world.channel() == Channel::verifying);
    CHECK(world.writes().size() == 2);
    world.plc.state.mode = ServiceMode::normal;
    world.advance(5s);
    CHECK(world.story("1") == "accepted sent failed(ttl)");
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("verify: fire with an unclear echo locks nothing out until service is normal",
          "[core][verify]") {
    Warm world;
    world.plc.next = {answers(AckResult::unrecognised)};
    world.send(command("1").close());
    world.advance(1s);
    world.plc.state.mode = ServiceMode::fire;
    world.advance(60s);
    CHECK(world.channel() == Channel::verifying);
    world.plc.state.mode = ServiceMode::agv;
    world.advance(10s);
    CHECK(world.channel() == Channel::locked_out);
}

TEST_CASE("verify: fire that ends before the TTL lets the resend go", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.send(command("1").close().ttl(60s));
    world.advance(1s);
    world.plc.state.mode = ServiceMode::fire;
    world.advance(10s);
    world.plc.state.mode = ServiceMode::normal;
    world.advance(3s);
    CHECK(world.story("1").starts_with("accepted sent sent acked"));
}

TEST_CASE("verify: an acknowledgement during fire is the truth and is taken", "[core][verify]") {
    Warm world;
    world.plc.next = {accepts_after(2s)};
    world.send(command("1").close());
    world.plc.state.mode = ServiceMode::fire;
    world.advance(3s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("verify: a stored echo of 0 proves it while the heartbeat register holds our value",
          "[core][verify]") {
    World world;
    world.poll();
    world.advance(1s);
    world.plc.next = {ignores};
    world.send(command("1").open());
    CHECK(world.journal().find(Seq{"1"})->echo_before == Echo{0});
    world.advance(5s);
    CHECK(world.written() == "open_door front #1, open_door front #1");
    CHECK(world.story("1").starts_with("accepted sent sent acked"));
}

TEST_CASE("verify: a stored echo of 0 without a heartbeat register proves nothing",
          "[core][verify]") {
    GatewayConfig config = site();
    config.elevators[0].maps_heartbeat = false;
    World world(config);
    world.poll();
    world.plc.next = {ignores};
    world.send(command("1").open());
    world.advance(15s);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
    CHECK(world.writes().size() == 1);
}

TEST_CASE("verify: a PLC that took a command at echo 0 and restarted is not written to again",
          "[core][verify]") {
    // Restarts at every moment around the heartbeat's period.
    for (Duration when = 10ms; when < 3s; when += 50ms) {
        CAPTURE(to_ms(when));
        World world;
        world.poll();
        world.advance(1s);
        world.automatic.read = false;
        world.automatic.poll = false;
        world.send(command("1").open().ttl(60s));
        REQUIRE(world.plc.executed.size() == 1);
        world.advance(when);
        world.plc.restart();
        world.automatic.read = true;
        world.automatic.poll = true;
        world.advance(20s);
        CHECK(world.plc.executed.size() == 1);
        CHECK(world.writes().size() == 1);
        CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
    }
}

TEST_CASE("verify: an unclear echo gets three read-backs at 2 s steps, then it is unknown",
          "[core][verify]") {
    Warm world;
    world.automatic.poll = false;
    world.automatic.read = false;
    world.plc.next = {answers(AckResult::none)};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    int reads = 0;
    while (world.channel() == Channel::verifying && reads < 100) {
        world.advance(100ms);
        world.poll();
        ++reads;
    }
    CHECK(world.channel() == Channel::locked_out);
    // First read-back two scans after the first reading, 0.5 s after the write; then 2 s and 4 s
    // later.
    CHECK(reads == 45);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
}

TEST_CASE("verify: an unknown outcome locks out and refuses everything queued", "[core][verify]") {
    Warm world;
    world.plc.next = {answers(AckResult::none)};
    world.send(command("1").close());
    world.send(command("2").open());
    world.send(command("3").from("node-b").car_call("3"));
    world.advance(15s);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
    CHECK(world.story("2") == "accepted rejected(elevator_unknown)");
    CHECK(world.story("3") == "accepted rejected(elevator_unknown)");
    CHECK(world.channel() == Channel::locked_out);
    CHECK(world.status().lock_out == LockOut::unknown_outcome);
    CHECK(world.count_alarms("lock_out") == 1);
    world.send(command("4").open());
    CHECK(world.story("4") == "accepted rejected(elevator_unknown)");
}

TEST_CASE("verify: commands wait while another is being verified", "[core][verify]") {
    Warm world;
    world.plc.next = {answers(AckResult::none)};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.send(command("2").open().wait(false));
    world.send(command("3").from("node-b").car_call("3").wait(false));
    world.advance(4s);
    CHECK(world.channel() == Channel::verifying);
    CHECK(world.story("2") == "accepted");
    CHECK(world.story("3") == "accepted");
}

TEST_CASE("verify: with the link down it waits, with an alarm at once", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close().ttl(20s));
    world.plc.online = false;
    world.advance(200ms);
    CHECK(world.count_alarms("verify_waits") == 1);
    world.advance(60s);
    CHECK(world.channel() == Channel::verifying);
    CHECK(world.count_alarms("verify_waits") == 1);
    CHECK(world.story("1") == "accepted sent");
    world.plc.online = true;
    ++world.plc.link;
    world.advance(5s);
    CHECK(world.story("1") == "accepted sent failed(ttl)");
    CHECK(world.channel() == Channel::ready);
}

TEST_CASE("verify: with the link down an acknowledgement time-out waits the same way",
          "[core][verify]") {
    Warm world;
    world.plc.next = {accepts_after(1s)};
    world.send(command("1").close());
    world.plc.online = false;
    world.advance(10s);
    CHECK(world.channel() == Channel::verifying);
    CHECK(world.count_alarms("verify_waits") == 1);
    world.plc.online = true;
    world.advance(1s);
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("verify: a resend whose bus is refused proves and asks again", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.plc.write_outcome = WriteOutcome::Kind::confirmed;
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.close_grant();
    CHECK(world.channel() == Channel::verifying);
    world.automatic.grant = true;
    world.advance(2s);
    CHECK(world.writes().size() == 3);
    CHECK(world.story("1").starts_with("accepted sent sent acked"));
}

TEST_CASE("verify: an acknowledgement seen in the grant of the resend ends it without a write",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.plc.echo = 2;
    world.plc.result = AckResult::accepted;
    world.open_grant();
    CHECK(world.released() == 1);
    CHECK(world.writes().size() == 2);
    CHECK(world.story("1") == "accepted sent acked");
}

TEST_CASE("verify: a resend held up by a slow journal is not used up", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.plc.write_outcome = WriteOutcome::Kind::confirmed;
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.automatic.commit = false;
    world.open_grant();
    world.advance(150ms);
    CHECK(world.released() == 1);
    world.commit_all();
    world.automatic.commit = true;
    CHECK(world.writes().size() == 2);
    world.automatic.grant = true;
    world.advance(3s);
    CHECK(world.writes().size() == 3);
    CHECK(world.story("1").starts_with("accepted sent sent acked"));
}

TEST_CASE("verify: no resend once another gateway claims the elevator", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {el001}});
    world.open_grant();
    CHECK(world.writes().size() == 2);
    CHECK(world.story("1") == "accepted sent failed(elevator_unknown)");
    CHECK(world.status().lock_out == LockOut::second_gateway);
}

TEST_CASE("verify: a resend that cannot be decoded freshly fails as plc_offline",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.plc.state.undecodable = "door 9";
    world.open_grant();
    CHECK(world.writes().size() == 2);
    CHECK(world.story("1") == "accepted sent failed(plc_offline)");
}

TEST_CASE("verify: a refused result after a late look fails the command", "[core][verify]") {
    Warm world;
    world.plc.next = {answers(AckResult::refused)};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent failed(plc_refused)");
}

TEST_CASE("verify: an echo of somebody else during flight is unclear and locks out",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.send(command("1").close());
    world.plc.echo = 77;
    world.advance(12s);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
    CHECK(world.status().lock_out == LockOut::unknown_outcome);
    CHECK(world.writes().size() == 2);
}

TEST_CASE("verify: a heartbeat that was under way when the PLC restarted proves nothing",
          "[core][verify]") {
    World world;
    world.advance(1s);
    world.heartbeat_delay = 1200ms;
    world.run_until([&] { return world.plc.heartbeat != 1; }, 3s);
    world.advance(900ms);  // the next beat has just been ordered
    world.automatic.read = false;
    world.automatic.poll = false;
    world.send(command("1").open().ttl(60s));
    REQUIRE(world.plc.executed.size() == 1);
    world.advance(100ms);
    world.plc.restart();
    world.advance(3s);
    world.automatic.read = true;
    world.automatic.poll = true;
    world.advance(20s);
    CHECK(world.plc.executed.size() == 1);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
}

TEST_CASE("verify: a claim between the intent and the write of a resend stops it",
          "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.automatic.commit = false;
    world.open_grant();
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {el001}});
    world.commit_all();
    world.automatic.commit = true;
    world.commit_all();
    world.advance(1s);
    CHECK(world.writes().size() == 2);
    CHECK(world.story("1").ends_with("failed(elevator_unknown)"));
    CHECK(world.status().lock_out == LockOut::second_gateway);
}

TEST_CASE("verify: the TTL of what waits behind it goes on running", "[core][verify]") {
    Warm world;
    world.plc.next = {answers(AckResult::none)};
    world.send(command("1").close());
    world.send(command("2").from("node-b").car_call("3").ttl(3500ms));
    world.advance(3400ms);
    CHECK(world.channel() == Channel::verifying);
    CHECK(world.story("2") == "accepted");
    world.advance(200ms);
    CHECK(world.story("2") == "accepted expired(ttl)");
}

TEST_CASE("verify: fire seen in the grant of the resend goes back to verifying", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.plc.write_outcome = WriteOutcome::Kind::confirmed;
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.plc.state.mode = ServiceMode::fire;
    world.open_grant();
    CHECK(world.writes().size() == 2);
    CHECK(world.released() == 1);
    CHECK(world.channel() == Channel::verifying);
    world.automatic.grant = true;
    world.advance(10s);
    CHECK(world.story("1") == "accepted sent");
    world.plc.state.mode = ServiceMode::normal;
    world.advance(5s);
    CHECK(world.writes().size() == 3);
}

TEST_CASE("verify: no resend in a mode that the site does not allow", "[core][verify]") {
    GatewayConfig config = site();
    config.elevators[0].require_agv_mode = true;
    World world(config);
    world.observe(state().mode(ServiceMode::agv));
    world.send(command("0").hold(1));
    world.advance(1s);
    world.plc.next = {ignores};
    world.send(command("1").open());
    world.advance(1s);
    world.plc.state.mode = ServiceMode::normal;
    world.advance(5s);
    CHECK(world.story("1") == "accepted sent failed(out_of_service)");
    CHECK(world.writes().size() == 2);
}

TEST_CASE("verify: exception busy to the resend fails the command", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.plc.write_outcome = WriteOutcome::Kind::busy;
    world.advance(5s);
    CHECK(world.story("1") == "accepted sent failed(modbus_exception)");
    CHECK(world.writes().size() == 3);
}

TEST_CASE("verify: a foreign echo in the grant of the resend writes nothing", "[core][verify]") {
    Warm world;
    world.plc.next = {ignores};
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.automatic.grant = false;
    world.run_until([&] { return world.grant_asked(); }, 2s);
    world.plc.echo = 77;
    world.open_grant();
    CHECK(world.released() == 1);
    world.advance(10s);
    CHECK(world.writes().size() == 2);
    CHECK(world.story("1") == "accepted sent unknown(ack_timeout)");
}
