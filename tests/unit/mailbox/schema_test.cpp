#include "drivers/mailbox/schema.hpp"

#include "tests/unit/mailbox/map_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <set>

using namespace liftwarden;
using ports::ElevatorMap;
using ports::MapProblem;
using ports::RegisterTable;

namespace {

std::vector<MapProblem> errors_of(const ElevatorMap& map) {
    std::vector<MapProblem> problems = mailbox::check(map);
    std::erase_if(problems, [](const MapProblem& problem) { return problem.warning; });
    return problems;
}

}  // namespace

TEST_CASE("mailbox schema: it offers the keys and words of the contract", "[mailbox][schema]") {
    const ports::DriverSchema& schema = mailbox::schema();
    CHECK(schema.name == "mailbox");
    std::set<std::string> keys;
    std::set<std::string> required;
    for (const ports::RegisterKey& key : schema.registers) {
        keys.insert(key.name);
        CHECK_FALSE(key.help.empty());
        CHECK_FALSE(key.tables.empty());
        CHECK(key.values_required <= !key.vocabulary.empty());
        if (key.required) {
            required.insert(key.name);
        }
    }
    CHECK(keys == std::set<std::string>{"command",
                                        "ack",
                                        "floor",
                                        "direction",
                                        "door",
                                        "door_rear",
                                        "mode",
                                        "fault",
                                        "target",
                                        "occupied",
                                        "door_blocked",
                                        "heartbeat"});
    CHECK(required == std::set<std::string>{"command", "ack", "floor", "direction", "door"});
    std::set<std::string> sections;
    for (const ports::CodeSection& section : schema.sections) {
        sections.insert(section.name);
        CHECK(section.word_first == (section.name != "results"));
        CHECK(section.required == (section.name != "sides"));
    }
    CHECK(sections == std::set<std::string>{"actions", "results", "sides"});
}

TEST_CASE("mailbox schema: the example map is without fault", "[mailbox][schema]") {
    CHECK(mailbox::check(test::full_map()).empty());
}

TEST_CASE("mailbox schema: what only the driver can see is named with its place",
          "[mailbox][schema]") {
    struct Case {
        const char* name;
        std::function<void(ElevatorMap&)> spoil;
        std::vector<std::string> path;
    };
    const std::vector<Case> cases{
        {"rear door without register",
         [](ElevatorMap& map) { map.registers.erase("door_rear"); },
         {"registers"}},
        {"rear door without side number",
         [](ElevatorMap& map) { map.codes["sides"].erase("rear"); },
         {"sides"}},
        {"sides missing altogether but for front",
         [](ElevatorMap& map) {
             map.codes["sides"] = {{"rear", 1}};
         },
         {"sides"}},
        {"two sides with one number",
         [](ElevatorMap& map) { map.codes["sides"]["rear"] = 0; },
         {"sides", "rear"}},
        {"two actions with one number",
         [](ElevatorMap& map) { map.codes["actions"]["open_door"] = 4; },
         {"actions", "open_door"}},
        {"two results with one number",
         [](ElevatorMap& map) { map.codes["results"]["refused"] = 3; },
         {"results", "refused"}},
        {"no way to acknowledge",
         [](ElevatorMap& map) { map.codes["results"].erase("accepted"); },
         {"results"}},
        {"no action", [](ElevatorMap& map) { map.codes["actions"].clear(); }, {"actions"}},
        {"hall calls with and without direction",
         [](ElevatorMap& map) {
             map.codes["actions"]["hall_call_up"] = 7;
             map.codes["actions"]["hall_call_down"] = 8;
         },
         {"actions", "hall_call"}},
        {"hall calls in one direction only",
         [](ElevatorMap& map) {
             map.codes["actions"].erase("hall_call");
             map.codes["actions"]["hall_call_up"] = 7;
         },
         {"actions", "hall_call_up"}},
        {"set_mode without mode register",
         [](ElevatorMap& map) { map.registers.erase("mode"); },
         {"actions", "set_mode"}},
        {"set_mode without a number for agv",
         [](ElevatorMap& map) { map.registers["mode"].values.erase(2); },
         {"registers", "mode", "values"}},
        {"set_mode with two numbers for normal",
         [](ElevatorMap& map) { map.registers["mode"].values[9] = "normal"; },
         {"registers", "mode", "values"}},
        {"a door that can never be closed",
         [](ElevatorMap& map) { map.registers["door"].values.erase(0); },
         {"registers", "door", "values"}},
        {"a car that can never stand",
         [](ElevatorMap& map) { map.registers["direction"].values[0] = "up"; },
         {"registers", "direction", "values"}},
        {"a code that does not fit its bits",
         [](ElevatorMap& map) {
             map.registers["door"].bits = ports::BitRange{4, 4};
         },
         {"registers", "door", "values"}},
        {"codes that look the same",
         [](ElevatorMap& map) {
             map.registers["mode"].values[-1] = "manual";
             map.registers["mode"].values[65535] = "seismic";
         },
         {"registers", "mode", "values"}},
        {"a bit range in a single bit",
         [](ElevatorMap& map) {
             map.registers["occupied"].bits = ports::BitRange{0, 0};
         },
         {"registers", "occupied", "bits"}},
        {"bits upside down",
         [](ElevatorMap& map) {
             map.registers["fault"].bits = ports::BitRange{5, 2};
         },
         {"registers", "fault", "bits"}},
        {"a floor value beyond a register",
         [](ElevatorMap& map) { map.floors[2].value = 70000; },
         {"floors", "2"}},
        {"a floor value beyond its bits",
         [](ElevatorMap& map) {
             map.registers["floor"].bits = ports::BitRange{0, 1};
             map.floors[2].value = 4;
         },
         {"floors", "2"}},
        {"floor values that look the same",
         [](ElevatorMap& map) {
             map.floors[0].value = -1;
             map.floors[2].value = 65535;
         },
         {"floors", "2"}},
        {"a none that is a floor",
         [](ElevatorMap& map) { map.registers["floor"].none = 1; },
         {"registers", "floor", "none"}},
        {"a none that does not fit",
         [](ElevatorMap& map) {
             map.registers["target"].bits = ports::BitRange{0, 3};
         },
         {"registers", "target", "none"}},
    };
    for (const Case& wrong : cases) {
        INFO(wrong.name);
        ElevatorMap map = test::full_map();
        wrong.spoil(map);
        const auto errors = errors_of(map);
        REQUIRE(errors.size() >= 1);
        CHECK(errors.front().path == wrong.path);
        CHECK_FALSE(errors.front().text.empty());
    }
}

TEST_CASE("mailbox schema: what may be meant so is only a warning", "[mailbox][schema]") {
    ElevatorMap map = test::full_map();
    map.registers.erase("fault");
    map.floors[1].doors = {core::Side::front};
    const auto problems = mailbox::check(map);
    REQUIRE(problems.size() == 2);
    CHECK(problems[0].warning);
    CHECK(problems[1].warning);
}

TEST_CASE("mailbox schema: no map makes it fail", "[mailbox][schema]") {
    const ports::DriverSchema& schema = mailbox::schema();
    ElevatorMap nothing;
    CHECK_NOTHROW(schema.check(nothing));
    CHECK(schema.capabilities(nothing).actions.empty());
    CHECK(schema.plan(nothing).reads.empty());
    ElevatorMap strange;
    strange.registers["ack"].address = 65535;
    strange.registers["floor"].bits = ports::BitRange{200, 7};
    strange.registers["floor"].values = {{INT64_MAX, "?"}, {INT64_MIN, "open"}};
    strange.floors = {{core::FloorLabel{""}, INT64_MIN, {}}};
    strange.codes["sides"] = {{"front", -5}};
    CHECK_NOTHROW(schema.check(strange));
    CHECK_NOTHROW(schema.plan(strange));
}

TEST_CASE("mailbox schema: the map says what the elevator can do", "[mailbox][schema]") {
    using core::ActionKind;
    const ports::DriverSchema& schema = mailbox::schema();
    ElevatorMap map = test::full_map();
    const auto all = schema.capabilities(map);
    CHECK(all.actions == std::set<ActionKind>{ActionKind::hall_call,
                                              ActionKind::car_call,
                                              ActionKind::open_door,
                                              ActionKind::close_door,
                                              ActionKind::hold_door,
                                              ActionKind::set_mode});
    CHECK_FALSE(all.directions);
    CHECK(all.maps_mode);
    CHECK(all.maps_occupied);
    CHECK(all.maps_heartbeat);
    CHECK(all.heartbeat_period == std::chrono::seconds{3});

    map.codes["actions"] = {{"hall_call_up", 1}, {"hall_call_down", 2}};
    for (const char* key : {"mode", "occupied", "heartbeat"}) {
        map.registers.erase(key);
    }
    const auto few = schema.capabilities(map);
    CHECK(few.actions == std::set<ActionKind>{ActionKind::hall_call});
    CHECK(few.directions);
    CHECK_FALSE(few.maps_mode);
    CHECK_FALSE(few.maps_occupied);
    CHECK_FALSE(few.maps_heartbeat);
}
