#include "tests/component/redis/fixture.hpp"
#include "tests/support/net.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::Health;

core::Duration time_to_stop(Service& service) {
    const core::TimePoint before = service.clock.now();
    service.locks.stop();
    return service.clock.now() - before;
}

bool heart_beats(const Service& service) {
    const auto before = service.locks.heartbeats();
    // Twice, so that every thread has moved in between.
    return wait_until([&] { return service.locks.heartbeats() >= before + 2; });
}

TEST_CASE("redis stop: it takes no time, whatever the server does", "[component][redis]") {
    SECTION("usable") {
        RedisServer server;
        Service service(lock_settings(server.port()));
        service.wait_until_usable();
        CHECK(heart_beats(service));
        CHECK(time_to_stop(service) < 300ms);
    }
    SECTION("frozen, with questions and orders under way") {
        RedisServer server;
        Service service(lock_settings(server.port()));
        service.wait_until_usable();
        server.pause();
        for (int i = 0; i < 20; ++i) {
            service.ask("uuid:1");
            service.locks.hold({el001, "gw:1", 30s});
        }
        CHECK(time_to_stop(service) < 300ms);
    }
    SECTION("frozen, for long") {
        RedisServer server;
        Service service(lock_settings(server.port()));
        service.wait_until_usable();
        server.pause();
        service.probe(Health::outage);
        CHECK(heart_beats(service));
        CHECK(time_to_stop(service) < 300ms);
    }
    SECTION("silent from the start") {
        SilentServer silent;
        Service service(lock_settings(silent.port()));
        CHECK(heart_beats(service));
        CHECK(time_to_stop(service) < 300ms);
    }
    SECTION("nobody there") {
        Service service(lock_settings(free_port()));
        service.probe(Health::outage);
        CHECK(heart_beats(service));
        CHECK(time_to_stop(service) < 300ms);
    }
    SECTION("Sentinels that are silent") {
        SilentServer silent;
        auto settings = lock_settings(silent.port());
        settings.addresses.assign(20, {"127.0.0.1", silent.port()});
        settings.master = "lifts";
        Service service(settings);
        CHECK(time_to_stop(service) < 300ms);
    }
}

TEST_CASE("redis stop: at once after the start, twice, and without a start", "[component][redis]") {
    RedisServer server;
    {
        Service service(lock_settings(server.port()));
        service.locks.stop();
        service.locks.stop();
        CHECK_FALSE(service.check("uuid:1").reading);
    }
    const system::SystemClock clock;
    EventLog events;
    redis::RedisLocks never_started(
        lock_settings(server.port()), {el001}, events, clock, system::read_secret_file, {});
    CHECK(never_started.status().probes == 0);
}

}  // namespace
}  // namespace liftwarden::test
