#include "tests/component/redis/fixture.hpp"

#include <catch2/catch.hpp>

#include <future>

namespace liftwarden::test {
namespace {

using core::LockDone;
using core::LockScheme;

const std::string gateway = "liftwarden-gw-01:1";

TEST_CASE("redis hold: a free lock is taken in Redisson's format and renewed",
          "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    CHECK(service.hold(gateway, 5s).done == LockDone::ours);
    CHECK(admin.command({"HGETALL", lock_key}) == gateway + " 1");
    CHECK(std::stoll(admin.command({"PTTL", lock_key})) <= 5'000);
    CHECK(service.hold(gateway, 30s).done == LockDone::ours);
    CHECK(admin.command({"HGETALL", lock_key}) == gateway + " 1");
    CHECK(std::stoll(admin.command({"PTTL", lock_key})) > 20'000);
    CHECK(service.reading(gateway).claim_matches);

    RedissonThread node(server.port(), lock_key, "uuid:1");
    CHECK_FALSE(node.try_lock());
    const auto returned = service.give_back(gateway);
    CHECK(returned.returned);
    CHECK(returned.done == LockDone::ours);
    CHECK(admin.command({"EXISTS", lock_key}) == "0");
    CHECK(node.try_lock());
}

TEST_CASE("redis hold: nothing is written to a server that no probe has seen",
          "[component][redis]") {
    RedisServer server;
    auto settings = lock_settings(server.port());
    settings.rules.probe = 2s;
    Service service(settings);
    service.wait_until_usable();
    REQUIRE(service.hold(gateway).done == LockDone::ours);
    service.probe(core::Health::usable);
    server.kill();
    server.start();
    RedisClient admin(server.port());
    const auto early = service.hold(gateway);
    CHECK(early.done == LockDone::no_answer);
    CHECK(admin.command({"EXISTS", lock_key}) == "0");
    service.probe(core::Health::usable);
    CHECK(wait_until([&] { return service.hold(gateway).done == LockDone::ours; }));
}

TEST_CASE("redis hold: a foreign holder is left alone and named", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    RedissonThread node(server.port(), lock_key, "uuid:1");
    REQUIRE(node.try_lock(20s));
    const auto held = service.hold(gateway);
    CHECK(held.done == LockDone::foreign);
    CHECK(held.detail == "uuid:1");
    const auto returned = service.give_back(gateway);
    CHECK(returned.done == LockDone::ours);
    CHECK(contains(returned.detail, "uuid:1"));
    CHECK(admin.command({"HGETALL", lock_key}) == "uuid:1 1");
    CHECK(std::stoll(admin.command({"PTTL", lock_key})) <= 20'000);
}

TEST_CASE("redis hold: a lock that ended is given back all the same", "[component][redis]") {
    RedisServer server;
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    CHECK(service.give_back(gateway).done == LockDone::ours);
}

TEST_CASE("redis hold: who waits for the lock has it within a second after it is given back",
          "[component][redis]") {
    RedisServer server;
    const bool fenced = GENERATE(false, true);
    Service service(
        lock_settings(server.port(), fenced ? LockScheme::redisson_fenced : LockScheme::redisson));
    service.wait_until_usable();
    REQUIRE(service.hold(gateway).done == LockDone::ours);
    RedisClient admin(server.port());
    struct Got {
        std::optional<std::int64_t> token;
        std::chrono::steady_clock::time_point at;
    };
    auto got = std::async(std::launch::async, [&] {
        RedissonThread node(server.port(), lock_key, "uuid:7", fenced);
        Got result;
        result.token = node.lock(30s, 20s);
        result.at = std::chrono::steady_clock::now();
        return result;
    });
    const std::string channel = "redisson_lock__channel:{agv:lift:control:EL001}";
    REQUIRE(wait_until([&] {
        return admin.command({"PUBSUB", "NUMSUB", channel}) == channel + " 1";
    }));
    const auto given = std::chrono::steady_clock::now();
    CHECK(service.give_back(gateway, 42).done == LockDone::ours);
    const Got result = got.get();
    CHECK(result.token == (fenced ? 43 : 0));
    CHECK(result.at - given < 1s);
    CHECK(service.reading("uuid:7").claim_matches);
}

TEST_CASE("redis hold: the counter is raised to the gateway's mark, never lowered",
          "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port(), LockScheme::redisson_fenced));
    service.wait_until_usable();
    REQUIRE(service.hold(gateway).done == LockDone::ours);
    const auto after = [&](const std::string& before, std::int64_t mark) {
        if (before.empty()) {
            admin.command({"DEL", counter_key});
        } else {
            admin.command({"SET", counter_key, before});
        }
        CHECK(service.give_back(gateway, mark).done == LockDone::ours);
        return admin.command({"GET", counter_key});
    };
    CHECK(after("", 42) == "42");
    CHECK(after("9", 42) == "42");
    CHECK(after("42", 42) == "42");
    CHECK(after("100", 42) == "100");
    CHECK(after("9007199254740993", 9007199254740992) == "9007199254740993");
    CHECK(after("9007199254740992", 9007199254740993) == "9007199254740993");
    CHECK(after("-5", 3) == "3");
    CHECK(after("", 0) == "(nil)");
    // Taking it does not count as an acquisition: only nodes get tokens.
    REQUIRE(service.hold(gateway).done == LockDone::ours);
    CHECK(admin.command({"EXISTS", counter_key}) == "0");
}

TEST_CASE("redis hold: the counter is raised even if the lock is somebody else's by then",
          "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port(), LockScheme::redisson_fenced));
    service.wait_until_usable();
    RedissonThread node(server.port(), lock_key, "uuid:1", true);
    REQUIRE(node.try_lock(20s) == 1);
    CHECK(service.give_back(gateway, 50).done == LockDone::ours);
    CHECK(admin.command({"GET", counter_key}) == "50");
    CHECK(admin.command({"HGETALL", lock_key}) == "uuid:1 1");
}

TEST_CASE("redis hold: a string lock is taken, renewed and given back", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port(), LockScheme::string));
    service.wait_until_usable();
    CHECK(service.hold(gateway, 5s).done == LockDone::ours);
    CHECK(admin.command({"GET", lock_key}) == gateway);
    CHECK(admin.command({"SET", lock_key, "node", "NX", "PX", "1000"}) == "(nil)");
    CHECK(service.hold(gateway, 30s).done == LockDone::ours);
    CHECK(std::stoll(admin.command({"PTTL", lock_key})) > 20'000);
    CHECK(service.give_back(gateway).done == LockDone::ours);
    CHECK(admin.command({"SET", lock_key, "node", "NX", "PX", "20000"}) == "OK");
    const auto held = service.hold(gateway);
    CHECK(held.done == LockDone::foreign);
    CHECK(held.detail == "node");
    CHECK(service.give_back(gateway).done == LockDone::ours);
    CHECK(admin.command({"GET", lock_key}) == "node");
}

TEST_CASE("redis hold: a key of another type is left alone", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    admin.command({"RPUSH", lock_key, "x"});
    const auto scheme = GENERATE(LockScheme::redisson, LockScheme::string);
    Service service(lock_settings(server.port(), scheme));
    service.wait_until_usable();
    const auto held = service.hold(gateway);
    CHECK(held.done == LockDone::foreign);
    CHECK(held.detail == "a list");
    CHECK(service.give_back(gateway).done == LockDone::ours);
    CHECK(admin.command({"TYPE", lock_key}) == "list");
}

TEST_CASE("redis hold: without permission to write it says so", "[component][redis]") {
    RedisServer server({"user default on nopass ~* &* +@all",
                        "user reader on >secret resetchannels %R~* ~liftwarden:* +@all -publish"});
    RedisClient admin(server.port());
    TempDir dir;
    write_file(dir.file("password"), "secret");
    auto settings = lock_settings(server.port());
    settings.username = "reader";
    settings.password_file = dir.file("password");
    Service service(settings);
    service.wait_until_usable();
    CHECK(service.hold(gateway).done == LockDone::forbidden);
    CHECK(admin.command({"EXISTS", lock_key}) == "0");
    // Where only the wake-up is forbidden the lock is given back, and waiters find it by its lease.
    admin.command({"ACL", "SETUSER", "reader", "~*"});
    CHECK(service.hold(gateway).done == LockDone::ours);
    const auto returned = service.give_back(gateway);
    CHECK(returned.done == LockDone::ours);
    CHECK(contains(returned.detail, "can't"));
    CHECK(admin.command({"EXISTS", lock_key}) == "0");
}

TEST_CASE("redis hold: a hanging server delays no probe and gets no order twice",
          "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    REQUIRE(service.hold(gateway).done == LockDone::ours);
    service.wait_until_usable();
    server.pause();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 10; ++i) {
        service.locks.hold({el001, gateway, 30s});
    }
    CHECK(wait_until([&] { return service.events.of<core::LockMoved>().size() == 11; }));
    // Counted from when they were given, so ten take no longer than one.
    CHECK(std::chrono::steady_clock::now() - begin < 3s);
    const auto moves = service.events.of<core::LockMoved>();
    CHECK(std::count_if(moves.begin(), moves.end(), [](const auto& moved) {
              return moved.done == LockDone::no_answer;
          }) == 10);
    server.resume();
    CHECK(wait_until([&] { return service.hold(gateway).done == LockDone::ours; }));
    CHECK(admin.command({"HGETALL", lock_key}) == gateway + " 1");
}

TEST_CASE("redis hold: no server, no answer; afterwards it works again", "[component][redis]") {
    RedisServer server;
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    REQUIRE(service.hold(gateway).done == LockDone::ours);
    server.kill();
    CHECK(service.hold(gateway).done == LockDone::no_answer);
    server.start();
    CHECK(wait_until([&] { return service.hold(gateway).done == LockDone::ours; }));
}

}  // namespace
}  // namespace liftwarden::test
