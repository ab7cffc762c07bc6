// The elevator part is the driver's: a made-up driver with every kind of key.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>

using namespace liftwarden;
using namespace liftwarden::config;
using namespace liftwarden::config::test;
using namespace std::chrono_literals;
using ports::RegisterTable;

namespace {

// Reads what `reads` says, whatever the map holds.
ports::DriverSchema made_up(ports::PollPlan plan) {
    ports::RegisterKey button;
    button.name = "button";
    button.required = true;
    button.tables = {RegisterTable::coil, RegisterTable::holding};
    button.functions = {5, 15};
    button.takes_period = true;
    ports::RegisterKey lamp;
    lamp.name = "lamp";
    lamp.tables = {RegisterTable::discrete};
    lamp.vocabulary = {"dark", "lit"};
    ports::DriverSchema schema;
    schema.name = "made_up";
    schema.registers = {button, lamp};
    schema.sections = {{"codes", "", false, true, {"a", "b"}, -5, 5}};
    schema.check = [](const ports::ElevatorMap&) { return std::vector<ports::MapProblem>{}; };
    schema.capabilities = [](const ports::ElevatorMap&) {
        ports::MapCapabilities abilities;
        abilities.actions = {core::ActionKind::car_call};
        abilities.directions = true;
        abilities.heartbeat_period = 7s;
        return abilities;
    };
    schema.plan = [plan](const ports::ElevatorMap&) { return plan; };
    return schema;
}

const std::string text = R"(gateway: {id: g, site: s}
mqtt: {url: "mqtt://127.0.0.1"}
buses: {b: {type: tcp, host: "::1"}}
elevators:
  E:
    bus: b
    unit: 1
    driver: made_up
    floors: {a: {value: 1}}
    registers:
      button: {at: coil:3, function: 15, period: 300ms}
      lamp: {at: discrete:4, values: {0: dark, 1: lit}}
    codes: {a: -5}
)";

Loaded load_with(const ports::DriverSchema& schema, const std::string& yaml) {
    return load_text("a.yaml", yaml, {&schema});
}

}  // namespace

TEST_CASE("schema: every kind of register key arrives", "[config][schema]") {
    const ports::DriverSchema schema = made_up({});
    const Loaded loaded = load_with(schema, text);
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.empty());
    const ports::ElevatorSettings& elevator = loaded.settings.elevators.at(0);
    const ports::RegisterSpec& button = elevator.map.registers.at("button");
    CHECK(button.table == RegisterTable::coil);
    CHECK(button.function == 15);
    CHECK(button.period == 300ms);
    CHECK(elevator.map.codes.at("codes") == std::map<std::string, std::int64_t>{{"a", -5}});
    CHECK(elevator.core.actions == std::set<core::ActionKind>{core::ActionKind::car_call});
    CHECK(elevator.core.directions);
    CHECK(elevator.core.heartbeat_period == 7s);
}

TEST_CASE("schema: sections of another driver are unknown", "[config][schema]") {
    const ports::DriverSchema schema = made_up({});
    const Loaded loaded = load_with(schema, text + "    results: {1: accepted}\n");
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].line == 14);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains("unknown key \"results\""));
}

TEST_CASE("schema: with an unknown driver its keys are not judged", "[config][schema]") {
    const ports::DriverSchema schema = made_up({});
    const Loaded loaded = load_with(schema, replaced(text, "driver: made_up", "driver: relay"));
    REQUIRE(loaded.problems.size() == 1);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains("driver must be one of made_up"));
}

TEST_CASE("schema: a driver's problem without a place of its own is put near", "[config][schema]") {
    ports::DriverSchema schema = made_up({});
    schema.check = [](const ports::ElevatorMap&) {
        return std::vector<ports::MapProblem>{{{"registers", "lamp", "at"}, "here", true},
                                              {{"registers", "nowhere", "at"}, "there", false},
                                              {{}, "everywhere", true}};
    };
    const Loaded loaded = load_with(schema, text);
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 3);
    CHECK(loaded.problems[0].line == 6);
    CHECK(loaded.problems[0].text == "everywhere");
    CHECK(loaded.problems[1].line == 11);
    CHECK(loaded.problems[1].column == 7);
    CHECK(loaded.problems[1].severity == Severity::error);
    CHECK(loaded.problems[2].line == 12);
    CHECK(loaded.problems[2].column == 18);
    CHECK(loaded.problems[2].severity == Severity::warning);
}

TEST_CASE("schema: a driver that throws makes an error, not a crash", "[config][schema]") {
    ports::DriverSchema schema = made_up({});
    schema.check = [](const ports::ElevatorMap&) -> std::vector<ports::MapProblem> {
        throw std::out_of_range("oops");
    };
    const Loaded loaded = load_with(schema, text);
    CHECK_FALSE(loaded.ok());
    CHECK_THAT(all_texts(loaded.problems), Catch::Contains("oops"));
}

TEST_CASE("schema: requests beyond the protocol's limits are refused", "[config][schema][F81]") {
    const auto fragment = [](const ports::PollPlan& plan) {
        const ports::DriverSchema schema = made_up(plan);
        const Loaded loaded = load_with(schema, text);
        return all_texts(loaded.problems);
    };
    CHECK(fragment({{{1, RegisterTable::holding, 0, 125}}, 123, 2}).empty());
    CHECK_THAT(fragment({{{1, RegisterTable::holding, 0, 126}}, 4, 2}),
               Catch::Contains("a.yaml:11:7: error: one reading of holding:0 would cover 126"));
    CHECK(fragment({{{1, RegisterTable::discrete, 0, 2000}}, 4, 2}).empty());
    CHECK_THAT(fragment({{{1, RegisterTable::discrete, 0, 2001}}, 4, 2}), Catch::Contains("2001"));
    CHECK_THAT(fragment({{}, 124, 2}), Catch::Contains("a command would write 124 registers"));
}
