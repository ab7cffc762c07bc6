// The daemon with a real lock service: from the lock in Redis to the register of the PLC.
#include "tests/e2e/trips.hpp"
#include "tests/support/redis_client.hpp"
#include "tests/support/redis_server.hpp"

#include <catch2/catch.hpp>

#include <thread>

using namespace liftwarden::test;

namespace {

const std::string lock_name = "agv:lift:control:EL001";

SiteOptions with_lock(const RedisServer& redis,
                      const std::string& scheme = "redisson",
                      const std::string& more = "") {
    SiteOptions options;
    options.car.floor_time = 300ms;
    options.car.door = {300ms, 300ms};
    options.elevator_keys = {"poll: 50ms", "scan: 50ms", "owner_grace: 2s"};
    options.file_keys = {"lock: {redis: \"redis://127.0.0.1:" + std::to_string(redis.port()) +
                         "\", scheme: " + scheme +
                         ", probe: 200ms, takeover_after: 5s, max_lease: 5s" + more + "}"};
    return options;
}

bool reaches(Site& site, const std::string& mode, Millis limit = 60s) {
    return wait_until([&] { return site.shows("EL001", "session", "mode", mode); }, limit);
}

std::string claim(const std::string& owner, std::optional<std::int64_t> token = std::nullopt) {
    return R"(,"lock":{"owner":")" + owner + "\"" +
           (token ? ",\"token\":" + std::to_string(*token) : "") + "}";
}

std::string reason_of(const boost::json::object& result) {
    return result.at("reason").is_null() ? "" : std::string(result.at("reason").as_string());
}

}  // namespace

TEST_CASE("lock: only the command of the verified holder reaches the PLC", "[e2e][lock]") {
    RedisServer redis;
    Site site(with_lock(redis));
    REQUIRE(reaches(site, "lock"));
    Node a(site, "node-a");
    RedissonThread holder(redis.port(), lock_name, "uuid-a:1");
    REQUIRE(holder.try_lock());
    a.send(R"("seq":"1","action":"car_call","floor":"2")");
    CHECK(reason_of(a.final_of("1")) == "lock_missing");
    a.send(R"("seq":"2","action":"car_call","floor":"2")" + claim("uuid-b:9"));
    const auto refused = a.final_of("2");
    CHECK(reason_of(refused) == "lock_not_held");
    CHECK_THAT(std::string(refused.at("detail").as_string()), Catch::Contains("uuid-a:1"));
    a.send(R"("seq":"3","action":"car_call","floor":"2")" + claim("uuid-a:1"));
    const auto acked = a.final_of("3");
    CHECK(acked.at("status") == "acked");
    CHECK(acked.at("mode") == "lock");
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 2"});
    const auto status = site.command_line({"status", "-c", site.config()});
    CHECK_THAT(status.text, Catch::Contains("usable"));
}

TEST_CASE("lock: fencing tokens of a zombie and invented ones execute nothing", "[e2e][lock]") {
    RedisServer redis;
    Site site(with_lock(redis, "redisson_fenced"));
    REQUIRE(reaches(site, "lock"));
    Node a(site, "node-a");
    RedissonThread zombie(redis.port(), lock_name, "uuid-a:1", true);
    const auto old_token = zombie.try_lock(1s);
    REQUIRE(old_token);
    RedissonThread successor(redis.port(), lock_name, "uuid-a:1", true);
    REQUIRE(wait_until([&] { return zombie.unlock(); }, 5s));
    const auto token = successor.try_lock();
    REQUIRE(token);
    a.send(R"("seq":"1","action":"car_call","floor":"2")" + claim("uuid-a:1", old_token));
    CHECK(reason_of(a.final_of("1")) == "stale_token");
    a.send(R"("seq":"2","action":"car_call","floor":"2")" + claim("uuid-a:1", *token + 1000));
    CHECK(reason_of(a.final_of("2")) == "lock_not_held");
    a.send(R"("seq":"3","action":"car_call","floor":"2")" + claim("uuid-a:1", token));
    CHECK(a.final_of("3").at("status") == "acked");
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 2"});
}

TEST_CASE("lock: a wrong password is told as one and no takeover", "[e2e][lock]") {
    RedisServer redis({"requirepass right"});
    const TempDir dir;
    write_file(dir.file("pw"), "wrong");
    Site site(with_lock(redis, "redisson", ", password_file: " + dir.file("pw")));
    const auto says = [&](const std::string& words) {
        const auto status = site.command_line({"status", "-c", site.config()});
        return status.text.find(words) != std::string::npos;
    };
    CHECK(wait_until([&] { return says("misconfigured") && says("WRONGPASS"); }, 10s));
    CHECK_FALSE(reaches(site, "edge", 8s));
}

TEST_CASE("lock: a waiting Redisson client gets the lock within a second after the drain",
          "[e2e][lock]") {
    RedisServer redis;
    Site site(with_lock(redis));
    REQUIRE(reaches(site, "lock"));
    redis.kill();
    REQUIRE(reaches(site, "edge"));
    Node a(site, "node-a");
    a.send(R"("seq":"1","action":"open_door","task":"T")");
    CHECK(a.final_of("1").at("status") == "acked");
    redis.start();
    REQUIRE(reaches(site, "handback"));
    RedissonThread waiting(redis.port(), lock_name, "uuid-b:1");
    RedisClient look(redis.port());
    REQUIRE(wait_until(
        [&] {
            return look.command({"HKEYS", lock_name}).find("liftwarden-gw-test") == 0;
        },
        5s));
    std::optional<std::int64_t> got;
    std::chrono::steady_clock::time_point got_at;
    std::thread waiter([&] {
        got = waiting.lock(5s, 20s);
        got_at = std::chrono::steady_clock::now();
    });
    a.send(R"("seq":"2","action":"release","task":"T")");
    CHECK(a.final_of("2").at("status") == "acked");
    const auto drained = std::chrono::steady_clock::now();
    waiter.join();
    CHECK(got);
    CHECK(got_at - drained < 1s);
    CHECK(reaches(site, "lock", 5s));
}

TEST_CASE("lock: twelve trips of two nodes ride through an outage and back, nothing contradicts",
          "[e2e][lock][outage]") {
    RedisServer redis;
    Site site(with_lock(redis));
    REQUIRE(reaches(site, "lock"));
    TripNode a(site, redis.port(), "node-a");
    TripNode b(site, redis.port(), "node-b");
    std::vector<Trip> of_a;
    std::vector<Trip> of_b;
    for (int i = 0; i < 6; ++i) {
        const std::string low = std::to_string(1 + i % 2);
        of_a.push_back({"A" + std::to_string(i), low, "4"});
        of_b.push_back({"B" + std::to_string(i), "3", low});
    }
    bool a_fine = false;
    bool b_fine = false;
    std::thread first([&] { a_fine = a.run(of_a, 170s); });
    std::thread second([&] { b_fine = b.run(of_b, 170s); });
    const auto trips = [&] { return a.done() + b.done(); };
    CHECK(wait_until([&] { return trips() >= 2; }, 60s));
    redis.kill();
    CHECK(reaches(site, "edge"));
    const auto at_takeover = trips();
    CHECK(wait_until([&] { return trips() >= at_takeover + 2; }, 60s));
    redis.start();
    CHECK(reaches(site, "lock"));
    first.join();
    second.join();
    INFO(a.trouble() << b.trouble());
    CHECK(a_fine);
    CHECK(b_fine);
    const SimLog truth = site.truth();
    CHECK(truth.reversals() == 0);
    CHECK(truth.emergency_stops() == 0);
    // Nothing twice and nothing lost: what was acked and reaches the PLC (all but releases), once.
    const auto executed = truth.executed();
    CHECK(executed.size() == a.count("acked") + b.count("acked") - 12);
    // Nobody's call between the two of a trip.
    for (std::size_t i = 0; i + 1 < executed.size(); ++i) {
        if (executed[i] == "hall_call 3") {
            const auto next = executed[i + 1];
            CHECK((next == "car_call 1" || next == "car_call 2"));
        } else if (executed[i].rfind("hall_call", 0) == 0) {
            CHECK(executed[i + 1] == "car_call 4");
        }
    }
}
