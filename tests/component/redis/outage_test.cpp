#include "tests/component/redis/fixture.hpp"
#include "tests/support/net.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::Health;

const std::string holder = "uuid:1";

// What a healthy service says first, then `detail` within an outage.
void expect_outage(Service& service, const std::string& detail) {
    const core::LockProbed probe = service.probe(Health::outage);
    CAPTURE(probe.detail);
    CHECK(contains(probe.detail, detail));
}

TEST_CASE("redis probe: a usable service names its instance and time, each period",
          "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    const auto first = service.probe(Health::usable);
    const auto second = service.probe(Health::usable);
    CHECK(second.started_at - first.started_at > 50ms);
    CHECK(first.instance == second.instance);
    CHECK(first.instance.size() == 81);  // two ids of 40 and a stroke
    REQUIRE(first.server_time);
    CHECK(std::chrono::abs(*first.server_time - service.clock.wall()) < 5s);
    CHECK(first.detail.empty());
    CHECK(wait_until([&] { return admin.command({"EXISTS", probe_key}) == "1"; }));
    CHECK(std::stoll(admin.command({"PTTL", probe_key})) <= 3'000);
    CHECK(service.log.contain("locks can be taken at 127.0.0.1:"));
}

TEST_CASE("redis probe: answers to reads alone do not make a service usable",
          "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    RedissonThread node(server.port(), lock_key, holder);
    REQUIRE(node.try_lock(30s));
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    const std::string instance = service.probe(Health::usable).instance;

    SECTION("too few replicas") {
        admin.command({"CONFIG", "SET", "min-replicas-to-write", "1"});
        expect_outage(service, "NOREPLICAS");
        CHECK(service.reading(holder).claim_matches);  // reading still works
        CHECK(service.hold("gw:1", 30s, el002).done == core::LockDone::no_answer);
        admin.command({"CONFIG", "SET", "min-replicas-to-write", "0"});
    }
    SECTION("no memory left") {
        admin.command({"CONFIG", "SET", "maxmemory", "1"});
        expect_outage(service, "OOM");
        CHECK(service.reading(holder).claim_matches);
        admin.command({"CONFIG", "SET", "maxmemory", "0"});
    }
    SECTION("writes are paused") {
        admin.command({"CLIENT", "PAUSE", "60000", "WRITE"});
        const auto probe = service.probe(Health::outage);
        CHECK(contains(probe.detail, "no answer in time"));
        CHECK(probe.instance == instance);  // learned before the hang
        CHECK(service.reading(holder).claim_matches);
        admin.command({"CLIENT", "UNPAUSE"});
    }
    SECTION("everything is paused") {
        // UNPAUSE itself would not be heard by a client that is paused too; it has to run out.
        admin.command({"CLIENT", "PAUSE", "1500", "ALL"});
        expect_outage(service, "no answer in time");
    }
    SECTION("the snapshot cannot be written") {
        REQUIRE(admin.command({"CONFIG", "SET", "dir", "/proc"}) == "OK");
        admin.command({"CONFIG", "SET", "save", "1 1"});
        admin.command({"BGSAVE"});
        expect_outage(service, "MISCONF");
        CHECK(service.reading(holder).claim_matches);
        admin.command({"CONFIG", "SET", "save", ""});
        admin.command({"CONFIG", "SET", "stop-writes-on-bgsave-error", "no"});
    }
    SECTION("a script keeps the server busy") {
        admin.command({"CONFIG", "SET", "busy-reply-threshold", "50"});
        admin.send({"EVAL", "while true do end", "0"});
        const auto busy = service.probe(Health::outage);
        CAPTURE(busy.detail);
        CHECK(wait_until([&] { return contains(service.probe(Health::outage).detail, "BUSY"); }));
        CHECK_FALSE(service.check(holder).reading);
        RedisClient other(server.port());
        other.command({"SCRIPT", "KILL"});
    }
    CHECK(service.probe(Health::usable).instance == instance);
    CHECK(service.reading(holder).claim_matches);
    CHECK(service.locks.status().health == Health::usable);
}

TEST_CASE("redis probe: a replica is no lock service", "[component][redis]") {
    RedisServer master;
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    admin.command({"REPLICAOF", "127.0.0.1", std::to_string(master.port())});
    expect_outage(service, "replica");
    const auto answer = service.check(holder);
    CHECK_FALSE(answer.reading);
    CHECK(wait_until([&] { return contains(service.check(holder).detail, "replica"); }));
    CHECK(service.hold("gw:1").done == core::LockDone::no_answer);
    admin.command({"REPLICAOF", "NO", "ONE"});
    service.probe(Health::usable);
    CHECK(service.reading(holder).kind == core::LockReading::Kind::none);
}

TEST_CASE("redis probe: a replica that lost its master is no lock service", "[component][redis]") {
    RedisServer server({"replica-serve-stale-data no"});
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    admin.command({"REPLICAOF", "127.0.0.1", std::to_string(free_port())});
    service.probe(Health::outage);
    CHECK_FALSE(service.check(holder).reading);
}

TEST_CASE("redis probe: a server that is loading its data is an outage", "[component][redis]") {
    RedisServer server({"key-load-delay 50000", "loading-process-events-interval-bytes 1024"});
    RedisClient admin(server.port());
    for (int i = 0; i < 100; ++i) {
        admin.command({"SET", "key" + std::to_string(i), std::string(2000, 'x')});
    }
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    admin.send({"DEBUG", "RELOAD"});
    expect_outage(service, "");
    CHECK(wait_until([&] { return contains(service.probe(Health::outage).detail, "LOADING"); }));
    CHECK_FALSE(service.check(holder).reading);
}

TEST_CASE("redis probe: a server that was killed is an outage until it is back",
          "[component][redis]") {
    RedisServer server;
    RedissonThread node(server.port(), lock_key, holder);
    REQUIRE(node.try_lock(30s));
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    const std::string instance = service.probe(Health::usable).instance;
    server.kill();
    expect_outage(service, "cannot connect");
    const auto answer = service.check(holder);
    CHECK_FALSE(answer.reading);
    CHECK(contains(answer.detail, "not connected"));
    CHECK(service.locks.status().health == Health::outage);
    CHECK(service.locks.status().unanswered > 0);
    CHECK(service.log.contain("no lock can be taken"));
    server.start();
    CHECK(service.probe(Health::usable).instance != instance);
    CHECK(service.reading(holder).kind == core::LockReading::Kind::none);
}

TEST_CASE("redis probe: a server that is frozen is an outage though it accepts connections",
          "[component][redis]") {
    RedisServer server;
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    server.pause();
    expect_outage(service, "no answer in time");
    const core::TimePoint before = service.clock.now();
    CHECK_FALSE(service.check(holder).reading);
    CHECK(service.clock.now() - before < 500ms);
    server.resume();
    service.wait_until_usable();
}

TEST_CASE("redis probe: nobody listens, or nobody answers, from the start", "[component][redis]") {
    SECTION("nobody listens") {
        Service service(lock_settings(free_port()));
        expect_outage(service, "cannot connect");
        CHECK_FALSE(service.check(holder).reading);
    }
    SECTION("nobody answers") {
        SilentServer silent;
        Service service(lock_settings(silent.port()));
        expect_outage(service, "no answer in time");
        CHECK_FALSE(service.check(holder).reading);
        CHECK(service.hold("gw:1").done == core::LockDone::no_answer);
    }
}

TEST_CASE("redis probe: a connection that the server ended while idle is no outage",
          "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    for (int i = 0; i < 10; ++i) {
        admin.command({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
        service.probe(Health::usable);
    }
    const auto probes = service.events.of<core::LockProbed>();
    CHECK(std::none_of(probes.begin(), probes.end(), [](const auto& probe) {
        return probe.health != Health::usable;
    }));
    service.reading(holder);
}

TEST_CASE("redis probe: a server without room for another client is an outage",
          "[component][redis]") {
    RedisServer server({"maxclients 1"});
    // The one that saw the server start may still hold the place.
    std::optional<RedisClient> only;
    REQUIRE(wait_until([&] { return only.emplace(server.port()).command({"PING"}) == "PONG"; }));
    Service service(lock_settings(server.port()));
    expect_outage(service, "max number of clients");
}

}  // namespace
}  // namespace liftwarden::test
