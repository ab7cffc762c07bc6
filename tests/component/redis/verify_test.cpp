#include "tests/component/redis/fixture.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::LockReading;
using core::LockScheme;

const std::string holder = "5d1f8a52-7c1e-4b7f-9d39-0a2f4c3b9e10:58";

TEST_CASE("redis: a Redisson lock is read with holder and lease", "[component][redis]") {
    RedisServer server;
    Service service(lock_settings(server.port()));
    RedissonThread node(server.port(), lock_key, holder);
    REQUIRE(node.try_lock(30s));

    const core::TimePoint before = service.clock.now();
    const LockReading reading = service.reading(holder);
    CHECK(reading.kind == LockReading::Kind::hash);
    CHECK(reading.claim_matches);
    CHECK(reading.holder == holder);
    CHECK_FALSE(reading.counter);
    REQUIRE(reading.lease);
    CHECK(*reading.lease <= 30s);
    CHECK(*reading.lease > 20s);
    CHECK(reading.sent_at >= before);
    CHECK(reading.answered_at >= reading.sent_at);
    CHECK(reading.answered_at <= service.clock.now());

    SECTION("another claim does not match, and the answer says who holds it") {
        const LockReading other = service.reading("someone-else:1");
        CHECK_FALSE(other.claim_matches);
        CHECK(other.holder == holder);
    }
    SECTION("a re-entered lock is the same lock") {
        REQUIRE(node.try_lock(30s));
        CHECK(service.reading(holder).claim_matches);
    }
    SECTION("a renewed lease shows") {
        REQUIRE(node.renew(60s));
        CHECK(*service.reading(holder).lease > 50s);
    }
    SECTION("a released lock is gone") {
        REQUIRE(node.unlock());
        const LockReading gone = service.reading(holder);
        CHECK(gone.kind == LockReading::Kind::none);
        CHECK_FALSE(gone.claim_matches);
        CHECK(gone.holder.empty());
        CHECK_FALSE(gone.lease);
    }
}

TEST_CASE("redis: an expired lock is read as none", "[component][redis]") {
    RedisServer server;
    Service service(lock_settings(server.port()));
    RedissonThread node(server.port(), lock_key, holder);
    REQUIRE(node.try_lock(150ms));
    CHECK(wait_until([&] { return service.reading(holder).kind == LockReading::Kind::none; }));
}

TEST_CASE("redis: a fenced lock comes with its counter", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port(), LockScheme::redisson_fenced));
    RedissonThread node(server.port(), lock_key, holder, true);
    REQUIRE(node.try_lock(30s) == 1);
    CHECK(service.reading(holder, 1).counter == 1);
    REQUIRE(node.try_lock(30s) == 2);
    const LockReading reading = service.reading(holder, 1);
    CHECK(reading.claim_matches);
    CHECK(reading.counter == 2);

    SECTION("a counter beyond what doubles hold is exact") {
        admin.command({"SET", counter_key, "9007199254740993"});
        CHECK(service.reading(holder, 1).counter == 9007199254740993);
    }
    SECTION("an evicted counter is missing, not zero") {
        admin.command({"DEL", counter_key});
        const LockReading without = service.reading(holder, 2);
        CHECK(without.claim_matches);
        CHECK_FALSE(without.counter);
    }
    SECTION("a counter that is no number cannot be judged") {
        admin.command({"SET", counter_key, "many"});
        const core::LockChecked odd = service.check(holder, 2);
        REQUIRE(odd.reading);
        CHECK(odd.reading->kind == LockReading::Kind::other);
        CHECK_FALSE(odd.reading->claim_matches);
        CHECK(contains(odd.detail, "counter"));
    }
    SECTION("nor one of another type") {
        admin.command({"DEL", counter_key});
        admin.command({"RPUSH", counter_key, "1"});
        CHECK(service.reading(holder, 2).kind == LockReading::Kind::other);
    }
}

TEST_CASE("redis: a lock that is a string is read by its value", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port(), LockScheme::string));
    admin.command({"SET", lock_key, "task-7+node-a", "NX", "PX", "30000"});
    const LockReading reading = service.reading("task-7+node-a");
    CHECK(reading.kind == LockReading::Kind::string);
    CHECK(reading.claim_matches);
    CHECK(*reading.lease > 20s);
    CHECK_FALSE(service.reading("task-7+node-").claim_matches);
    CHECK_FALSE(service.reading("task-7+node-aa").claim_matches);
    CHECK(service.reading("x").holder == "task-7+node-a");
}

TEST_CASE("redis: values are compared byte by byte", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port(), LockScheme::string));
    const std::string odd("a\0b\r\n$5", 7);
    admin.command({"SET", lock_key, odd, "PX", "30000"});
    CHECK(service.reading(odd).claim_matches);
    CHECK_FALSE(service.reading(std::string("a\0c\r\n$5", 7)).claim_matches);
    CHECK_FALSE(service.reading("a").claim_matches);
}

TEST_CASE("redis: a lock without a time to live has no lease", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    admin.command({"HSET", lock_key, holder, "1"});
    Service service(lock_settings(server.port()));
    const LockReading reading = service.reading(holder);
    CHECK(reading.claim_matches);
    CHECK_FALSE(reading.lease);
}

TEST_CASE("redis: a key of another client family matches nobody", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    SECTION("a string where a hash is expected") {
        admin.command({"SET", lock_key, holder, "PX", "30000"});
        Service service(lock_settings(server.port()));
        const LockReading reading = service.reading(holder);
        CHECK(reading.kind == LockReading::Kind::string);
        CHECK_FALSE(reading.claim_matches);
    }
    SECTION("a hash where a string is expected") {
        admin.command({"HSET", lock_key, holder, "1"});
        Service service(lock_settings(server.port(), LockScheme::string));
        const LockReading reading = service.reading(holder);
        CHECK(reading.kind == LockReading::Kind::hash);
        CHECK_FALSE(reading.claim_matches);
        CHECK(reading.holder == holder);
    }
    SECTION("a list") {
        admin.command({"RPUSH", lock_key, holder});
        Service service(lock_settings(server.port()));
        CHECK(service.reading(holder).kind == LockReading::Kind::other);
    }
    SECTION("a field of a read-write lock that is no holder") {
        admin.command({"HSET", lock_key, "mode", "write", holder + ":write", "1"});
        Service service(lock_settings(server.port()));
        CHECK_FALSE(service.reading("mode").claim_matches);
    }
    SECTION("a hash of many fields") {
        for (int i = 0; i < 100; ++i) {
            admin.command({"HSET", lock_key, "field-" + std::to_string(i), "1"});
        }
        Service service(lock_settings(server.port()));
        CHECK(service.reading(holder).holder == "one of many");
    }
}

TEST_CASE("redis: every elevator has its own lock", "[component][redis]") {
    RedisServer server;
    Service service(lock_settings(server.port()));
    RedissonThread node(server.port(), "agv:lift:control:EL002", holder);
    REQUIRE(node.try_lock(30s));
    CHECK(service.reading(holder).kind == LockReading::Kind::none);
    CHECK(service.reading(holder, std::nullopt, el002).claim_matches);
    const core::LockChecked unknown = service.check(holder, std::nullopt, core::ElevatorId("EL9"));
    CHECK_FALSE(unknown.reading);
    CHECK(contains(unknown.detail, "not an elevator"));
}

TEST_CASE("redis: the configured database is the one that is read", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    admin.command({"SELECT", "3"});
    admin.command({"SET", lock_key, "v", "PX", "30000"});
    auto settings = lock_settings(server.port(), LockScheme::string);
    settings.database = 3;
    Service service(settings);
    CHECK(service.reading("v").claim_matches);
    CHECK(contains(admin.command({"CLIENT", "LIST"}), "name=liftwarden"));
}

TEST_CASE("redis: a server that does not know EVAL_RO is asked by EVAL", "[component][redis]") {
    RedisServer server({"rename-command EVAL_RO \"\""});
    Service service(lock_settings(server.port()));
    RedissonThread node(server.port(), lock_key, holder);
    REQUIRE(node.try_lock(30s));
    CHECK(service.reading(holder).claim_matches);
    CHECK(service.probe(core::Health::usable).detail.empty());
}

TEST_CASE("redis: many questions at once are all answered, each with its own answer",
          "[component][redis]") {
    RedisServer server;
    Service service(lock_settings(server.port()));
    RedissonThread node(server.port(), lock_key, holder);
    REQUIRE(node.try_lock(30s));
    service.wait_until_usable();
    std::vector<core::GrantId> right;
    std::vector<core::GrantId> wrong;
    for (int i = 0; i < 50; ++i) {
        right.push_back(service.ask(holder));
        wrong.push_back(service.ask("other"));
    }
    int answered = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
        const auto yes = service.answer_to(right[i]);
        const auto no = service.answer_to(wrong[i]);
        // On a busy machine some may run out of time; none may get another's answer.
        CHECK((!yes.reading || yes.reading->claim_matches));
        CHECK((!no.reading || !no.reading->claim_matches));
        answered += yes.reading && no.reading ? 1 : 0;
    }
    CHECK(answered > 0);
    const auto status = service.locks.status();
    CHECK(status.checks >= 100);
    CHECK(status.health == core::Health::usable);
    CHECK(status.address == "127.0.0.1:" + std::to_string(server.port()));
}

}  // namespace
}  // namespace liftwarden::test
