#include "src/wire/command_text.hpp"
#include "tests/unit/wire/command_setup.hpp"

#include <string>
#include <vector>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace liftwarden::wire::test;
using core::Reason;

namespace {

struct Bad {
    const char* payload;
    Reason reason;
    const char* detail;  // a part of it
};

const char* const seq_rule =
    "seq must be 1 to 64 characters of A-Z a-z 0-9 . _ : - or an integer from 0 to 2^63-1, not ";

const std::vector<Bad> bad_payloads{
    // not JSON
    {"", Reason::bad_json, "not valid JSON"},
    {" ", Reason::bad_json, "not valid JSON"},
    {"{", Reason::bad_json, "not valid JSON"},
    {"go to 2", Reason::bad_json, "not valid JSON"},
    {"{'seq':'1'}", Reason::bad_json, "not valid JSON"},
    {R"({"seq":"1","action":"release",})", Reason::bad_json, "not valid JSON"},
    {R"({"seq":"1" "action":"release"})", Reason::bad_json, "not valid JSON"},
    {R"({"seq":01,"action":"release"})", Reason::bad_json, "not valid JSON"},
    {R"({"seq":NaN,"action":"release"})", Reason::bad_json, "not valid JSON"},
    {R"({"seq":"1","action":"release"} {})", Reason::bad_json, "more text after byte"},
    {R"({"seq":"1","action":"release"}x)", Reason::bad_json, "more text after byte"},
    {"{\"seq\":\"\xff\",\"action\":\"release\"}", Reason::bad_json, "not valid JSON"},
    {R"({"seq":"\ud800","action":"release"})", Reason::bad_json, "not valid JSON"},
    {"{\"seq\":\"1\",\"action\":\"release\",\"task\":\"a\nb\"}", Reason::bad_json, "not valid"},
    {"/* c */ {}", Reason::bad_json, "not valid JSON"},
    {"[]", Reason::bad_json, "must be a JSON object, not an array"},
    {"\"release\"", Reason::bad_json, "must be a JSON object, not \"release\""},
    {"null", Reason::bad_json, "must be a JSON object, not null"},
    {"17", Reason::bad_json, "must be a JSON object, not 17"},
    {R"({"seq":"1","seq":"2","action":"release"})",
     Reason::bad_json,
     R"(the key "seq" stands twice in one object)"},
    {R"({"seq":"1","action":"release","s\u0065q":"1"})", Reason::bad_json, R"("seq" stands twice)"},
    {R"({"seq":"1","action":"release","x":[{"deep":{"a":1,"a":1}}]})",
     Reason::bad_json,
     R"("a" stands twice)"},
    {R"({"a":[[[[[[[[1]]]]]]]]})", Reason::bad_json, "more than 8 deep"},
    // seq
    {R"({})", Reason::bad_field, "seq is missing"},
    {R"({"action":"release"})", Reason::bad_field, "seq is missing"},
    {R"({"seq":null,"action":"release"})", Reason::bad_field, "not null"},
    {R"({"seq":"","action":"release"})", Reason::bad_field, "not \"\""},
    {R"({"seq":"a b","action":"release"})", Reason::bad_field, seq_rule},
    {R"({"seq":"a/b","action":"release"})", Reason::bad_field, "not \"a/b\""},
    {R"({"seq":"a\u0000b","action":"release"})", Reason::bad_field, R"(not "a\x00b")"},
    {R"({"seq":"é","action":"release"})", Reason::bad_field, "not \"é\""},
    {R"({"seq":"00000000000000000000000000000000000000000000000000000000000000065",
         "action":"release"})",
     Reason::bad_field,
     seq_rule},
    {R"({"seq":-1,"action":"release"})", Reason::bad_field, "not -1"},
    {R"({"seq":1.0,"action":"release"})", Reason::bad_field, "not 1.0"},
    {R"({"seq":1e3,"action":"release"})", Reason::bad_field, "not 1e3"},
    {R"({"seq":9223372036854775808,"action":"release"})",
     Reason::bad_field,
     "not 9223372036854775808"},
    {R"({"seq":true,"action":"release"})", Reason::bad_field, "not true"},
    {R"({"seq":["1"],"action":"release"})", Reason::bad_field, "not an array"},
    // action
    {R"({"seq":"1"})", Reason::bad_field, "action is missing"},
    {R"({"seq":"1","action":3})", Reason::bad_field, "action must be a string, not 3"},
    {R"({"seq":"1","action":"fly"})", Reason::unsupported_action, R"(no action "fly")"},
    {R"({"seq":"1","action":"Release"})", Reason::unsupported_action, R"(no action "Release")"},
    {R"({"seq":"1","action":""})", Reason::unsupported_action, R"(no action "")"},
    // floor
    {R"({"seq":"1","action":"car_call"})", Reason::bad_field, "floor is missing"},
    {R"({"seq":"1","action":"hall_call"})", Reason::bad_field, "floor is missing"},
    {R"({"seq":"1","action":"car_call","floor":2})", Reason::bad_field, "must be a string, not 2"},
    {R"({"seq":"1","action":"car_call","floor":null})", Reason::bad_field, "not null"},
    {R"({"seq":"1","action":"car_call","floor":"3"})",
     Reason::unknown_floor,
     R"(EL001 has no floor "3"; its floors are B1, 1, 2)"},
    {R"({"seq":"1","action":"car_call","floor":"b1"})", Reason::unknown_floor, R"("b1")"},
    {R"({"seq":"1","action":"car_call","floor":"2\u001b[2J"})",
     Reason::unknown_floor,
     R"("2\x1b[2J")"},
    {R"({"seq":"1","action":"open_door","floor":"9"})", Reason::unknown_floor, R"("9")"},
    // direction, door, seconds, mode
    {R"({"seq":"1","action":"hall_call","floor":"1","direction":"left"})",
     Reason::bad_field,
     R"(direction must be up or down, not "left")"},
    {R"({"seq":"1","action":"hall_call","floor":"1","direction":1})",
     Reason::bad_field,
     "direction must be a string, not 1"},
    {R"({"seq":"1","action":"open_door","door":"left"})",
     Reason::bad_field,
     R"(door must be front or rear, not "left")"},
    {R"({"seq":"1","action":"open_door","door":0})", Reason::bad_field, "door must be a string"},
    {R"({"seq":"1","action":"car_call","floor":"2","door":"rear"})",
     Reason::bad_field,
     "door is rear, a side that floor 2 of EL001 does not have"},
    {R"({"seq":"1","action":"hold_door"})", Reason::bad_field, "seconds is missing"},
    {R"({"seq":"1","action":"hold_door","seconds":0})", Reason::bad_field, "from 1 to 60, not 0"},
    {R"({"seq":"1","action":"hold_door","seconds":61})", Reason::bad_field, "not 61"},
    {R"({"seq":"1","action":"hold_door","seconds":-5})", Reason::bad_field, "not -5"},
    {R"({"seq":"1","action":"hold_door","seconds":5.0})", Reason::bad_field, "not 5.0"},
    {R"({"seq":"1","action":"hold_door","seconds":"5"})", Reason::bad_field, "not \"5\""},
    {R"({"seq":"1","action":"hold_door","seconds":4294967301})",
     Reason::bad_field,
     "not 4294967301"},
    {R"({"seq":"1","action":"set_mode"})", Reason::bad_field, "mode is missing"},
    {R"({"seq":"1","action":"set_mode","mode":"fire"})",
     Reason::bad_field,
     R"(mode must be agv or normal, not "fire")"},
    // ttl_ms, issued_at
    {R"({"seq":"1","action":"release","ttl_ms":99})",
     Reason::bad_field,
     "ttl_ms must be a whole number from 100 to 600000, not 99"},
    {R"({"seq":"1","action":"release","ttl_ms":600001})", Reason::bad_field, "not 600001"},
    {R"({"seq":"1","action":"release","ttl_ms":1e3})", Reason::bad_field, "not 1e3"},
    {R"({"seq":"1","action":"release","ttl_ms":1000.0})", Reason::bad_field, "not 1000.0"},
    {R"({"seq":"1","action":"release","ttl_ms":18446744073709551616})",
     Reason::bad_field,
     "not 18446744073709551616"},
    {R"({"seq":"1","action":"release","ttl_ms":1e400})", Reason::bad_field, "not 1e400"},
    {R"({"seq":"1","action":"release","ttl_ms":"1000"})", Reason::bad_field, "not \"1000\""},
    {R"({"seq":"1","action":"release","issued_at":"yesterday"})",
     Reason::bad_field,
     R"(RFC 3339, such as 2026-05-02T14:32:01.251Z, not "yesterday")"},
    {R"({"seq":"1","action":"release","issued_at":1777732321})",
     Reason::bad_field,
     "issued_at must be a string"},
    // wait, lock
    {R"({"seq":"1","action":"release","wait":"no"})",
     Reason::bad_field,
     R"(wait must be true or false, not "no")"},
    {R"({"seq":"1","action":"release","wait":0})", Reason::bad_field, "wait must be true or false"},
    {R"({"seq":"1","action":"release","lock":"u:1"})",
     Reason::bad_field,
     R"(lock must be an object, not "u:1")"},
    {R"({"seq":"1","action":"release","lock":{"owner":7}})", Reason::bad_field, "lock.owner must"},
    {R"({"seq":"1","action":"release","lock":{"owner":""}})", Reason::bad_field, "lock.owner must"},
    {R"({"seq":"1","action":"release","lock":{"owner":"u","token":"42"}})",
     Reason::bad_field,
     "lock.token must be a whole number"},
    {R"({"seq":"1","action":"release","lock":{"owner":"u","token":-1}})",
     Reason::bad_field,
     "lock.token"},
    {R"({"seq":"1","action":"release","lock":{"owner":"u","token":4.0}})",
     Reason::bad_field,
     "not 4.0"},
    // names
    {R"({"seq":"1","action":"release","task":77})",
     Reason::bad_field,
     "task must be a string of 1 to 256 bytes without control characters, not 77"},
    {R"({"seq":"1","action":"release","task":""})", Reason::bad_field, "task must be"},
    {R"({"seq":"1","action":"release","task":"a\tb"})", Reason::bad_field, R"(not "a\x09b")"},
    {R"({"seq":"1","action":"release","ride":"\u0085"})", Reason::bad_field, "ride must be"},
    {R"({"seq":"1","action":"release","ride":{}})", Reason::bad_field, "ride must be"},
    {R"({"seq":"1","action":"release","msg_id":"\u007f"})", Reason::bad_field, "msg_id must be"},
    // what must agree with the topic
    {R"({"seq":"1","action":"release","type":"request"})",
     Reason::bad_field,
     R"(type must be "command" if given, not "request")"},
    {R"({"seq":"1","action":"release","type":1})", Reason::bad_field, "type must be a string"},
    {R"({"seq":"1","action":"release","elevator":"EL002"})",
     Reason::bad_field,
     R"(elevator is "EL002", but the topic says EL001)"},
    {R"({"seq":"1","action":"release","source":"node-b"})",
     Reason::source_mismatch,
     R"(source is "node-b", but the topic says node-a)"},
    {R"({"seq":"1","action":"release","source":5})", Reason::bad_field, "source must be a string"},
};

}  // namespace

TEST_CASE("command: every bad payload gets its reason and a detail with the value",
          "[wire][command]") {
    const Desk desk;
    for (const Bad& bad : bad_payloads) {
        INFO(bad.payload);
        const Refusal refusal = desk.refuse(bad.payload);
        CHECK(std::string(core::to_string(refusal.reason)) == core::to_string(bad.reason));
        CHECK_THAT(refusal.detail, Catch::Contains(bad.detail));
        CHECK(refusal.detail.size() < 300);
    }
}

TEST_CASE("command: 8 KiB are read and one byte more is too_large", "[wire][command]") {
    const Desk desk;
    std::string payload = R"({"seq":"1","action":"release"})";
    payload.append(8192 - payload.size(), ' ');
    CHECK(desk.accept(payload).seq == core::Seq("1"));
    const Refusal refusal = desk.refuse(payload + " ");
    CHECK(refusal.reason == Reason::too_large);
    CHECK(refusal.detail == "The payload has 8193 bytes; at most 8192 are allowed.");
    CHECK_FALSE(refusal.seq);
}

TEST_CASE("command: eight levels of nesting are read", "[wire][command]") {
    const Desk desk;
    CHECK(desk.accept(R"({"seq":"1","action":"release","a":[[[[[[[1]]]]]]]})").seq ==
          core::Seq("1"));
}

TEST_CASE("command: a retained message is refused whatever it holds", "[wire][command]") {
    Desk desk;
    desk.context.retained = true;
    const Refusal refusal = desk.refuse(R"({"seq":"7","action":"release","msg_id":"m"})");
    CHECK(refusal.reason == Reason::retained);
    CHECK(refusal.seq == core::Seq("7"));
    CHECK(refusal.msg_id == "m");
    CHECK(desk.refuse("garbage").reason == Reason::retained);
}

TEST_CASE("command: a call the map does not know is unsupported", "[wire][command]") {
    Desk desk;
    desk.elevator.actions.erase(core::ActionKind::hall_call);
    const Refusal refusal = desk.refuse(R"({"seq":"1","action":"hall_call","floor":"1"})");
    CHECK(refusal.reason == Reason::unsupported_action);
    CHECK(refusal.detail == "The map of EL001 has no hall_call.");
}

TEST_CASE("command: a direction the map cannot carry is unsupported", "[wire][command]") {
    Desk desk;
    desk.elevator.directions = false;
    CHECK(desk.accept(R"({"seq":"1","action":"hall_call","floor":"1"})").content.floor);
    const Refusal refusal =
        desk.refuse(R"({"seq":"1","action":"hall_call","floor":"1","direction":"up"})");
    CHECK(refusal.reason == Reason::unsupported_action);
    CHECK(refusal.detail ==
          "The map of EL001 has no hall_call with a direction, and direction is up.");
}

TEST_CASE("command: a refusal gives back what could be read", "[wire][command]") {
    Desk desk;
    desk.context.response_topic = "lift/dc-east/reply/node-a/x";
    const Refusal refusal =
        desk.refuse(R"({"seq":12,"action":"car_call","floor":"77","msg_id":"m-1","task":"T-1",)"
                    R"("issued_at":"2026-05-02T14:32:01.251Z"})");
    CHECK(refusal.seq == core::Seq("12"));
    CHECK(refusal.msg_id == "m-1");
    CHECK(refusal.issued_at == "2026-05-02T14:32:01.251Z");
    CHECK(refusal.task == "T-1");
    CHECK(refusal.reply == core::ReplyTo{"lift/dc-east/reply/node-a/x", ""});
    CHECK_FALSE(refusal.query);
}

TEST_CASE("command: a refusal does not give back what is unsound", "[wire][command]") {
    const Desk desk;
    const Refusal refusal =
        desk.refuse(R"({"seq":"a b","action":"query","msg_id":"\u0001","task":[],)"
                    R"("issued_at":"soon"})");
    CHECK_FALSE(refusal.seq);
    CHECK_FALSE(refusal.msg_id);
    CHECK_FALSE(refusal.issued_at);
    CHECK_FALSE(refusal.task);
    CHECK(refusal.query);
}

TEST_CASE("command: long values are cut in the detail", "[wire][command]") {
    const Desk desk;
    const std::string digits(4000, '7');
    for (const std::string& field : {"\"task\":\"" + std::string(4000, 'x') + "\"",
                                     "\"ttl_ms\":" + digits,
                                     "\"issued_at\":\"" + digits + "\""}) {
        const Refusal refusal = desk.refuse(R"({"seq":"1","action":"release",)" + field + "}");
        CHECK(refusal.reason == Reason::bad_field);
        CHECK(refusal.detail.size() < 300);
        CHECK_THAT(refusal.detail, Catch::Contains("..."));
    }
}

TEST_CASE("command: a refusal becomes a rejected result for its sender", "[wire][command]") {
    Refusal refusal;
    refusal.seq = core::Seq("1");
    refusal.msg_id = "m";
    refusal.task = "T";
    refusal.reply = core::ReplyTo{"t", "c"};
    refusal.query = true;
    refusal.reason = Reason::bad_field;
    refusal.detail = "floor is missing";
    const core::ResultMessage message = to_result(refusal,
                                                  core::ElevatorId("EL001"),
                                                  core::SourceId("node-a"),
                                                  core::ArbitrationMode::edge,
                                                  9);
    core::ResultMessage expected;
    expected.elevator = core::ElevatorId("EL001");
    expected.to = core::SourceId("node-a");
    expected.seq = core::Seq("1");
    expected.status = core::Status::rejected;
    expected.reason = Reason::bad_field;
    expected.detail = "floor is missing";
    expected.query = true;
    expected.mode = core::ArbitrationMode::edge;
    expected.epoch = 9;
    expected.msg_id = "m";
    expected.task = "T";
    expected.reply = core::ReplyTo{"t", "c"};
    CHECK(message == expected);
}

TEST_CASE("command: every proper prefix of a command is refused, none crashes", "[wire][command]") {
    const Desk desk;
    const std::string whole =
        R"({"seq":"1003","action":"car_call","floor":"2","ttl_ms":60000,"lock":{"owner":"u","token":42}})";
    CHECK(desk.accept(whole).seq == core::Seq("1003"));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CHECK(desk.refuse(whole.substr(0, length)).reason == Reason::bad_json);
    }
}
