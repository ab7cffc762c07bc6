#include "src/adapters/redis/known_server.hpp"
#include "tests/component/redis/fixture.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::Health;
using redis::KnownServer;
using redis::ServerTime;

const std::string holder = "uuid:1";

TEST_CASE("redis change: no reading of a restarted server before a probe has named it",
          "[component][redis]") {
    RedisServer server;
    auto settings = lock_settings(server.port());
    settings.rules.probe = 1s;
    Service service(settings);
    service.wait_until_usable();
    std::string instance = service.probe(Health::usable).instance;
    for (int round = 0; round < 3; ++round) {
        const std::size_t before = service.events.events().size();
        server.kill();
        server.start();
        RedissonThread node(server.port(), lock_key, holder);
        REQUIRE(node.try_lock(60s));
        service.reading(holder);
        // Every reading after the restart has the other instance before it.
        std::string named = instance;
        bool early = false;
        const auto events = service.events.events();
        for (std::size_t i = before; i < events.size(); ++i) {
            const core::Event& event = events[i];
            if (const auto* probe = std::get_if<core::LockProbed>(&event)) {
                named = probe->health == Health::usable ? probe->instance : named;
            } else if (const auto* checked = std::get_if<core::LockChecked>(&event)) {
                early = early ||
                        (checked->reading && checked->reading->claim_matches && named == instance);
            }
        }
        CHECK_FALSE(early);
        CHECK(named != instance);
        instance = service.probe(Health::usable).instance;
        REQUIRE(node.unlock());
    }
}

TEST_CASE("redis change: a promotion on the spot is another instance", "[component][redis]") {
    RedisServer server;
    RedisClient admin(server.port());
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    const std::string instance = service.probe(Health::usable).instance;
    RedisServer other;
    admin.command({"REPLICAOF", "127.0.0.1", std::to_string(other.port())});
    REQUIRE(wait_until([&] {
        return contains(admin.command({"INFO", "replication"}), "master_link_status:up");
    }));
    admin.command({"REPLICAOF", "NO", "ONE"});
    CHECK(wait_until([&] { return service.probe(Health::usable).instance != instance; }));
    service.reading(holder);
}

// A probe at 100 s of our clock that took 2 ms; the server's is 1 h ahead.
core::TimePoint at(core::Duration ours) {
    return core::TimePoint{ours};
}
ServerTime shown(core::Duration ours, core::Duration theirs, core::Duration trip = 2ms) {
    return {core::WallTime{std::chrono::duration_cast<Millis>(theirs)}, at(ours), at(ours + trip)};
}

TEST_CASE("redis change: readings wait for a probe when the server's clock was set",
          "[component][redis]") {
    using Verdict = KnownServer::Verdict;
    KnownServer known;
    CHECK(known.judge("a", shown(100s, 3700s)) == Verdict::not_probed);
    known.tell("a", shown(100s, 3700s));
    CHECK(known.judge("a", shown(101s, 3701s)) == Verdict::same);
    CHECK(known.judge("b", shown(101s, 3701s)) == Verdict::other);
    CHECK(known.judge("a", shown(101s, 3701s + 190ms)) == Verdict::same);
    CHECK(known.judge("a", shown(101s, 3701s + 300ms)) == Verdict::clock_set);
    CHECK(known.judge("a", shown(101s, 3701s - 300ms)) == Verdict::clock_set);
    CHECK(known.judge("a", shown(101s, 7301s)) == Verdict::clock_set);
    CHECK(known.judge("a", shown(101s, 101s)) == Verdict::clock_set);
    // An answer that took long was made at any moment of that time.
    CHECK(known.judge("a", shown(101s, 3701s + 300ms, 400ms)) == Verdict::same);
    known.tell("a", shown(102s, 7302s));
    CHECK(known.judge("a", shown(103s, 7303s)) == Verdict::same);
    // What a probe could not learn stays as it was.
    known.tell("", std::nullopt);
    CHECK(known.judge("a", shown(103s, 7303s)) == Verdict::same);
}

}  // namespace
}  // namespace liftwarden::test
