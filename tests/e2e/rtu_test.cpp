// The whole site on a serial line, with everything that adapters and lines do.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace liftwarden::test;
using Executed = std::vector<std::string>;
using Way = SerialCable::Way;

namespace {

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";
constexpr const char* call_3 = R"("seq":"2","action":"car_call","floor":"3")";

SiteOptions serial() {
    SiteOptions options;
    options.serial = true;
    options.elevator_keys = {"ack_timeout: 1s"};
    return options;
}

// The same with a quick car, whose calls the owner may give while it moves.
SiteOptions quick_serial() {
    SiteOptions options = serial();
    options.elevator_keys = {"ack_timeout: 1s", "calls_while_moving: allow", "scan: 50ms"};
    options.car.floor_time = 20ms;
    options.car.door = {20ms, 20ms};
    options.car.dwell = 20ms;
    options.car.reversals_to_stop = 1000;
    return options;
}

void warm_up(Node& node) {
    node.send(R"("seq":"0","action":"car_call","floor":"1")");
    node.expect("0", "served");
}

bool becomes(Site& site, const std::string& quality) {
    return wait_until([&] { return site.shows("EL001", "state", "quality", quality); });
}

bool is_command(Way way, const SerialCable::Bytes& bytes) {
    return way == Way::to_plc && bytes.size() > 2 && bytes[1] == 16;
}

bool is_confirmation(Way way, const SerialCable::Bytes& bytes) {
    return way == Way::to_gateway && bytes.size() == 8 && bytes[1] == 16;
}

std::size_t finals(const Node& node, const std::string& seq) {
    std::size_t found = 0;
    for (const auto& result : node.results(seq)) {
        const auto* final = result.if_contains("final");
        found += final != nullptr && final->as_bool() ? 1U : 0U;
    }
    return found;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

// Another gateway by its own configuration, with a journal and a socket of its own, on our line.
std::string second_gateway(const Site& site) {
    std::string text = read_file(site.config());
    text = replaced(text, "gw-test", "gw-second");
    text = replaced(text, "control.sock", "second.sock");
    text = replaced(text, "journal.db", "second.db");
    text = replaced(text, "EL001", "EL901");
    const std::string file = site.dir().file("second.yaml");
    write_file(file, text);
    return file;
}

}  // namespace

TEST_CASE("serial line: a command goes from MQTT to the register and its echo comes back",
          "[e2e][rtu]") {
    Site site(serial());
    Node node(site, "node-a");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    node.expect("1", "served");
    CHECK(site.truth().writes() == 1);
    CHECK(site.truth().executed() == Executed{"car_call 2"});
    // The heartbeat too: a function whose confirmation looks like its request.
    CHECK(wait_until([&] {
        const auto frames = site.truth().lines("frame");
        return std::any_of(frames.begin(), frames.end(), [](const auto& frame) {
            const auto* function = frame.if_contains("fn");
            return function != nullptr && *function == 6;
        });
    }));
}

TEST_CASE(
    "serial line: the adapter is pulled out and put back: what came meanwhile and after is "
    "executed, once",
    "[e2e][rtu][E60][B18][B23]") {
    Site site(serial());
    Node node(site, "node-a");
    warm_up(node);
    site.cable().unplug();
    REQUIRE(becomes(site, "stale"));
    node.send(call_2);
    node.expect("1", "accepted");
    site.cable().plug_in();
    CHECK(node.final_of("1").at("status") == "acked");
    node.send(call_3);
    CHECK(node.final_of("2", 30s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2", "car_call 3"});
    CHECK(site.truth().writes() == 3);
}

TEST_CASE("serial line: pulled out in the middle of a command, it is verified and executed once",
          "[e2e][rtu][M12]") {
    Site site(serial());
    Node node(site, "node-a");
    warm_up(node);
    const bool arrives = GENERATE(true, false);
    std::atomic<bool> pull{false};
    site.cable().tamper([&](Way way, SerialCable::Bytes& bytes) {
        if (is_command(way, bytes) && !pull) {
            if (!arrives) {
                bytes.clear();
            }
            pull = true;
        } else if (pull && way == Way::to_gateway) {
            bytes.clear();
        }
    });
    node.send(call_2);
    REQUIRE(wait_until([&] { return pull.load(); }));
    site.cable().unplug();
    REQUIRE(becomes(site, "stale"));
    site.cable().tamper(nullptr);
    site.cable().plug_in();
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(finals(node, "1") == 1);
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
}

TEST_CASE("serial line: a second daemon is told who has the line, keeps running, and gets it later",
          "[e2e][rtu][D59]") {
    Site site(serial());
    const std::string config = second_gateway(site);
    ProcessOptions options;
    options.argv = {LIFTWARDEN_BINARY, "run", "-c", config};
    options.stderr_file = site.dir().file("second.log");
    Process second(options);
    const std::string holder =
        "in use by liftwarden (process " + std::to_string(site.daemon().pid()) + ")";
    const auto status = [&] { return site.command_line({"status", "-c", config, "--json"}).text; };
    CHECK(wait_until([&] { return status().find(holder) != std::string::npos; }));
    CHECK(second.running());
    CHECK(status().find("\"phase\":\"offline\"") != std::string::npos);
    Node node(site, "node-a");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.daemon().stop() == 0);
    CHECK(wait_until([&] { return status().find("\"quality\":\"good\"") != std::string::npos; }));
    CHECK(second.stop() == 0);
}

TEST_CASE("serial line: SIGTERM ends within two seconds with the adapter pulled out",
          "[e2e][rtu][M12][M20]") {
    Site site(serial());
    Node node(site, "node-a");
    SECTION("idle") {
        site.cable().unplug();
        REQUIRE(becomes(site, "stale"));
    }
    SECTION("a moment ago") {
        site.cable().unplug();
    }
    SECTION("with a command in flight") {
        site.plc("EL001:ack-late:60s");
        node.send(call_2);
        node.expect("1", "sent");
        site.cable().unplug();
        REQUIRE(becomes(site, "stale"));
    }
    SECTION("still there, but all is silent") {
        site.plc("EL001:silence:60s");
        REQUIRE(becomes(site, "stale"));
    }
    const auto start = std::chrono::steady_clock::now();
    site.daemon().signal(SIGTERM);
    CHECK(site.daemon().wait(10s) == 0);
    CHECK(std::chrono::steady_clock::now() - start < 2s);
}

TEST_CASE("serial line: an adapter that echoes confirms nothing by that", "[e2e][rtu][D52]") {
    SiteOptions options = serial();
    options.start_daemon = false;
    Site site(options);
    site.cable().echo(true);
    site.start_daemon();
    site.wait_ready();
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:ignore-write:2");
    node.send(call_2);
    const auto outcome = node.final_of("1");
    CHECK(outcome.at("status") == "failed");
    CHECK(outcome.at("reason") == "ack_timeout");
    node.send(call_3);
    CHECK(node.final_of("2").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 3"});
}

TEST_CASE("serial line: a damaged confirmation is read back, not written again",
          "[e2e][rtu][B30][B27]") {
    Site site(serial());
    Node node(site, "node-a");
    warm_up(node);
    std::atomic<int> damaged{0};
    site.cable().tamper([&](Way way, SerialCable::Bytes& bytes) {
        if (is_confirmation(way, bytes)) {
            bytes[3] = static_cast<std::uint8_t>(bytes[3] ^ 4U);
            ++damaged;
        }
    });
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(finals(node, "1") == 1);
    CHECK(damaged == 1);
    CHECK(site.truth().writes() == 2);
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
}

TEST_CASE(
    "serial line: late answers are never published as another elevator's state or another "
    "register's value",
    "[e2e][rtu][M1][M8][A7][A9]") {
    SiteOptions options = serial();
    options.elevators = {"EL001", "EL002"};
    Site site(options);
    site.plc("EL002:place:3");
    REQUIRE(wait_until([&] { return site.shows("EL002", "state", "floor", "3"); }));
    static_cast<void>(site.observer().take());
    for (int i = 0; i < 4; ++i) {
        site.plc("EL001:slow:650ms:1");  // the time-out is 511 ms
        std::this_thread::sleep_for(1s);
    }
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "quality", "good"); }));
    std::size_t seen = 0;
    for (const PeerMessage& message : site.observer().messages()) {
        if (message.topic.find("/state") == std::string::npos) {
            continue;
        }
        INFO(message.payload);
        const bool first = message.topic.find("EL001") != std::string::npos;
        CHECK(message.payload.find(first ? R"("floor":"1")" : R"("floor":"3")") !=
              std::string::npos);
        CHECK(message.payload.find("\"phase\":\"error\"") == std::string::npos);
        CHECK(message.payload.find("\"channel\":\"ready\"") != std::string::npos);
        ++seen;
    }
    CHECK(seen >= 2);
    Node node(site, "node-a");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
}

TEST_CASE("serial line: noise before every answer changes nothing", "[e2e][rtu][M14]") {
    Site site(serial());
    Node node(site, "node-a");
    site.cable().tamper([](Way way, SerialCable::Bytes& bytes) {
        if (way == Way::to_gateway && !bytes.empty()) {
            bytes.insert(bytes.begin(), {0, 0xFF});
        }
    });
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE(
    "serial line: four commands into a path that stalls: none is executed twice, none out of turn",
    "[e2e][rtu][M10][B13]") {
    Site site(quick_serial());
    Node node(site, "node-a");
    warm_up(node);
    std::atomic<bool> stalled{false};
    site.cable().tamper([&](Way way, SerialCable::Bytes& bytes) {
        if (is_command(way, bytes) && !stalled.exchange(true)) {
            site.cable().hold(true);
        }
    });
    const Executed floors{"2", "3", "4", "2"};
    for (std::size_t i = 0; i < floors.size(); ++i) {
        node.send(R"("seq":"s)" + std::to_string(i) + R"(","action":"car_call","floor":")" +
                  floors[i] + "\"");
    }
    REQUIRE(wait_until([&] { return stalled.load(); }));
    std::this_thread::sleep_for(2200ms);  // long past every time-out
    CHECK(site.truth().writes() == 1);
    site.cable().hold(false);
    Executed expected{"car_call 1"};
    for (std::size_t i = 0; i < floors.size(); ++i) {
        const std::string seq = "s" + std::to_string(i);
        CHECK(node.final_of(seq, 30s).at("status") == "acked");
        CHECK(finals(node, seq) == 1);
        expected.push_back("car_call " + floors[i]);
    }
    CHECK(site.truth().executed() == expected);
    CHECK(site.truth().writes() == expected.size());
}

TEST_CASE("serial line: fifty commands at once are written one by one, each with one final outcome",
          "[e2e][rtu][B21][B28][C45]") {
    SiteOptions options = quick_serial();
    options.file_keys = {"queue: {depth: 200}"};
    Site site(options);
    Node node(site, "node-a");
    Executed expected;
    for (int i = 0; i < 50; ++i) {
        const std::string floor = i % 2 == 0 ? "1" : "2";
        node.send(R"("seq":"s)" + std::to_string(i) + R"(","action":"car_call","floor":")" + floor +
                  "\"");
        expected.push_back("car_call " + floor);
    }
    for (int i = 0; i < 50; ++i) {
        CHECK(node.final_of("s" + std::to_string(i), 60s).at("status") == "acked");
    }
    for (int i = 0; i < 50; ++i) {
        CHECK(finals(node, "s" + std::to_string(i)) == 1);
    }
    CHECK(site.truth().executed() == expected);
    CHECK(site.truth().writes() == expected.size());
}
