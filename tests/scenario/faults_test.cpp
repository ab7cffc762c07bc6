// Transcripts of what goes wrong between the write and its outcome, and of restarts.
#include "tests/scenario/transcript.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// Echo 1, door open at 1, nobody owns it.
struct Warm : World {
    explicit Warm(GatewayConfig config = site()) : World(std::move(config)) {
        poll();
        send(command("0").hold(1).task("T"));
        advance(1s);
        send(command("r").release().task("T"));
        observe(state().door(DoorState::open));
        REQUIRE(plc.echo == 1);
    }
};

}  // namespace

TEST_CASE("scenario: acknowledgement lost, proved not taken, sent once more", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.plc.next = {ignores};
    world.send(command("1").close());
    world.advance(4s);
    check_golden("lost_write_resent", transcript.text());
    CHECK(world.story("1").starts_with("accepted sent sent acked"));
}

TEST_CASE("scenario: the answer to the write is lost, the echo shows it late", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.plc.write_outcome = WriteOutcome::Kind::unknown;
    world.send(command("1").close());
    world.advance(1s);
    check_golden("late_acknowledgement", transcript.text());
    CHECK(world.plc.executed.size() == 2);
}

TEST_CASE("scenario: an unclear echo locks out, an operator resolves it", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.plc.next = {answers(AckResult::unrecognised)};
    world.send(command("1").close());
    world.send(command("2").from("node-b").car_call("3"));
    world.advance(8s);
    world.reset(TookEffect::yes);
    world.advance(200ms);
    check_golden("unknown_and_reset", transcript.text());
    CHECK(world.story("1").ends_with("acked(operator)"));
}

TEST_CASE("scenario: the PLC is busy twice and then takes it", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.plc.next = {answers(AckResult::busy), answers(AckResult::busy)};
    world.send(command("1").close());
    world.advance(2s);
    check_golden("busy_then_taken", transcript.text());
    CHECK(world.story("1").find("acked") != std::string::npos);
}

TEST_CASE("scenario: fire begins while a command is in flight", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.plc.next = {ignores};
    world.send(command("1").close().ttl(10s));
    world.send(command("2").from("node-b").car_call("3"));
    world.advance(1s);
    world.plc.state.mode = ServiceMode::fire;
    world.advance(20s);
    world.plc.state.mode = ServiceMode::normal;
    world.advance(3s);
    check_golden("fire_in_flight", transcript.text());
    CHECK(world.story("1") == "accepted sent failed(ttl)");
}

TEST_CASE("scenario: the link is down while a command is in flight", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.send(command("1").close());
    world.plc.online = false;
    world.advance(8s);
    world.plc.online = true;
    ++world.plc.link;
    world.advance(500ms);
    check_golden("link_down_in_flight", transcript.text());
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("scenario: a slow journal gives the bus back three times", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.commit_delay = 150ms;
    world.send(command("1").close());
    world.advance(1200ms);
    world.commit_delay = {};
    world.advance(1s);
    check_golden("slow_journal", transcript.text());
    CHECK(world.count_alarms("journal_slow") == 1);
    CHECK(world.story("1").find("acked") != std::string::npos);
}

TEST_CASE("scenario: killed between intent and write", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.automatic.write = false;
    world.send(command("1").close());
    world.automatic.write = true;
    transcript.note("The process is killed and starts again; the write never left.");
    world.crash();
    world.advance(2s);
    check_golden("killed_before_write", transcript.text());
    CHECK(world.plc.executed.size() == 2);
}

TEST_CASE("scenario: killed between write and outcome", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.automatic.read = false;
    world.automatic.poll = false;
    world.send(command("1").close());
    transcript.note("The process is killed and starts again; the PLC has executed it.");
    world.crash();
    world.automatic.read = true;
    world.automatic.poll = true;
    world.advance(2s);
    check_golden("killed_after_write", transcript.text());
    CHECK(world.plc.executed.size() == 2);
    CHECK(world.writes().size() == 2);
}

TEST_CASE("scenario: the PLC restarts at rest", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.plc.restart();
    world.poll();
    world.send(command("1").close());
    world.advance(1s);
    check_golden("plc_restart", transcript.text());
    CHECK(world.story("1").starts_with("accepted sent acked"));
}

TEST_CASE("scenario: somebody else writes to the PLC", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.send(command("1").from("node-b").car_call("3").ttl(5min));
    world.plc.echo = 77;
    world.poll();
    world.send(command("2").close());
    world.reset();
    world.send(command("3").close());
    world.advance(400ms);
    check_golden("foreign_writer", transcript.text());
    CHECK(world.story("3").starts_with("accepted sent acked"));
}

TEST_CASE("scenario: a late execution of a command that had been reported failed", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.plc.next = {ignores, ignores};
    world.send(command("1").close());
    world.advance(8s);
    world.plc.echo = 2;
    world.plc.result = AckResult::accepted;
    world.poll();
    check_golden("late_execution", transcript.text());
    CHECK(world.status().lock_out == LockOut::late_execution);
}

TEST_CASE("scenario: a second gateway claims the elevator", "[scenario]") {
    Warm world;
    Transcript transcript(world);
    world.play(GatewayClaim{GatewayId{"gw-02"}, true, {el001}});
    world.send(command("1").close());
    world.reset();
    world.play(GatewayClaim{GatewayId{"gw-02"}, false, {el001}});
    world.reset();
    world.send(command("2").close());
    world.advance(400ms);
    check_golden("second_gateway", transcript.text());
    CHECK(world.story("2").starts_with("accepted sent acked"));
}
