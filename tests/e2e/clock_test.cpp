// The wall clock is set while commands live.
#include "tests/e2e/load.hpp"
#include "tests/support/site/preload.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

using std::chrono::steady_clock;
using Executed = std::vector<std::string>;

constexpr std::chrono::seconds hour{3600};
constexpr std::chrono::seconds year{365L * 24 * 3600};
constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";

SiteOptions one_elevator() {
    SiteOptions options = quick_site();
    options.elevators = {"EL001"};
    options.elevator_keys.emplace_back("ack_timeout: 1s");
    return options;
}

// Somebody else owns the elevator, so that what comes now waits.
void occupy(Node& owner) {
    owner.send(R"("seq":"o1","action":"hall_call","floor":"3")");
    owner.expect("o1", "served");
}

void warm_up(Node& node) {
    node.send(R"("seq":"0","action":"car_call","floor":"1")");
    node.expect("0", "served");
    node.send(R"("seq":"00","action":"release")");
    node.expect("00", "acked");
}

// Executed, but neither confirmation nor echo can be read for a while.
void lose_link_after_write(Site& site, Node& node) {
    const std::size_t before = site.truth().executed().size();
    site.plc("EL001:reply-lost");
    node.send(call_2);
    REQUIRE(wait_until([&] { return site.truth().executed().size() > before; }));
    site.plc("EL001:refuse-connections:3s");
}

bool event_seen(Site& site, const std::string& kind) {
    return site.observer()
        .wait_for([&](const PeerMessage& message) {
            return message.topic == "lift/test/EL001/event" &&
                   message.payload.find(kind) != std::string::npos;
        })
        .has_value();
}

}  // namespace

TEST_CASE("a wall clock that is set stretches no TTL and cuts none", "[e2e][clock]") {
    const auto step = GENERATE(values({hour, -hour, year, -year}));
    CAPTURE(step.count());
    Preload preload;
    SiteOptions options = one_elevator();
    options.elevator_keys.emplace_back("boarding_grace: 1min");
    options.elevator_keys.erase(options.elevator_keys.begin() + 3);  // quick_site's
    options.daemon_environment = preload.environment();
    Site site(options);
    Node owner(site, "owner");
    Node node(site, "node-a");
    occupy(owner);
    const auto sent = steady_clock::now();
    node.send(R"("seq":"1","action":"car_call","floor":"2","ttl_ms":2000)");
    node.expect("1", "accepted");
    preload.step_wall(step);
    const auto outcome = node.final_of("1");
    const auto took = steady_clock::now() - sent;
    CHECK(outcome.at("status") == "expired");
    CHECK(took > 1900ms);
    CHECK(took < 3500ms);
    CHECK(site.truth().executed() == Executed{"hall_call 3"});
    // The daemon lives on: its clock is shown, and the broker still hears it.
    owner.send(R"("seq":"o2","action":"release")");
    CHECK(owner.final_of("o2").at("status") == "acked");
    node.send(R"("seq":"2","action":"car_call","floor":"2")");
    CHECK(node.final_of("2").at("status") == "acked");
}

TEST_CASE("a wall clock that is set while a command is in flight or verified changes nothing",
          "[e2e][clock]") {
    const auto step = GENERATE(values({hour, -hour, year}));
    CAPTURE(step.count());
    Preload preload;
    SiteOptions options = one_elevator();
    options.daemon_environment = preload.environment();
    Site site(options);
    Node node(site, "node-a");
    warm_up(node);
    SECTION("in flight") {
        site.plc("EL001:ack-late:700ms");
        node.send(call_2);
        node.expect("1", "sent");
        preload.step_wall(step);
    }
    SECTION("verifying") {
        lose_link_after_write(site, node);
        REQUIRE(event_seen(site, "verifying"));
        preload.step_wall(step);
    }
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
    CHECK(site.truth().writes() == 2);
}

TEST_CASE("a broker that goes away after the wall clock was set is found again", "[e2e][clock]") {
    const auto step = GENERATE(values({hour, -hour}));
    CAPTURE(step.count());
    Preload preload;
    SiteOptions options = one_elevator();
    options.daemon_environment = preload.environment();
    Site site(options);
    preload.step_wall(step);
    for (int n = 1; n <= 2; ++n) {
        site.broker().kill();
        site.broker().start();
        Node node(site, "node-a");
        const std::string seq = std::to_string(n);
        CHECK(wait_until(
            [&] {
                node.send(R"("action":"car_call","floor":"2","seq":")" + seq + "\"");
                return wait_until(
                    [&] { return node.count(seq, "acked") + node.count(seq, "coalesced") > 0; },
                    1s);
            },
            30s));
    }
}

TEST_CASE("a wall clock set again and again under load breaks no law", "[e2e][clock]") {
    Preload preload;
    SiteOptions options = quick_site();
    options.daemon_environment = preload.environment();
    Site site(options);
    LoadNode a(site, "node-a", {"EL001", "EL002"}, 2, 31);
    LoadNode b(site, "node-b", {"EL001", "EL002"}, 2, 32);
    for (const auto step : {hour, -hour, year, -year, -hour, hour, -year, year}) {
        std::this_thread::sleep_for(700ms);
        preload.step_wall(step);
    }
    const bool all_final = a.finish(90s) & b.finish(90s);
    CHECK(all_final);
    Evidence evidence = gather(site, {&a, &b});
    evidence.received_at_once = true;
    evidence.wall_is_sound = false;
    const auto found = breaches(evidence);
    for (const auto& breach : found) {
        UNSCOPED_INFO(breach);
    }
    CHECK(found.empty());
    CHECK(evidence.truth.executed().size() > 10);
}
