#include "drivers/mailbox/encode.hpp"

#include "tests/unit/mailbox/map_fixture.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using core::ActionKind;
using core::Content;
using mailbox::CommandBlock;

namespace {

std::optional<CommandBlock> encode(const Content& content,
                                   const ports::ElevatorMap& map = test::full_map()) {
    return mailbox::encode(map, {content, core::WireSeq{812}});
}

Content call(ActionKind kind, const char* floor) {
    Content content;
    content.action = kind;
    content.floor = core::FloorLabel{floor};
    return content;
}

Content door(ActionKind kind, std::optional<core::Side> side = std::nullopt) {
    Content content;
    content.action = kind;
    content.door = side;
    return content;
}

}  // namespace

TEST_CASE("mailbox encode: calls carry the floor's value and its first side", "[mailbox][encode]") {
    CHECK(encode(call(ActionKind::hall_call, "B1")) == CommandBlock{1, 0, 0, 812});
    CHECK(encode(call(ActionKind::car_call, "2")) == CommandBlock{2, 2, 0, 812});
    auto map = test::full_map();
    map.floors[1].doors = {core::Side::rear, core::Side::front};
    CHECK(encode(call(ActionKind::car_call, "1"), map) == CommandBlock{2, 1, 1, 812});
    Content named = call(ActionKind::car_call, "1");
    named.door = core::Side::rear;
    CHECK(encode(named) == CommandBlock{2, 1, 1, 812});
}

TEST_CASE("mailbox encode: door commands carry the side, holding its seconds",
          "[mailbox][encode]") {
    CHECK(encode(door(ActionKind::open_door, core::Side::rear)) == CommandBlock{3, 0, 1, 812});
    CHECK(encode(door(ActionKind::close_door)) == CommandBlock{4, 0, 0, 812});
    Content hold = door(ActionKind::hold_door, core::Side::front);
    hold.seconds = 20;
    CHECK(encode(hold) == CommandBlock{5, 20, 0, 812});
}

TEST_CASE("mailbox encode: a mode is ordered by the number it reads as", "[mailbox][encode]") {
    Content content;
    content.action = ActionKind::set_mode;
    content.mode = core::OrderedMode::agv;
    CHECK(encode(content) == CommandBlock{6, 2, 0, 812});
    content.mode = core::OrderedMode::normal;
    CHECK(encode(content) == CommandBlock{6, 1, 0, 812});
}

TEST_CASE("mailbox encode: hall calls with direction have an action each", "[mailbox][encode]") {
    auto map = test::full_map();
    map.codes["actions"] = {{"hall_call_up", 11}, {"hall_call_down", 12}};
    Content content = call(ActionKind::hall_call, "1");
    content.direction = core::Direction::down;
    CHECK(encode(content, map) == CommandBlock{12, 1, 0, 812});
    content.direction = core::Direction::up;
    CHECK(encode(content, map) == CommandBlock{11, 1, 0, 812});
    content.direction.reset();
    CHECK(encode(content, map) == CommandBlock{11, 1, 0, 812});
    CHECK(encode(call(ActionKind::hall_call, "2"), map) == CommandBlock{12, 2, 0, 812});
}

TEST_CASE("mailbox encode: negative floors are two's complement", "[mailbox][encode]") {
    auto map = test::full_map();
    map.floors[0].value = -1;
    CHECK(encode(call(ActionKind::car_call, "B1"), map) == CommandBlock{2, 0xFFFF, 0, 812});
}

TEST_CASE("mailbox encode: an elevator with one side need not number it", "[mailbox][encode]") {
    auto map = test::full_map();
    map.codes.erase("sides");
    CHECK(encode(call(ActionKind::car_call, "2"), map) == CommandBlock{2, 2, 0, 812});
    CHECK_FALSE(encode(door(ActionKind::open_door, core::Side::rear), map));
}

TEST_CASE("mailbox encode: what the map cannot carry is not encoded", "[mailbox][encode]") {
    CHECK_FALSE(encode(call(ActionKind::car_call, "9")));
    CHECK_FALSE(encode(door(ActionKind::hold_door)));
    CHECK_FALSE(encode(door(ActionKind::release)));
    CHECK_FALSE(encode(door(ActionKind::query)));
    auto map = test::full_map();
    map.codes["actions"].erase("open_door");
    CHECK_FALSE(encode(door(ActionKind::open_door), map));
    Content mode;
    mode.action = ActionKind::set_mode;
    mode.mode = core::OrderedMode::agv;
    map.registers.erase("mode");
    CHECK_FALSE(encode(mode, map));
}
