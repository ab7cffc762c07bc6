// The arbitration modes: suspicion, takeover, handback.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

ArbitrationMode mode(const World& world) {
    return world.status().session.mode;
}

std::uint64_t epoch(const World& world) {
    return world.status().session.epoch;
}

bool reaches(World& world, ArbitrationMode wanted, Duration limit = 2min) {
    return world.run_until([&] { return mode(world) == wanted; }, limit);
}

struct ModeWorld : World {
    explicit ModeWorld(GatewayConfig config = lock_site()) : World(std::move(config)) {
        drive_car();
        poll();
        advance(3s);
        REQUIRE(mode(*this) == ArbitrationMode::lock);
    }
    void go_to_edge() {
        lock.online = false;
        REQUIRE(reaches(*this, ArbitrationMode::edge));
    }
};

}  // namespace

TEST_CASE("mode: three failed probes make it suspect, 30 s of outage the gateway's own",
          "[core][mode]") {
    ModeWorld world;
    world.advance(40s);  // the assumption of a start has passed
    const auto before = epoch(world);
    world.lock.online = false;
    REQUIRE(reaches(world, ArbitrationMode::suspect));
    const auto suspected = world.now();
    CHECK(epoch(world) == before + 1);
    REQUIRE(reaches(world, ArbitrationMode::edge));
    CHECK(world.now() - suspected >= 27s);
    CHECK(world.now() - suspected <= 29s);
    CHECK(epoch(world) == before + 2);
    CHECK(world.journal().elevators.at("EL001").mode == ArbitrationMode::edge);
    CHECK(world.journal().elevators.at("EL001").epoch == before + 2);
}

TEST_CASE("mode: nobody takes over before the last lease that was seen is surely over",
          "[core][mode]") {
    ModeWorld world;
    world.advance(40s);
    world.lock.acquire(world.now(), "a:1", 50s);
    world.send(command("1").car_call("2").holding("a:1"));
    const auto leased = world.now();
    world.advance(1s);
    world.lock.online = false;
    REQUIRE(reaches(world, ArbitrationMode::edge));
    CHECK(world.now() - leased >= 50s);
}

TEST_CASE("mode: suspect writes for the last verified holder while its lease surely lasts",
          "[core][mode]") {
    ModeWorld world;
    world.lock.acquire(world.now(), "a:1");
    world.send(command("1").car_call("2").holding("a:1").task("T"));
    world.advance(1s);
    world.lock.online = false;
    REQUIRE(reaches(world, ArbitrationMode::suspect));
    world.send(command("2").from("node-b").car_call("1").holding("b:7").ttl(5min));
    world.send(command("3").car_call("3").task("T").holding("a:1"));
    world.advance(10s);
    CHECK(world.story("3").find("acked") != std::string::npos);
    CHECK(world.story("2") == "accepted");
    world.advance(14s);  // less than 3.2 s of the lease are sure now
    world.send(command("4").car_call("1").task("T").holding("a:1"));
    world.advance(1s);
    CHECK(world.story("4") == "accepted");
}

TEST_CASE("mode: suspect goes back to lock after three good probes and writes what waited",
          "[core][mode]") {
    ModeWorld world;
    world.lock.online = false;
    REQUIRE(reaches(world, ArbitrationMode::suspect));
    world.lock.acquire(world.now(), "a:1");
    world.send(command("1").car_call("2").holding("a:1"));
    world.lock.online = true;
    world.advance(1500ms);
    CHECK(mode(world) == ArbitrationMode::suspect);
    REQUIRE(reaches(world, ArbitrationMode::lock, 5s));
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
}

TEST_CASE("mode: our own misconfiguration is no reason to take over", "[core][mode]") {
    ModeWorld world;
    world.lock.health = Health::misconfigured;
    world.advance(5min);
    CHECK(mode(world) == ArbitrationMode::lock);
    CHECK(world.count_alarms("lock_service_misconfigured") == 1);
}

TEST_CASE("mode: in edge commands of several nodes go by owner and table, without locks",
          "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.send(command("1").car_call("3").task("T").ttl(5min));
    world.send(command("2").from("node-b").car_call("1").ttl(5min));
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.story("2") == "accepted");
    world.send(command("3").release().task("T"));
    world.advance(1min);
    CHECK(world.story("2") == "accepted sent acked served");
}

TEST_CASE("mode: handback waits for the trip under way and holds the lock meanwhile",
          "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.send(command("1").car_call("3").task("T").ttl(5min));
    world.advance(1s);
    world.lock.online = true;
    REQUIRE(reaches(world, ArbitrationMode::handback));
    CHECK_FALSE(world.lock.holder(world.now()).empty());
    world.send(command("2").from("node-b").car_call("1").ttl(5min));
    world.send(command("3").open().task("T").ttl(5min));
    world.advance(3s);
    CHECK(mode(world) == ArbitrationMode::handback);
    CHECK(world.story("3").find("acked") != std::string::npos);
    CHECK(world.story("2") == "accepted");
    world.send(command("4").release().task("T"));
    CHECK(mode(world) == ArbitrationMode::lock);
    CHECK(world.lock.holder(world.now()).empty());
    CHECK(world.lock.wake_ups() == 1);
    CHECK(world.story("2") == "accepted rejected(lock_missing)");
}

TEST_CASE("mode: the lock is renewed while a long trip drains", "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.plc.state.occupied = true;
    world.send(command("1").open().task("T"));
    world.advance(1s);
    world.lock.online = true;
    REQUIRE(reaches(world, ArbitrationMode::handback));
    for (int i = 0; i < 20; ++i) {
        world.advance(5s);
        CHECK_FALSE(world.lock.holder(world.now()).empty());
    }
    CHECK(mode(world) == ArbitrationMode::handback);
}

TEST_CASE("mode: a failed window in handback is edge at once", "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.plc.state.occupied = true;
    world.send(command("1").open().task("T"));
    world.advance(1s);
    world.lock.online = true;
    REQUIRE(reaches(world, ArbitrationMode::handback));
    world.lock.online = false;
    REQUIRE(reaches(world, ArbitrationMode::edge, 5s));
}

TEST_CASE("mode: a foreign holder is left alone and verified after the drain", "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.send(command("1").close().task("T"));
    world.advance(1s);
    world.lock.acquire(world.now(), "b:7", 5min);
    world.lock.online = true;
    // Ten healthy seconds are as long as an owner's grace: something of it every few seconds.
    for (int i = 10; mode(world) != ArbitrationMode::handback; ++i) {
        REQUIRE(i < 60);
        world.send(command(std::to_string(i)).close().task("T"));
        world.advance(3s);
    }
    CHECK(world.lock.holder(world.now()) == "b:7");
    world.send(command("2").from("node-b").car_call("1").holding("b:7").ttl(5min));
    world.advance(1s);
    CHECK(world.story("2") == "accepted");
    world.send(command("3").release().task("T"));
    CHECK(mode(world) == ArbitrationMode::lock);
    CHECK(world.lock.holder(world.now()) == "b:7");
    world.advance(1min);
    CHECK(world.story("2").find("acked") != std::string::npos);
}

TEST_CASE("mode: without permission to write the drain ends with one longest lease of silence",
          "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.lock.may_write = false;
    world.lock.online = true;
    REQUIRE(reaches(world, ArbitrationMode::handback));
    const auto began = world.now();
    world.send(command("1").car_call("3").holding("a:1").ttl(5min));
    world.lock.acquire(world.now(), "a:1", 5min);
    REQUIRE(reaches(world, ArbitrationMode::lock));
    CHECK(world.now() - began >= 30s);
    CHECK(world.count_alarms("lock_write_forbidden") == 1);
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
}

TEST_CASE("mode: the counter is raised to the mark with the handback", "[core][mode]") {
    ModeWorld world(lock_site(LockScheme::redisson_fenced));
    world.lock.set_counter(41);
    const auto token = world.lock.acquire(world.now(), "a:1");
    world.send(command("1").car_call("2").holding("a:1", token).task("T"));
    world.advance(1s);
    world.send(command("2").release().task("T"));
    world.lock.release();
    world.go_to_edge();
    world.lock.lose_counter();
    world.lock.online = true;
    REQUIRE(reaches(world, ArbitrationMode::lock));
    CHECK(world.lock.counter() == 42);
}

TEST_CASE("mode: a locked-out elevator counts as drained", "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.play(GatewayClaim{GatewayId{"gw-2"}, true, {el001}});
    REQUIRE(world.channel() == Channel::locked_out);
    world.lock.online = true;
    CHECK(reaches(world, ArbitrationMode::lock, 30s));
}

TEST_CASE("mode: a start after a takeover goes on in edge while probes fail, else to lock",
          "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    const auto before = epoch(world);
    world.crash();
    CHECK(mode(world) == ArbitrationMode::suspect);
    CHECK(epoch(world) > before);
    SECTION("probes fail") {
        CHECK(reaches(world, ArbitrationMode::edge, 5s));
    }
    SECTION("probes are fine") {
        world.lock.online = true;
        CHECK(reaches(world, ArbitrationMode::lock, 5s));
    }
}

TEST_CASE("mode: a start in the middle of a handback gives back the lock it knows as its own",
          "[core][mode]") {
    ModeWorld world;
    world.go_to_edge();
    world.plc.state.occupied = true;
    world.send(command("1").open().task("T"));
    world.advance(1s);
    world.lock.online = true;
    REQUIRE(reaches(world, ArbitrationMode::handback));
    REQUIRE_FALSE(world.lock.holder(world.now()).empty());
    world.crash();
    REQUIRE(reaches(world, ArbitrationMode::lock, 5s));
    CHECK(world.lock.holder(world.now()).empty());
    CHECK(world.owner() == "node-a/task T");
}

TEST_CASE("mode: after a restart of the server only the previous holder is admitted at first",
          "[core][mode]") {
    ModeWorld world;
    world.advance(40s);
    world.lock.acquire(world.now(), "a:1");
    world.send(command("1").close().holding("a:1").task("T"));
    world.advance(1s);
    world.send(command("2").release().task("T"));
    world.lock.memory = "run-2";
    world.advance(1s);
    CHECK(world.count_alarms("fence_generation") == 1);
    world.lock.acquire(world.now(), "b:7", 5min);
    world.send(command("3").from("node-b").car_call("1").holding("b:7").ttl(5min));
    world.advance(10s);
    CHECK(world.story("3") == "accepted");
    world.advance(21s);
    CHECK(world.story("3").find("acked") != std::string::npos);
}

TEST_CASE("mode: a session is not told before its epoch is durable", "[core][mode]") {
    ModeWorld world;
    world.automatic.commit = false;
    world.lock.online = false;
    const auto said = [](const Actions& actions) {
        return std::any_of(actions.begin(), actions.end(), [](const Action& action) {
            const auto* session = std::get_if<PublishSession>(&action);
            return session != nullptr && session->view.mode == ArbitrationMode::suspect;
        });
    };
    CHECK_FALSE(said(world.advance(10s)));
    CHECK(said(world.commit_all()));
}
