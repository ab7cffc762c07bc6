// What nodes write that means nothing else: null for absent, and words that are nearly right.
#include "tests/unit/wire/command_setup.hpp"

#include <string>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace liftwarden::wire::test;

TEST_CASE("command: null means absent wherever a field may be left out", "[wire][command]") {
    const Desk desk;
    const core::Command plain = desk.accept(R"({"seq":"1","action":"hall_call","floor":"2"})");
    for (const char* field : {"task",
                              "ride",
                              "msg_id",
                              "issued_at",
                              "ttl_ms",
                              "wait",
                              "lock",
                              "door",
                              "direction",
                              "seconds",
                              "mode",
                              "type",
                              "source",
                              "elevator"}) {
        INFO(field);
        const std::string payload =
            R"({"seq":"1","action":"hall_call","floor":"2",")" + std::string(field) + R"(":null})";
        CHECK(desk.accept(payload) == plain);
    }
    CHECK(desk.accept(R"({"seq":"1","action":"open_door","floor":null})").content.floor ==
          std::nullopt);
    CHECK(desk.accept(R"({"seq":"1","action":"hall_call","floor":"2","lock":{"owner":null}})") ==
          plain);
    const core::Command locked = desk.accept(
        R"({"seq":"1","action":"hall_call","floor":"2","lock":{"owner":"u:1","token":null}})");
    CHECK(locked.lock == core::LockClaim{"u:1", std::nullopt});
}

TEST_CASE("command: null is no value where one is required", "[wire][command]") {
    const Desk desk;
    for (const char* payload : {R"({"seq":null,"action":"release"})",
                                R"({"seq":"1","action":null})",
                                R"({"seq":"1","action":"car_call","floor":null})",
                                R"({"seq":"1","action":"hold_door","seconds":null})",
                                R"({"seq":"1","action":"set_mode","mode":null})"}) {
        INFO(payload);
        const Refusal refusal = desk.refuse(payload);
        CHECK(refusal.reason == core::Reason::bad_field);
        CHECK_THAT(refusal.detail, Catch::Contains("not null"));
    }
}

TEST_CASE("command: an unknown action names the one that was meant", "[wire][command]") {
    const Desk desk;
    const auto [given, words] = GENERATE(table<std::string, std::string>({
        {"CAR_CALL", "no action \"CAR_CALL\"; did you mean car_call?"},
        {"open_dor", "no action \"open_dor\"; did you mean open_door?"},
        {"opendoor", "did you mean open_door?"},
        {"Close-Door", "did you mean close_door?"},
        {"hallCall", "did you mean hall_call?"},
        {"setmode", "did you mean set_mode?"},
        {"relase", "did you mean release?"},
        {"car call", "did you mean car_call?"},
    }));
    const Refusal refusal = desk.refuse(R"({"seq":"1","floor":"2","action":")" + given + R"("})");
    CHECK(refusal.reason == core::Reason::unsupported_action);
    CHECK_THAT(refusal.detail, Catch::Contains(words));
}

TEST_CASE("command: an action like no other is only refused", "[wire][command]") {
    const Desk desk;
    for (const std::string& given :
         {std::string("go"), std::string(), std::string("emergency_stop"), std::string(200, 'a')}) {
        INFO(given);
        const Refusal refusal = desk.refuse(R"({"seq":"1","action":")" + given + R"("})");
        CHECK_THAT(refusal.detail, !Catch::Contains("did you mean"));
    }
}
