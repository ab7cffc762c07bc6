// The broker dies, forgets, hangs, is slow; and what nodes sent meanwhile.
#include "tests/e2e/load.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

using Executed = std::vector<std::string>;

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";

SiteOptions one_quick_elevator() {
    SiteOptions options = quick_site();
    options.elevators = {"EL001"};
    return options;
}

// A node that repeats until it is heard, as the rules for publishers have it.
boost::json::object insist(Node& node, const std::string& seq, const std::string& fields) {
    REQUIRE(wait_until(
        [&] {
            node.send(R"("seq":")" + seq + "\"," + fields);
            return wait_until([&] { return node.count(seq, "acked") > 0; }, 1s);
        },
        60s));
    return node.final_of(seq);
}

bool gateway_online(const MqttPeer& peer) {
    return peer
        .wait_for(
            [](const PeerMessage& message) {
                return message.topic == "lift/test/gateway/gw-test" &&
                       message.payload.find("\"online\":true") != std::string::npos;
            },
            30s)
        .has_value();
}

}  // namespace

TEST_CASE(
    "a broker that is killed and comes back without its memory: all is said again, nothing done "
    "twice",
    "[e2e][broker]") {
    Site site(one_quick_elevator());
    {
        Node node(site, "node-a");
        site.plc("EL001:ack-late:1s");
        node.send(call_2);
        node.expect("1", "sent");
        site.broker().kill();
    }
    // The command is finished while nobody listens.
    REQUIRE(wait_until([&] { return site.truth().lines("late_answer").size() == 1; }));
    site.broker().start();
    Node node(site, "node-a");
    MqttPeer late(site.broker().port(), "late-observer");
    late.subscribe("lift/#");
    CHECK(gateway_online(late));
    CHECK(late.wait_for(
        [](const PeerMessage& message) { return message.topic == "lift/test/EL001/state"; }, 20s));
    CHECK(node.final_of("1", 30s).at("status") == "acked");
    // A repeat and a new command are understood as before.
    node.peer().clear();
    const auto repeat = insist(node, "1", R"("action":"car_call","floor":"2")");
    CHECK(repeat.at("duplicate").as_bool());
    insist(node, "2", R"("action":"car_call","floor":"3")");
    CHECK(site.truth().executed() == Executed{"car_call 2", "car_call 3"});
}

TEST_CASE("a broker restarted with its memory while the gateway is away hands over what it kept",
          "[e2e][broker]") {
    SiteOptions options = one_quick_elevator();
    options.broker.persistence = true;
    Site site(options);
    site.daemon().kill();
    {
        Node node(site, "node-a");
        node.send(call_2, MqttProperties{300, {}, {}});
    }
    site.broker().stop();
    site.broker().start();
    Node node(site, "node-a");
    site.spawn_daemon();
    CHECK(node.final_of("1", 30s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE(
    "a broker that kept a command longer than its TTL: expired, whether its age is told or not",
    "[e2e][broker]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    site.daemon().kill();
    const auto killed = std::chrono::steady_clock::now();
    node.send(R"("seq":"silent","action":"car_call","floor":"2","ttl_ms":1500)");
    node.send(R"("seq":"told","action":"car_call","floor":"3","ttl_ms":30000)",
              MqttProperties{30, {}, {}});
    REQUIRE(wait_until([&] { return std::chrono::steady_clock::now() > killed + 1800ms; }));
    site.spawn_daemon();
    CHECK(node.final_of("silent", 20s).at("status") == "expired");
    CHECK(node.final_of("told", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 3"});
}

TEST_CASE("a broker that hangs: the elevator goes on, the results follow", "[e2e][broker]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    site.plc("EL001:ack-late:700ms");
    node.send(call_2);
    node.send(R"("seq":"2","action":"close_door")");
    node.expect("2", "accepted");
    node.expect("1", "sent");
    site.broker().pause();
    // The second waits for the first one's door, and nobody at the broker is asked about it.
    const bool went_on = wait_until([&] { return site.truth().executed().size() == 2; });
    site.broker().resume();
    CHECK(went_on);
    CHECK(node.final_of("1", 40s).at("status") == "acked");
    CHECK(node.final_of("2", 40s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2", "close_door"});
    insist(node, "3", R"("action":"car_call","floor":"3")");
}

TEST_CASE("a slow way to the broker delays results, not the elevator", "[e2e][broker]") {
    SiteOptions options = one_quick_elevator();
    options.broker_through_relay = true;
    Site site(options);
    Node node(site, "node-a");
    site.broker_relay().set_delay(600ms);
    node.send(call_2);
    node.send(R"("seq":"2","action":"close_door")");
    node.send(R"("seq":"3","action":"car_call","floor":"3")");
    for (const char* seq : {"1", "2", "3"}) {
        CHECK(node.final_of(seq, 20s).at("status") == "acked");
    }
    const SimLog truth = site.truth();
    CHECK(truth.executed() == Executed{"car_call 2", "close_door", "car_call 3"});
    // Well below one way to the broker and back.
    const auto acked = node.final_of("3");
    CHECK(acked.at("elapsed_ms").at("ack").to_number<std::int64_t>() < 600);
}

TEST_CASE("a way to the broker that breaks again and again under load breaks no law",
          "[e2e][broker]") {
    SiteOptions options = quick_site();
    options.broker_through_relay = true;
    Site site(options);
    LoadNode a(site, "node-a", {"EL001", "EL002"}, 2, 51);
    LoadNode b(site, "node-b", {"EL001", "EL002"}, 2, 52);
    std::mt19937_64 random(53);
    for (int n = 0; n < 10; ++n) {
        std::this_thread::sleep_for(Millis{300 + random() % 600});
        site.broker_relay().reset();
    }
    const bool all_final = a.finish(90s) & b.finish(90s);
    INFO(a.unfinished() << b.unfinished());
    CHECK(all_final);
    const Evidence evidence = gather(site, {&a, &b});
    for (const auto& breach : breaches(evidence)) {
        FAIL_CHECK(breach);
    }
    CHECK(site.daemon().running());
    CHECK(evidence.truth.executed().size() > 5);
}
