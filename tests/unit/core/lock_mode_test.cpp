// Lock mode: the claim is verified at the last moment, and nobody but the owner may wait.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

ArbitrationMode mode(const World& world) {
    return world.status().session.mode;
}

// In lock mode, node-a holding the lock as a:1.
struct LockWorld : World {
    explicit LockWorld(GatewayConfig config = lock_site()) : World(std::move(config)) {
        drive_car();
        poll();
        advance(3s);
        REQUIRE(mode(*this) == ArbitrationMode::lock);
        token = lock.acquire(now(), "a:1");
    }
    std::int64_t token = 0;
};

}  // namespace

TEST_CASE("lock: a start waits for the lock service before anything is written", "[core][lock]") {
    World world(lock_site());
    world.poll();
    CHECK(mode(world) == ArbitrationMode::suspect);
    world.lock.acquire(world.now(), "a:1");
    world.send(command("1").car_call("2").holding("a:1"));
    world.advance(1500ms);
    CHECK(world.writes().empty());
    world.advance(3s);
    CHECK(world.story("1") == "accepted sent acked");
}

TEST_CASE("lock: a command of the holder is verified once and written", "[core][lock]") {
    LockWorld world;
    world.send(command("1").car_call("2").holding("a:1"));
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.lock.checks() == 1);
    CHECK(world.writes().front().not_after <= world.now());
    CHECK(world.last("1").mode == ArbitrationMode::lock);
}

TEST_CASE("lock: without a claim, or with somebody else's lock, nothing is written",
          "[core][lock]") {
    LockWorld world;
    world.send(command("1").car_call("2"));
    CHECK(world.story("1") == "accepted rejected(lock_missing)");
    world.send(command("2").car_call("2").holding("b:7"));
    CHECK(world.story("2") == "accepted rejected(lock_not_held)");
    world.lock.acquire(world.now(), "a:1", 2s);
    world.send(command("3").car_call("2").holding("a:1"));
    CHECK(world.story("3") == "accepted rejected(lock_expiring)");
    world.lock.spoil(LockReading::Kind::string);
    world.send(command("4").car_call("2").holding("a:1"));
    CHECK(world.story("4") == "accepted rejected(lock_unverifiable)");
    CHECK(world.writes().empty());
}

TEST_CASE("lock: with fencing tokens the claim must carry the newest", "[core][lock]") {
    LockWorld world(lock_site(LockScheme::redisson_fenced));
    world.send(command("1").car_call("2").holding("a:1"));
    CHECK(world.story("1") == "accepted rejected(lock_missing)");
    world.send(command("2").car_call("2").holding("a:1", world.token + 100));
    CHECK(world.story("2") == "accepted rejected(lock_not_held)");
    const auto newer = world.lock.acquire(world.now(), "a:1");
    world.send(command("3").car_call("2").holding("a:1", world.token));
    CHECK(world.story("3") == "accepted rejected(stale_token)");
    world.send(command("4").car_call("2").holding("a:1", newer));
    world.advance(1s);
    CHECK(world.story("4") == "accepted sent acked");
}

TEST_CASE("lock: no answer is not a refusal, the command comes again until its TTL",
          "[core][lock]") {
    LockWorld world;
    world.automatic.check_lock = false;
    world.send(command("1").car_call("2").holding("a:1").ttl(5s));
    world.advance(2s);
    CHECK(world.story("1") == "accepted");
    CHECK(world.count_alarms("lock_slow") == 1);
    world.automatic.check_lock = true;
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
}

TEST_CASE("lock: an unanswered lock holds the bus for 100 ms at most", "[core][lock]") {
    LockWorld world;
    world.automatic.check_lock = false;
    world.send(command("1").car_call("2").holding("a:1"));
    const auto released = world.released();
    world.advance(99ms);
    CHECK(world.released() == released);
    world.advance(1ms);
    CHECK(world.released() == released + 1);
}

TEST_CASE("lock: a verification that is no longer fresh when the intent is durable writes nothing",
          "[core][lock]") {
    auto config = lock_site();
    config.lock->freshness = 50ms;
    LockWorld world(config);
    world.commit_delay = 80ms;
    world.send(command("1").car_call("2").holding("a:1"));
    world.advance(2s);
    CHECK(world.writes().empty());
    CHECK(world.lock.checks() > 1);
    world.commit_delay = 10ms;
    world.advance(1s);
    CHECK(world.writes().size() == 1);
}

TEST_CASE("lock: only the owner may wait, everybody else is told at once", "[core][lock]") {
    LockWorld world;
    world.send(command("1").car_call("4").holding("a:1").task("T"));
    world.advance(1s);
    REQUIRE(world.phase() == Phase::moving);
    world.send(command("2").from("node-b").car_call("1").holding("a:1"));
    CHECK(world.story("2") == "accepted rejected(elevator_busy)");
    world.send(command("3").open().holding("a:1").task("T"));
    CHECK(world.story("3") == "accepted");
}

TEST_CASE("lock: a verified holder that is not the owner is refused, the trip goes on",
          "[core][lock]") {
    LockWorld world;
    world.send(command("1").car_call("2").holding("a:1").task("T"));
    REQUIRE(world.run_until([&] { return world.plc.state.front == DoorState::open; }, 60s));
    world.advance(1s);
    world.lock.acquire(world.now(), "b:7");  // the first one's lock has expired mid-trip
    world.send(command("2").from("node-b").car_call("1").holding("b:7"));
    world.advance(1s);
    CHECK(world.story("2") == "accepted rejected(elevator_busy)");
    world.send(command("3").close().holding("a:1").task("T"));
    CHECK(world.story("3") == "accepted rejected(lock_not_held)");
    CHECK(world.count_alarms("owner_without_lock") == 1);
    CHECK(world.owner() == "node-a/task T");
}

TEST_CASE("lock: a release needs no lock", "[core][lock]") {
    LockWorld world;
    world.send(command("1").car_call("2").holding("a:1").task("T"));
    world.advance(1s);
    world.lock.release();
    world.send(command("2").release().task("T"));
    CHECK(world.story("2") == "accepted acked");
    CHECK(world.owner() == "none");
}

TEST_CASE("lock: a resend is verified like a write", "[core][lock]") {
    LockWorld world;
    world.plc.next = {ignores};
    world.send(command("1").car_call("2").holding("a:1"));
    world.advance(1s);
    world.lock.acquire(world.now(), "b:7");
    world.advance(10s);
    CHECK(world.story("1") == "accepted sent failed(lock_not_held)");
    CHECK(world.writes().size() == 1);
}

TEST_CASE("lock: observe reports what would have been refused and refuses nothing",
          "[core][lock]") {
    auto config = lock_site();
    config.lock->verify = VerifyPolicy::observe;
    World world(config);
    world.drive_car();
    world.poll();
    world.send(command("1").car_call("2"));
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
    CHECK(world.count_alarms("lock_observed") == 1);
    world.send(command("2").open().holding("b:7").ttl(60s));
    world.advance(30s);
    CHECK(world.story("2") == "accepted sent acked served");
    CHECK(world.count_alarms("lock_observed") == 2);
    world.lock.online = false;
    world.send(command("3").close().holding("b:7"));
    world.advance(1s);
    CHECK(world.story("3").find("acked") != std::string::npos);
}

TEST_CASE("lock: the fencing mark survives a crash and can be lowered by an operator",
          "[core][lock]") {
    LockWorld world(lock_site(LockScheme::redisson_fenced));
    world.lock.set_counter(41);
    const auto token = world.lock.acquire(world.now(), "a:1");
    world.send(command("1").car_call("2").holding("a:1", token).task("T"));
    world.advance(1s);
    world.crash();
    CHECK(world.journal().elevators.at("EL001").fence.token == 42);
    world.play(ResetRequested{RequestId{77}, el001, TookEffect::unknown, false, "erika", true});
    CHECK(world.replies().back().ok);
    CHECK(world.journal().elevators.at("EL001").fence.token == 0);
    CHECK(world.journal().elevators.at("EL001").fence.generation == 2);
}
