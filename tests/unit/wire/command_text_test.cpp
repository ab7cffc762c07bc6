#include "src/wire/command_text.hpp"

#include "tests/unit/wire/command_setup.hpp"

#include <string>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace liftwarden::wire::test;
using core::ActionKind;

TEST_CASE("command: every field of the contract arrives in the command", "[wire][command]") {
    const Desk desk;
    const core::Command command = desk.accept(
        R"({"seq":"1003","action":"car_call","floor":"2","ttl_ms":60000,"wait":false,"task":"T-77",
            "ride":"R-1","msg_id":"9f3c","issued_at":"2026-05-02T14:32:01.251Z","type":"command",
            "source":"node-a","elevator":"EL001",
            "lock":{"owner":"5d1f8a52-7c1e-4b7f-9d39-0a2f4c3b9e10:58","token":42}})");
    core::Command expected;
    expected.elevator = core::ElevatorId("EL001");
    expected.source = core::SourceId("node-a");
    expected.seq = core::Seq("1003");
    expected.content.action = ActionKind::car_call;
    expected.content.floor = core::FloorLabel("2");
    expected.content.door = core::Side::front;
    expected.task = "T-77";
    expected.ride = "R-1";
    expected.msg_id = "9f3c";
    expected.issued_at = "2026-05-02T14:32:01.251Z";
    expected.lock = core::LockClaim{"5d1f8a52-7c1e-4b7f-9d39-0a2f4c3b9e10:58", 42};
    expected.wait = false;
    expected.ttl = 60s;
    CHECK(command == expected);
}

TEST_CASE("command: the shortest command has nothing but seq and action", "[wire][command]") {
    const Desk desk;
    const core::Command command = desk.accept(R"({"seq":"a","action":"release"})");
    CHECK(command.content == core::Content{ActionKind::release, {}, {}, {}, {}, {}});
    CHECK_FALSE(command.task);
    CHECK_FALSE(command.ride);
    CHECK_FALSE(command.lock);
    CHECK_FALSE(command.wait);
    CHECK_FALSE(command.reply);
}

TEST_CASE("command: an integer seq is its decimal text", "[wire][command]") {
    const Desk desk;
    CHECK(desk.accept(R"({"seq":1003,"action":"query"})").seq == core::Seq("1003"));
    CHECK(desk.accept(R"({"seq":0,"action":"query"})").seq == core::Seq("0"));
    CHECK(desk.accept(R"({"seq":9223372036854775807,"action":"query"})").seq ==
          core::Seq("9223372036854775807"));
}

TEST_CASE("command: a seq of 64 allowed characters is taken as it is", "[wire][command]") {
    const Desk desk;
    const std::string seq = "node:boot.7_A-z" + std::string(49, '0');
    REQUIRE(seq.size() == 64);
    CHECK(desk.accept(R"({"action":"query","seq":")" + seq + "\"}").seq == core::Seq(seq));
}

TEST_CASE("command: release and query need no place in the map", "[wire][command]") {
    Desk desk;
    desk.elevator.actions.clear();
    CHECK(desk.accept(R"({"seq":"1","action":"release"})").content.action == ActionKind::release);
    CHECK(desk.accept(R"({"seq":"1","action":"query"})").content.action == ActionKind::query);
}

TEST_CASE("command: fields that mean nothing for the action stay out of the content",
          "[wire][command]") {
    const Desk desk;
    const auto plain = desk.accept(R"({"seq":"1","action":"car_call","floor":"2"})");
    const auto crowded = desk.accept(
        R"({"seq":"1","action":"car_call","floor":"2","seconds":"x","mode":7,"direction":"sideways"})");
    CHECK(crowded.content == plain.content);
    const auto mode =
        desk.accept(R"({"seq":"1","action":"set_mode","mode":"agv","floor":"none","door":"left"})");
    CHECK(mode.content ==
          core::Content{ActionKind::set_mode, {}, {}, {}, {}, core::OrderedMode::agv});
    const auto open =
        desk.accept(R"({"seq":"1","action":"open_door","seconds":5,"direction":"up"})");
    CHECK(open.content == core::Content{ActionKind::open_door, {}, {}, core::Side::front, {}, {}});
}

TEST_CASE("command: unknown fields are ignored at any depth", "[wire][command]") {
    const Desk desk;
    const auto command = desk.accept(
        R"({"seq":"1","action":"release","battery":0.73,"extra":{"a":[1.5,{"b":null}]}})");
    CHECK(command.content.action == ActionKind::release);
}

TEST_CASE("command: a hall call carries its direction where the map can", "[wire][command]") {
    const Desk desk;
    CHECK(desk.accept(R"({"seq":"1","action":"hall_call","floor":"1","direction":"down"})")
              .content.direction == core::Direction::down);
    CHECK_FALSE(desk.accept(R"({"seq":"1","action":"hall_call","floor":"1"})").content.direction);
}

TEST_CASE("command: naming the only side or leaving it out is the same content",
          "[wire][command]") {
    const Desk desk(two_sided());
    for (const char* floor : {"B1", "2"}) {
        const std::string head = std::string(R"({"seq":"1","action":"car_call","floor":")") + floor;
        CHECK(desk.accept(head + R"("})").content ==
              desk.accept(head + R"(","door":"front"})").content);
    }
    CHECK_FALSE(desk.accept(R"({"seq":"1","action":"car_call","floor":"1"})").content.door);
    CHECK(
        desk.accept(R"({"seq":"1","action":"car_call","floor":"1","door":"rear"})").content.door ==
        core::Side::rear);
}

TEST_CASE("command: a door command gets the only side there is", "[wire][command]") {
    Desk desk;
    for (core::Floor& floor : desk.elevator.floors) {
        floor.doors = {core::Side::rear};
    }
    const auto command = desk.accept(R"({"seq":"1","action":"close_door","floor":"1"})");
    CHECK(command.content.door == core::Side::rear);
    CHECK(command.content.floor == core::FloorLabel("1"));
    CHECK(desk.accept(R"({"seq":"1","action":"close_door"})").content.door == core::Side::rear);
}

TEST_CASE("command: a door command on a car with two sides names one", "[wire][command]") {
    const Desk desk(two_sided());
    CHECK(desk.accept(R"({"seq":"1","action":"open_door","door":"rear"})").content.door ==
          core::Side::rear);
    const Refusal refusal = desk.refuse(R"({"seq":"1","action":"open_door","floor":"2"})");
    CHECK(refusal.reason == core::Reason::bad_field);
    CHECK(refusal.detail ==
          "Field door is missing, and EL001 has doors on both sides: it must be front or rear.");
}

TEST_CASE(
    "command: a side that differs from floor to floor follows the named floor or is asked for",
    "[wire][command]") {
    Desk desk;
    desk.elevator.floors[2].doors = {core::Side::rear};
    CHECK(desk.accept(R"({"seq":"1","action":"open_door","floor":"2"})").content.door ==
          core::Side::rear);
    CHECK(desk.refuse(R"({"seq":"1","action":"open_door"})").reason == core::Reason::bad_field);
}

TEST_CASE("command: hold_door takes 1 to hold_door_max seconds", "[wire][command]") {
    Desk desk;
    desk.elevator.hold_door_max = 30;
    CHECK(desk.accept(R"({"seq":"1","action":"hold_door","seconds":1})").content.seconds == 1);
    CHECK(desk.accept(R"({"seq":"1","action":"hold_door","seconds":30})").content.seconds == 30);
    const Refusal refusal = desk.refuse(R"({"seq":"1","action":"hold_door","seconds":31})");
    CHECK(refusal.reason == core::Reason::bad_field);
    CHECK(refusal.detail == "Field seconds must be a whole number from 1 to 30, not 31.");
}

TEST_CASE("command: the TTL is the default of its kind unless it is given", "[wire][command]") {
    Desk desk;
    desk.limits.default_ttl_call = 7min;
    desk.limits.default_ttl_door = 3s;
    const auto ttl = [&desk](const std::string& rest) {
        return desk.accept(R"({"seq":"1","action":)" + rest + "}").ttl;
    };
    CHECK(ttl(R"("hall_call","floor":"1")") == 7min);
    CHECK(ttl(R"("car_call","floor":"1")") == 7min);
    CHECK(ttl(R"("set_mode","mode":"normal")") == 7min);
    CHECK(ttl(R"("release")") == 7min);
    CHECK(ttl(R"("open_door")") == 3s);
    CHECK(ttl(R"("close_door")") == 3s);
    CHECK(ttl(R"("hold_door","seconds":5)") == 3s);
    CHECK(ttl(R"("release","ttl_ms":100)") == 100ms);
    CHECK(ttl(R"("release","ttl_ms":600000)") == 600s);
}

TEST_CASE("command: expiry, issued_at and absence reach the TTL rule", "[wire][command]") {
    Desk desk;
    const std::string_view payload =
        R"({"seq":"1","action":"release","ttl_ms":60000,"issued_at":"2026-05-02T14:31:51.251Z"})";
    CHECK(desk.accept(payload).ttl == 60s);  // nobody vouches for the clock
    desk.context.wall_synchronised = true;
    CHECK(desk.accept(payload).ttl == 50s);
    desk.context.expiry = 20s;
    CHECK(desk.accept(payload).ttl == 20s);
    desk.context.expiry.reset();
    desk.context.away = 61s;
    CHECK(desk.accept(payload).ttl == 50s);
    CHECK(desk.accept(R"({"seq":"1","action":"release","ttl_ms":60000})").ttl == 0s);
}

TEST_CASE("command: a message far past its TTL is a command without time left", "[wire][command]") {
    Desk desk;
    desk.context.wall_synchronised = true;
    const auto command =
        desk.accept(R"({"seq":"1","action":"open_door","issued_at":"1970-01-01T00:00:00Z"})");
    CHECK(command.ttl <= 0s);
    CHECK(command.issued_at == "1970-01-01T00:00:00Z");
}

TEST_CASE("command: a claim without an owner is no claim", "[wire][command]") {
    const Desk desk;
    CHECK_FALSE(desk.accept(R"({"seq":"1","action":"release","lock":{}})").lock);
    CHECK_FALSE(desk.accept(R"({"seq":"1","action":"release","lock":{"token":4}})").lock);
    const auto lock = desk.accept(R"({"seq":"1","action":"release","lock":{"owner":"u:1"}})").lock;
    CHECK(lock == core::LockClaim{"u:1", std::nullopt});
}

TEST_CASE("command: a Response Topic of the sender's own branch is kept with its correlation",
          "[wire][command]") {
    Desk desk;
    desk.context.response_topic = "lift/dc-east/reply/node-a/inbox/7";
    desk.context.correlation = std::string("\x00\xff\n", 3);
    const ParsedCommand parsed = desk.parse(R"({"seq":"1","action":"release"})");
    CHECK_FALSE(parsed.reply_ignored);
    CHECK(std::get<core::Command>(parsed.outcome).reply ==
          core::ReplyTo{"lift/dc-east/reply/node-a/inbox/7", std::string("\x00\xff\n", 3)});
}

TEST_CASE("command: any other Response Topic is ignored and says so", "[wire][command]") {
    Desk desk;
    for (const char* topic : {"lift/dc-east/reply/node-b/x",
                              "lift/dc-east/reply/node-a/",
                              "lift/dc-east/reply/node-a",
                              "lift/dc-east/reply/node-a/+",
                              "lift/dc-east/reply/node-a/x/#",
                              "lift/dc-east/EL001/dispatch/node-a",
                              ""}) {
        INFO(topic);
        desk.context.response_topic = topic;
        const ParsedCommand parsed = desk.parse(R"({"seq":"1","action":"release"})");
        CHECK(parsed.reply_ignored);
        CHECK_FALSE(std::get<core::Command>(parsed.outcome).reply);
    }
}

TEST_CASE("command: correlation data beyond its limit drops the reply, not the command",
          "[wire][command]") {
    Desk desk;
    desk.context.response_topic = "lift/dc-east/reply/node-a/x";
    desk.context.correlation = std::string(1024, 'c');
    CHECK_FALSE(desk.parse(R"({"seq":"1","action":"release"})").reply_ignored);
    desk.context.correlation = std::string(1025, 'c');
    CHECK(desk.parse(R"({"seq":"1","action":"release"})").reply_ignored);
}

TEST_CASE("command: what render_command writes is parsed to the same command", "[wire][command]") {
    const Desk desk(two_sided());
    for (const char* payload :
         {R"({"seq":"1","action":"hall_call","floor":"1","direction":"up","door":"rear"})",
          R"({"seq":"2","action":"hold_door","seconds":9,"door":"rear","floor":"1","wait":true})",
          R"({"seq":"3","action":"set_mode","mode":"normal","ttl_ms":100,"wait":false})",
          R"({"seq":"4","action":"query"})",
          R"({"seq":"5","action":"car_call","floor":"2","task":"T \"7\"","ride":"R","msg_id":"ä",
              "issued_at":"2026-05-02T14:32:01Z","lock":{"owner":"o","token":0}})"}) {
        const core::Command command = desk.accept(payload);
        CHECK(desk.accept(render_command(command)) == command);
    }
}
