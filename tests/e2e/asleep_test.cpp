// The process sleeps through what it should see.
#include "tests/e2e/load.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace liftwarden::test;

namespace {

using std::chrono::steady_clock;
using Executed = std::vector<std::string>;

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";

// Longer than every time limit of an observation, a link, a commit and an acknowledgement here;
// LIFTWARDEN_STOP_S takes its place for a longer run.
Millis asleep() {
    const char* text = std::getenv("LIFTWARDEN_STOP_S");
    return text != nullptr ? Millis{1000 * std::atol(text)} : 2500ms;
}

// A message that was being taken when it fell asleep is beyond the limit of its commit afterwards:
// then the daemon ends without acknowledging it, and is started again, as by its service manager.
void wake(Site& site) {
    site.daemon().signal(SIGCONT);
    if (const auto code = site.daemon().wait(1s)) {
        CHECK(code == 75);
        site.spawn_daemon();
    }
}

void sleep_through(Site& site) {
    const auto until = steady_clock::now() + asleep();
    site.daemon().signal(SIGSTOP);
    std::this_thread::sleep_until(until);
    wake(site);
}

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

TEST_CASE("asleep with a command in the queue: past its TTL it is not written", "[e2e][asleep]") {
    Site site(one_elevator());
    Node owner(site, "owner");
    Node node(site, "node-a");
    occupy(owner);
    node.send(R"("seq":"short","action":"car_call","floor":"2","ttl_ms":1500)");
    node.send(R"("seq":"long","action":"car_call","floor":"4","task":"t")");
    node.expect("long", "accepted");
    owner.send(R"("seq":"o2","action":"release")");
    sleep_through(site);
    CHECK(node.final_of("short").at("status") != "failed");
    CHECK(node.final_of("long").at("status") == "acked");
    // Released before it fell asleep, or not: never after its TTL.
    const auto executed = site.truth().executed();
    const bool in_time = node.count("short", "acked") == 1;
    CHECK(executed == (in_time ? Executed{"hall_call 3", "car_call 2", "car_call 4"}
                               : Executed{"hall_call 3", "car_call 4"}));
}

TEST_CASE("asleep between the fresh read and the write: it reads again, or lets it expire",
          "[e2e][asleep]") {
    SiteOptions options = one_elevator();
    options.elevator_keys[1] = "poll: 2s";  // so that the next read is the command's own
    options.plc_through_relay = true;
    Site site(options);
    Node node(site, "node-a");
    const auto reads = [&] { return site.truth().lines("frame").size(); };
    const std::size_t before = reads();
    REQUIRE(wait_until([&] { return reads() > before; }));
    std::this_thread::sleep_for(100ms);  // the rest of that poll
    site.plc_relay().hold_next(ModbusRelay::Place::read_answer);
    SECTION("TTL over meanwhile") {
        node.send(R"("seq":"1","action":"car_call","floor":"2","ttl_ms":1500)");
        REQUIRE(site.plc_relay().wait_held());
        site.daemon().signal(SIGSTOP);
        site.plc_relay().release();
        sleep_through(site);
        CHECK(node.final_of("1").at("status") == "expired");
        CHECK(site.truth().writes() == 0);
    }
    SECTION("TTL left") {
        node.send(call_2);
        REQUIRE(site.plc_relay().wait_held());
        site.daemon().signal(SIGSTOP);
        site.plc_relay().release();
        sleep_through(site);
        CHECK(node.final_of("1").at("status") == "acked");
        CHECK(site.truth().writes() == 1);
        Evidence evidence;
        evidence.truth = site.truth();
        evidence.fresh = 1s;
        Order order;
        order.elevator = "EL001";
        order.source = "node-a";
        order.seq = "1";
        order.content = "car_call 2";
        order.ttl = 60s;
        evidence.orders = {order};
        evidence.results = node.results();
        for (const auto& breach : breaches(evidence)) {
            FAIL_CHECK(breach);
        }
    }
}

TEST_CASE("asleep between write and acknowledgement, and while verifying: acked, written once",
          "[e2e][asleep]") {
    SiteOptions options = one_elevator();
    options.plc_through_relay = true;
    Site site(options);
    Node node(site, "node-a");
    warm_up(node);
    SECTION("before the confirmation") {
        site.plc_relay().hold_next(ModbusRelay::Place::answer);
        node.send(call_2);
        REQUIRE(site.plc_relay().wait_held());
        site.daemon().signal(SIGSTOP);
        site.plc_relay().release();
        sleep_through(site);
    }
    SECTION("before the echo") {
        site.plc("EL001:ack-late:800ms");
        node.send(call_2);
        node.expect("1", "sent");
        sleep_through(site);
    }
    SECTION("verifying") {
        lose_link_after_write(site, node);
        REQUIRE(event_seen(site, "verifying"));
        sleep_through(site);
    }
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
    CHECK(site.truth().writes() == 2);
}

TEST_CASE("naps at random moments under load break no law", "[e2e][asleep]") {
    Site site(quick_site());
    LoadNode a(site, "node-a", {"EL001", "EL002"}, 2, 41);
    LoadNode b(site, "node-b", {"EL001", "EL002"}, 2, 42);
    std::mt19937_64 random(43);
    for (int n = 0; n < 12; ++n) {
        std::this_thread::sleep_for(Millis{random() % 400});
        site.daemon().signal(SIGSTOP);
        std::this_thread::sleep_for(Millis{random() % 1500});
        wake(site);
    }
    const bool all_final = a.finish(90s) & b.finish(90s);
    CHECK(all_final);
    const auto found = breaches(gather(site, {&a, &b}));
    for (const auto& breach : found) {
        UNSCOPED_INFO(breach);
    }
    CHECK(found.empty());
}
