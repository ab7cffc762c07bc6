// What `check` tells about a valid file.
#include "src/adapters/config/summary.hpp"

#include "src/adapters/config/json.hpp"
#include "src/adapters/config/wire_time.hpp"
#include "tests/unit/config/sample.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;
using namespace liftwarden::config;
using namespace liftwarden::config::test;
using namespace std::chrono_literals;

namespace {

Summary summary_of(const std::string& text) {
    const Loaded loaded = load_sample(text);
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.ok());
    return summarise(loaded.settings, drivers());
}

ports::BusSettings serial(int baud) {
    ports::BusSettings bus;
    bus.type = ports::BusType::rtu;
    bus.device = "/dev/x";
    bus.baud = baud;
    return bus;
}

}  // namespace

TEST_CASE("wire time: 11 bits a byte and two silences", "[config][wire_time]") {
    // 8 + 5 + 2 * 2 bytes of 11 bits at 11000 baud are 17 ms; 3.5 characters are 3.5 ms, twice.
    CHECK(read_time(serial(11'000), {1, ports::RegisterTable::holding, 0, 2}) == 24ms);
    // 9 inputs take two bytes.
    CHECK(read_time(serial(11'000), {1, ports::RegisterTable::discrete, 0, 9}) == 22ms);
    // 9 + 8 + 8 bytes.
    CHECK(write_time(serial(11'000), 4) == 32ms);
    // Above 19200 baud the silence no longer shrinks: 17 bytes at 110000 baud are 1.7 ms.
    CHECK(read_time(serial(110'000), {1, ports::RegisterTable::holding, 0, 2}) == 5200us);
    ports::BusSettings resting = serial(11'000);
    resting.turnaround = 10ms;
    CHECK(read_time(resting, {1, ports::RegisterTable::holding, 0, 2}) == 34ms);
    CHECK(read_time(ports::BusSettings{}, {}) == tcp_transaction_estimate);
}

TEST_CASE("wire time: the poll cycle is the period or the round", "[config][wire_time]") {
    ports::PollPlan plan{{{1, ports::RegisterTable::holding, 0, 2}}, 4, 2};
    const WireTimes times = wire_times(serial(11'000), plan);
    CHECK(times.reading == 24ms);
    CHECK(times.command == 24ms + 32ms + 24ms);
    CHECK(times.longest == 32ms);
    BusLoad load;
    load.add(times, 200ms);
    CHECK(load.cycle(200ms) == 200ms);
    CHECK(load.share == Approx(0.12));
    for (int i = 0; i < 9; ++i) {
        load.add(times, 200ms);
    }
    CHECK(load.cycle(200ms) == 240ms);
    CHECK(load.share == Approx(1.2));
    CHECK(default_stale_after(240ms) == 1s);
    CHECK(default_stale_after(400ms + 1ns) == 1201ms);
}

TEST_CASE("summary: shows each register in both notations with its functions",
          "[config][summary]") {
    const Summary summary = summary_of(sample());
    REQUIRE(summary.elevators.size() == 1);
    const auto& registers = summary.elevators[0].registers;
    const auto line = [&](const std::string& name) {
        for (const RegisterSummary& candidate : registers) {
            if (candidate.name == name) {
                return candidate;
            }
        }
        FAIL("no register " << name);
        return RegisterSummary{};
    };
    CHECK(line("command").zero_based == "holding:100..103");
    CHECK(line("command").modicon == "40101..40104");
    CHECK(line("command").functions.back() == 16);
    CHECK(line("ack").functions == std::vector<int>{3});
    CHECK(line("floor").functions == std::vector<int>{4});
    CHECK(line("occupied").functions == std::vector<int>{2});
    CHECK(line("occupied").modicon == "10001");
    CHECK(line("direction").meaning == "0 = stopped, 1 = up, 2 = down");
    CHECK(line("mode").meaning == "bits 0..3, 1 = normal, 2 = agv, 3 = fire");
    CHECK_THAT(line("heartbeat").meaning, Catch::Contains("every 2s"));
}

TEST_CASE("summary: text for people has all that was asked for", "[config][summary]") {
    const std::string text = to_text(summary_of(sample()));
    INFO(text);
    for (const char* part : {"gateway gw-01 of site dc-east: standalone",
                             "mqtts://broker.example:8883, MQTT 5, topics lift/dc-east/",
                             "kept 30d, at most 512MiB",
                             "bus plc-a: tcp 10.0.0.5 port 502",
                             "response_timeout 500ms",
                             "elevator EL001: driver mailbox, unit 1 on bus plc-a",
                             "stale after 1s",
                             "B1 = 0 (front); 1 = 1 (front, rear); 2 = 2 (front)",
                             "holding:110..111",
                             "40111..40112",
                             "results: 1 = accepted, 2 = refused, 3 = busy"}) {
        CHECK_THAT(text, Catch::Contains(part));
    }
}

TEST_CASE("summary: a serial line is shown with its format", "[config][summary]") {
    const std::string text = to_text(summary_of(
        changed("type: tcp\n    host: 10.0.0.5",
                "type: rtu\n    device: /dev/serial/by-id/x\n    baud: 38400\n    parity: none")));
    CHECK_THAT(text, Catch::Contains("rtu /dev/serial/by-id/x 38400 8N1"));
    CHECK_THAT(text, Catch::Contains("on the wire; polling and heartbeats need"));
}

TEST_CASE("summary: JSON for programs", "[config][summary]") {
    const auto json = to_json(summary_of(sample()));
    CHECK(json.at("gateway").as_string() == "gw-01");
    CHECK(json.at("arbitration").as_string() == "standalone");
    const auto& elevator = json.at("elevators").at(0);
    CHECK(elevator.at("stale_after_ms").as_int64() == 1000);
    CHECK(elevator.at("floors").at(1).at("doors").as_array().size() == 2);
    CHECK(elevator.at("registers").at(0).at("modicon").as_string() == "40101..40104");
    CHECK(elevator.at("codes").at("results").at("busy").as_int64() == 3);
    CHECK(json.at("buses").at(0).at("estimated").as_bool());
    const auto problems =
        boost::json::serialize(to_json(load_sample(changed("unit: 1", "unit: 0")).problems));
    CHECK(problems == R"([{"file":"a.yaml","line":11,"column":11,"severity":"error",)"
                      R"("text":"unit must be a whole number from 1 to 247, not \"0\""}])");
}
