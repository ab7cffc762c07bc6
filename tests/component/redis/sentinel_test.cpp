#include "tests/component/redis/fixture.hpp"
#include "tests/support/net.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::Health;

ports::LockSettings by_sentinels(const std::vector<std::uint16_t>& sentinels) {
    ports::LockSettings settings = lock_settings(0);
    settings.addresses.clear();
    for (const std::uint16_t port : sentinels) {
        settings.addresses.push_back({"127.0.0.1", port});
    }
    settings.master = "lifts";
    return settings;
}

std::string at(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
}

TEST_CASE("redis sentinel: the master is found, past Sentinels that are dead",
          "[component][redis]") {
    RedisServer server;
    RedisSentinel sentinel(server.port(), 5'000);
    SilentServer silent;
    const auto list = GENERATE(0, 1, 2);
    const std::vector<std::uint16_t> before{list == 0   ? sentinel.port()
                                            : list == 1 ? free_port()
                                                        : silent.port()};
    auto ports = before;
    ports.push_back(sentinel.port());
    Service service(by_sentinels(ports));
    service.wait_until_usable();
    CHECK(service.locks.status().address == at(server.port()));
    CHECK(service.hold("gw:1").done == core::LockDone::ours);
    CHECK_FALSE(service.log.contain("down-after-milliseconds"));
}

TEST_CASE("redis sentinel: no Sentinel answers", "[component][redis]") {
    SilentServer silent;
    Service service(by_sentinels({free_port(), silent.port()}));
    CHECK(contains(service.probe(Health::outage).detail, "Sentinel 127.0.0.1:"));
    CHECK_FALSE(service.check("uuid:1").reading);
}

TEST_CASE("redis sentinel: a master nobody knows is our own fault", "[component][redis]") {
    RedisServer server;
    RedisSentinel sentinel(server.port(), 5'000);
    auto settings = by_sentinels({free_port(), sentinel.port()});
    settings.master = "cranes";
    Service service(settings);
    CHECK(contains(service.probe(Health::misconfigured).detail, "no master named 'cranes'"));
}

TEST_CASE("redis sentinel: one that is slower than the takeover is warned of",
          "[component][redis]") {
    RedisServer server;
    RedisSentinel sentinel(server.port(), 30'000);
    Service service(by_sentinels({sentinel.port()}));
    service.wait_until_usable();
    CHECK(wait_until([&] { return service.log.contain("30000 ms (down-after-milliseconds)"); }));
}

TEST_CASE("redis sentinel: one that wants a login gets the servers'", "[component][redis]") {
    RedisServer server({"requirepass secret"});
    RedisSentinel sentinel(
        server.port(), 5'000, {"requirepass secret", "sentinel auth-pass lifts secret"});
    TempDir dir;
    write_file(dir.file("password"), "secret");
    auto settings = by_sentinels({sentinel.port()});
    settings.password_file = dir.file("password");
    Service service(settings);
    service.wait_until_usable();
}

TEST_CASE("redis sentinel: after a failover the new master is used, and is another instance",
          "[component][redis]") {
    RedisServer first;
    RedisServer second({"replicaof 127.0.0.1 " + std::to_string(first.port())});
    RedisClient replica(second.port());
    REQUIRE(wait_until([&] {
        return contains(replica.command({"INFO", "replication"}), "master_link_status:up");
    }));
    RedisSentinel sentinel(first.port(), 500);
    RedisClient watcher(sentinel.port());
    REQUIRE(wait_until([&] {
        return contains(watcher.command({"SENTINEL", "REPLICAS", "lifts"}), at(second.port()));
    }));
    Service service(by_sentinels({sentinel.port()}));
    service.wait_until_usable();
    RedissonThread node(first.port(), lock_key, "uuid:1");
    REQUIRE(node.try_lock(60s));
    REQUIRE(service.reading("uuid:1").claim_matches);
    const std::string instance = service.probe(Health::usable).instance;
    REQUIRE(wait_until([&] { return replica.command({"HGETALL", lock_key}) == "uuid:1 1"; }));

    first.kill();
    service.probe(Health::outage);
    const auto usable = service.probe(Health::usable, 30s);
    CHECK(usable.instance != instance);
    CHECK(service.locks.status().address == at(second.port()));
    CHECK(service.reading("uuid:1").claim_matches);  // what the core makes of it is its own affair

    // The old one comes back as a master of its own: nobody asks it, or it becomes a replica.
    first.start();
    for (int i = 0; i < 5; ++i) {
        CHECK(service.probe(Health::usable).instance == usable.instance);
    }
}

TEST_CASE("redis sentinel: a master that was replaced without knowing it is left",
          "[component][redis]") {
    RedisServer old_one;
    RedisServer new_one;
    RedisSentinel sentinel(old_one.port(), 5'000);
    RedisClient admin(sentinel.port());
    Service service(by_sentinels({sentinel.port()}));
    service.wait_until_usable();
    REQUIRE(service.hold("gw:1").done == core::LockDone::ours);
    admin.command({"SENTINEL", "REMOVE", "lifts"});
    admin.command(
        {"SENTINEL", "MONITOR", "lifts", "127.0.0.1", std::to_string(new_one.port()), "1"});
    RedissonThread node(new_one.port(), lock_key, "uuid:1");
    REQUIRE(node.try_lock(60s));
    CHECK(wait_until([&] { return service.reading("uuid:1").claim_matches; }));
    CHECK(service.locks.status().address == at(new_one.port()));
    CHECK(service.hold("gw:1").done == core::LockDone::foreign);
    CHECK(service.log.contain("another master"));
}

}  // namespace
}  // namespace liftwarden::test
