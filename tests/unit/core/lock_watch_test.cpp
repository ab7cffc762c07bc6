// Is the lock service usable?
#include "src/core/lock_watch.hpp"

#include "tests/support/core_builders.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

// A probe every second, as told.
struct Probing {
    LockWatch watch{LockRules{}};
    TimePoint now{std::chrono::hours(1)};
    std::string instance = "run-1";
    Duration server_ahead{};

    void probe(Health health, int times = 1) {
        for (int i = 0; i < times; ++i) {
            now += 1s;
            watch.tick(now);
            LockProbed probed;
            probed.started_at = now;
            probed.health = health;
            if (health != Health::outage) {
                probed.instance = instance;
                probed.server_time = WallTime{std::chrono::duration_cast<std::chrono::milliseconds>(
                    now.time_since_epoch() + server_ahead)};
            }
            watch.probed(probed, now);
        }
    }
    void report(const std::string& node, NodeReported::LockService what, bool live = true) {
        watch.node_reported({SourceId{node}, what, live}, now);
    }
};

}  // namespace

TEST_CASE("lock watch: three failed probes in a row are an outage that began with the first",
          "[core][lock]") {
    Probing it;
    it.probe(Health::usable, 3);
    const auto first = it.now + 1s;
    it.probe(Health::outage, 2);
    CHECK_FALSE(it.watch.failing());
    it.probe(Health::outage);
    CHECK(it.watch.failing());
    CHECK(it.watch.outage_since() == first);
}

TEST_CASE("lock watch: one good probe ends no outage, three of one server do", "[core][lock]") {
    Probing it;
    it.probe(Health::outage, 3);
    const auto since = it.watch.outage_since();
    it.probe(Health::usable);
    it.probe(Health::outage);
    CHECK(it.watch.outage_since() == since);
    it.probe(Health::usable, 2);
    it.instance = "run-2";
    it.probe(Health::usable, 2);
    CHECK_FALSE(it.watch.recovered());
    it.probe(Health::usable);
    CHECK(it.watch.recovered());
    CHECK_FALSE(it.watch.outage_since());
}

TEST_CASE("lock watch: our own misconfiguration is neither an outage nor a recovery",
          "[core][lock]") {
    Probing it;
    it.probe(Health::misconfigured, 10);
    CHECK_FALSE(it.watch.failing());
    CHECK_FALSE(it.watch.recovered());
    it.probe(Health::outage, 2);
    it.probe(Health::misconfigured);
    it.probe(Health::outage);
    CHECK_FALSE(it.watch.failing());
}

TEST_CASE("lock watch: a loop that stood still begins the window again", "[core][lock]") {
    Probing it;
    it.probe(Health::outage, 2);
    it.now += 5s;
    it.probe(Health::outage, 2);
    CHECK_FALSE(it.watch.failing());
    it.probe(Health::outage);
    CHECK(it.watch.failing());
    CHECK(it.now - *it.watch.outage_since() == 2s);
}

TEST_CASE("lock watch: the way back is ten probes over ten seconds, doubled by each flap",
          "[core][lock]") {
    Probing it;
    const auto outage = [&] {
        it.probe(Health::outage, 3);
        it.watch.took_over(it.now);
        it.watch.took_over(it.now);  // a second elevator of the same outage
    };
    outage();
    it.probe(Health::usable, 10);
    CHECK_FALSE(it.watch.steadily_usable(it.now));
    it.probe(Health::usable);
    CHECK(it.watch.steadily_usable(it.now));
    outage();
    CHECK(it.watch.healthy_time(it.now) == 20s);
    it.probe(Health::usable, 15);
    CHECK_FALSE(it.watch.steadily_usable(it.now));
    for (int i = 0; i < 10; ++i) {
        it.probe(Health::usable, 3);
        outage();
    }
    CHECK(it.watch.healthy_time(it.now) == 10min);
    CHECK(it.watch.healthy_time(it.now + 2h) == 10s);
}

TEST_CASE("lock watch: a restart, a failover and a step of the server's clock change its memory",
          "[core][lock]") {
    Probing it;
    it.probe(Health::usable, 3);
    const auto before = it.watch.memory();
    CHECK(before == "run-1");
    it.probe(Health::usable, 20);
    CHECK(it.watch.memory() == before);
    it.server_ahead = 300ms;
    it.probe(Health::misconfigured);  // tells it as well
    CHECK(it.watch.memory() != before);
    const auto stepped = it.watch.memory();
    it.probe(Health::usable, 5);
    CHECK(it.watch.memory() == stepped);
    it.instance = "run-2";
    it.probe(Health::usable);
    CHECK(it.watch.memory() != stepped);
}

TEST_CASE("lock watch: an outage is also what every node that spoke of late says", "[core][lock]") {
    using Says = NodeReported::LockService;
    Probing it;
    it.report("node-a", Says::lost);
    it.probe(Health::usable, 3);
    CHECK(it.watch.failing());
    it.report("node-b", Says::ok);
    it.probe(Health::usable, 3);
    CHECK(it.watch.recovered());
    it.report("node-b", Says::gone);
    it.probe(Health::usable, 3);
    CHECK(it.watch.failing());
    it.probe(Health::usable, 31);  // what was said half a minute ago is no longer news
    CHECK(it.watch.recovered());
    it.report("node-c", Says::lost, false);  // nor is a retained copy
    it.probe(Health::usable, 3);
    CHECK(it.watch.recovered());
}
