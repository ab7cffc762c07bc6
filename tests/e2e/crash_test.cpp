// kill -9 at random moments under load, and on purpose at the two that matter most.
#include "tests/e2e/load.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <numeric>

using namespace liftwarden::test;

namespace {

using std::chrono::steady_clock;

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";
using Executed = std::vector<std::string>;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::int64_t now_ns() {
    return liftwarden::system::SystemClock{}.now().time_since_epoch().count();
}

Millis median(std::vector<Millis> times) {
    std::sort(times.begin(), times.end());
    return times.at(times.size() / 2);
}

// How long after each start the first command of that life was written; lives without one are left
// out.
std::vector<Millis> first_commands(const std::vector<std::int64_t>& starts, const SimLog& truth) {
    std::vector<std::int64_t> writes;
    for (const auto& line : truth.lines("mailbox_write")) {
        writes.push_back(line.at("t").to_number<std::int64_t>());
    }
    std::sort(writes.begin(), writes.end());
    std::vector<Millis> times;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const auto first = std::lower_bound(writes.begin(), writes.end(), starts[i]);
        if (first != writes.end() && (i + 1 == starts.size() || *first < starts[i + 1])) {
            times.push_back(
                std::chrono::duration_cast<Millis>(std::chrono::nanoseconds{*first - starts[i]}));
        }
    }
    return times;
}

SiteOptions relayed() {
    SiteOptions options = quick_site();
    options.elevators = {"EL001"};
    options.plc_through_relay = true;
    return options;
}

void warm_up(Node& node) {
    node.send(R"("seq":"0","action":"car_call","floor":"1")");
    node.expect("0", "served");
}

}  // namespace

// LIFTWARDEN_KILLS and LIFTWARDEN_SEED make it longer and other, as scripts/soak.sh does; with
// LIFTWARDEN_KEEP the logs of a breach are copied to that folder.
TEST_CASE("kill -9 at random moments under load of two nodes breaks no law", "[e2e][crash]") {
    const std::uint64_t kills = from_environment("LIFTWARDEN_KILLS", 100);
    const std::uint64_t seed = from_environment("LIFTWARDEN_SEED", 20260502);
    INFO("LIFTWARDEN_SEED=" << seed << " LIFTWARDEN_KILLS=" << kills);
    Site site(quick_site());
    LoadNode a(site, "node-a", {"EL001", "EL002"}, 2, seed);
    LoadNode b(site, "node-b", {"EL001", "EL002"}, 2, seed + 1);
    std::mt19937_64 random(seed + 2);
    std::vector<std::int64_t> starts;
    for (std::uint64_t n = 0; n < kills; ++n) {
        // One in four dies while it is still starting.
        const auto most = random() % 4 == 0 ? 150 : 900;
        std::this_thread::sleep_for(Millis{random() % static_cast<unsigned>(most)});
        site.daemon().kill();
        starts.push_back(now_ns());
        site.spawn_daemon();
        if ((n + 1) % 100 == 0) {
            std::printf("%llu kills, %zu outcomes\n",
                        static_cast<unsigned long long>(n + 1),
                        a.finals() + b.finals());
            std::fflush(stdout);
        }
    }
    const bool all_final = a.finish(90s) & b.finish(90s);
    INFO(a.unfinished() << b.unfinished());
    CHECK(all_final);

    const Evidence evidence = gather(site, {&a, &b});
    const auto found = breaches(evidence);
    for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 20); ++i) {
        UNSCOPED_INFO(found[i]);
    }
    const char* folder = std::getenv("LIFTWARDEN_KEEP");
    if (folder != nullptr && *folder != '\0') {
        for (const char* name : {"sim.jsonl", "daemon.log"}) {
            std::filesystem::copy(site.dir().file(name),
                                  std::filesystem::path{folder} / name,
                                  std::filesystem::copy_options::overwrite_existing);
        }
    }
    CHECK(found.empty());
    const auto times = first_commands(starts, evidence.truth);
    const std::size_t executed = evidence.truth.executed().size();
    std::printf(
        "%llu kills, seed %llu: %zu commands, %zu executed; restart to first command in "
        "%zu lives: median %lld ms, slowest %lld ms\n",
        static_cast<unsigned long long>(kills),
        static_cast<unsigned long long>(seed),
        evidence.orders.size(),
        executed,
        times.size(),
        static_cast<long long>(median(times).count()),
        static_cast<long long>(std::max_element(times.begin(), times.end())->count()));
    // There was load, and lives long enough to carry it.
    CHECK(evidence.orders.size() > kills);
    CHECK(executed > kills / 4);
    CHECK(times.size() > kills / 8);
}

TEST_CASE("a restart brings the first command within a second", "[e2e][crash]") {
    Site site(quick_site());
    Node node(site, "node-a");
    std::vector<std::int64_t> starts;
    for (int n = 1; n <= 7; ++n) {
        const std::string seq = std::to_string(n);
        site.daemon().kill();
        node.send(R"("action":"car_call","floor":")" + std::to_string(1 + n % 2) + R"(","seq":")" +
                      seq + "\"",
                  MqttProperties{300, {}, {}});
        starts.push_back(now_ns());
        site.spawn_daemon();
        CHECK(node.final_of(seq).at("status") == "acked");
        node.expect(seq, "served");
    }
    const auto times = first_commands(starts, site.truth());
    CHECK(times.size() == starts.size());
    std::printf("restart to first command of an idle elevator: median %lld ms\n",
                static_cast<long long>(median(times).count()));
    CHECK(median(times) < 1s);
}

TEST_CASE("killed with the write on its way, never to arrive: verified, then written once",
          "[e2e][crash]") {
    Site site(relayed());
    Node node(site, "node-a");
    warm_up(node);
    site.plc_relay().hold_next(ModbusRelay::Place::request);
    node.send(call_2);
    REQUIRE(site.plc_relay().wait_held());
    site.daemon().kill();
    CHECK(site.truth().writes() == 1);
    site.plc_relay().release();
    site.spawn_daemon();
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
    CHECK(site.truth().writes() == 2);
}

TEST_CASE("killed with the write on its way and the TTL over at the restart: failed, not written",
          "[e2e][crash]") {
    Site site(relayed());
    Node node(site, "node-a");
    warm_up(node);
    site.plc_relay().hold_next(ModbusRelay::Place::request);
    node.send(R"("seq":"1","action":"car_call","floor":"2","ttl_ms":700)");
    const auto sent = steady_clock::now();
    REQUIRE(site.plc_relay().wait_held());
    site.daemon().kill();
    site.plc_relay().release();
    REQUIRE(wait_until([&] { return steady_clock::now() > sent + 800ms; }));
    site.spawn_daemon();
    const auto outcome = node.final_of("1", 20s);
    CHECK(outcome.at("status") == "failed");
    CHECK(outcome.at("reason") == "ttl");
    CHECK(site.truth().executed() == Executed{"car_call 1"});
    node.send(R"("seq":"2","action":"car_call","floor":"3")");
    CHECK(node.final_of("2").at("status") == "acked");
}

TEST_CASE("killed between the PLC's execution and the confirmation: acked by the echo, one write",
          "[e2e][crash]") {
    Site site(relayed());
    Node node(site, "node-a");
    warm_up(node);
    site.plc_relay().hold_next(ModbusRelay::Place::answer);
    node.send(call_2);
    REQUIRE(site.plc_relay().wait_held());
    REQUIRE(wait_until([&] { return site.truth().executed().size() == 2; }));
    site.daemon().kill();
    site.plc_relay().release();
    site.spawn_daemon();
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
    CHECK(site.truth().writes() == 2);
}

TEST_CASE("killed twice, before the write and again before the resend: written once",
          "[e2e][crash]") {
    Site site(relayed());
    Node node(site, "node-a");
    warm_up(node);
    site.plc_relay().hold_next(ModbusRelay::Place::request);
    node.send(call_2);
    REQUIRE(site.plc_relay().wait_held());
    site.daemon().kill();
    site.plc_relay().hold_next(ModbusRelay::Place::request);
    site.spawn_daemon();
    REQUIRE(site.plc_relay().wait_held());
    site.daemon().kill();
    site.plc_relay().release();
    site.spawn_daemon();
    // The first and the second write never arrived; a third would be one too many to promise.
    const auto outcome = node.final_of("1", 20s);
    CHECK((outcome.at("status") == "acked" || outcome.at("status") == "failed"));
    const std::size_t executed = site.truth().executed().size();
    CHECK(executed == (outcome.at("status") == "acked" ? 2U : 1U));
    CHECK(site.truth().writes() == executed);
}

TEST_CASE("killed after the outcome was known and before anybody heard of it: told once more",
          "[e2e][crash]") {
    SiteOptions options;
    options.broker_through_relay = true;
    Site site(options);
    Node node(site, "node-a");
    site.plc("EL001:ack-late:1s");
    node.send(call_2);
    node.expect("1", "sent");
    site.broker_relay().set_delay(5s);  // the outcome is committed and does not arrive
    REQUIRE(wait_until([&] { return site.truth().lines("late_answer").size() == 1; }));
    REQUIRE(wait_until([&] {
        return site.command_line({"status", "-c", site.config(), "--json"})
                   .text.find("\"channel\":\"ready\"") != std::string::npos;
    }));
    site.daemon().kill();
    CHECK(node.count("1", "acked") == 0);
    site.broker_relay().set_delay(0ms);
    site.spawn_daemon();
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}
