#include "src/wire/presence_text.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace std::chrono_literals;

namespace {

const core::GatewayId other("gw-02");

GatewayStatus status() {
    return {core::GatewayId("gw-01"),
            true,
            {core::ElevatorId("EL001"), core::ElevatorId("EL002")},
            "b00t",
            {{core::ArbitrationMode::lock, 1}, {core::ArbitrationMode::edge, 1}},
            "0.1.0"};
}

core::GatewayClaim claim(std::string_view payload) {
    auto result = parse_gateway_status(other, payload);
    INFO(payload);
    REQUIRE(result.has_value());
    CHECK(result->gateway == other);
    return *result;
}

}  // namespace

TEST_CASE("gateway status: everything the contract names is there", "[wire][presence]") {
    CHECK(render_gateway_status(status(), core::WallTime{1'777'732'321'402ms}) ==
          R"({"gateway":"gw-01","online":true,"elevators":["EL001","EL002"],"boot_id":"b00t",)"
          R"("modes":{"lock":1,"edge":1},"version":"0.1.0","at":"2026-05-02T14:32:01.402Z"})");
}

TEST_CASE("gateway status: a will has no time of its own", "[wire][presence]") {
    GatewayStatus will = status();
    will.online = false;
    will.modes.clear();
    CHECK(render_gateway_status(will, std::nullopt) ==
          R"({"gateway":"gw-01","online":false,"elevators":["EL001","EL002"],"boot_id":"b00t",)"
          R"("modes":{},"version":"0.1.0","at":null})");
}

TEST_CASE("gateway status: another gateway reads what one writes", "[wire][presence]") {
    const core::GatewayClaim read = claim(render_gateway_status(status(), std::nullopt));
    CHECK(read.online);
    CHECK(read.elevators == status().elevators);
}

TEST_CASE("gateway status: an empty payload means gone", "[wire][presence]") {
    CHECK_FALSE(claim("").online);
    CHECK(claim("").elevators.empty());
}

TEST_CASE("gateway status: unknown fields and odd names do no harm", "[wire][presence]") {
    const core::GatewayClaim read = claim(
        R"({"online":true,"x":{"y":1.5},"gateway":7,"elevators":["EL001",7,"a/b","",null,"EL002"]})");
    CHECK(read.online);
    CHECK(read.elevators ==
          std::vector<core::ElevatorId>{core::ElevatorId("EL001"), core::ElevatorId("EL002")});
    CHECK(claim(R"({"online":false})").elevators.empty());
    CHECK(claim(R"({"online":true,"elevators":"EL001"})").elevators.empty());
}

TEST_CASE("gateway status: what says nothing about online is refused", "[wire][presence]") {
    for (const char* payload : {"x",
                                "[]",
                                "null",
                                "{}",
                                R"({"online":"true"})",
                                R"({"online":1})",
                                R"({"online":true,"online":false})"}) {
        INFO(payload);
        const auto result = parse_gateway_status(other, payload);
        REQUIRE(result.has_error());
        CHECK(result.error().kind == core::ErrorClass::permanent);
        CHECK_THAT(result.error().text, Catch::Contains("gw-02"));
    }
}

TEST_CASE("gateway status: size and number of elevators are bounded", "[wire][presence]") {
    const auto with = [](int count) {
        std::string payload = R"({"online":true,"elevators":["EL")";
        for (int i = 1; i < count; ++i) {
            payload += R"(,"EL")";
        }
        return payload + "]}";
    };
    CHECK(claim(with(1024)).elevators.size() == 1024);
    CHECK(parse_gateway_status(other, with(1025)).has_error());
    CHECK(parse_gateway_status(other, with(40000)).has_error());
}

TEST_CASE("node heartbeat: ok, lost and gone are told apart", "[wire][presence]") {
    using LockService = core::NodeReported::LockService;
    const auto state = [](std::string_view payload) {
        const auto result = parse_node_heartbeat(payload);
        REQUIRE(result.has_value());
        return *result;
    };
    CHECK(state(R"({"lock_service":"ok"})") == LockService::ok);
    CHECK(state(R"({"lock_service":"lost","uptime":3.5})") == LockService::lost);
    CHECK(state("") == LockService::gone);
}

TEST_CASE("node heartbeat: anything else is refused with what it said", "[wire][presence]") {
    const auto fault = [](std::string_view payload) {
        const auto result = parse_node_heartbeat(payload);
        REQUIRE(result.has_error());
        return result.error().text;
    };
    CHECK_THAT(fault("ok"), Catch::Contains("not valid JSON"));
    CHECK_THAT(fault("{}"), Catch::Contains("not nothing"));
    CHECK_THAT(fault(R"({"lock_service":"OK"})"), Catch::Contains("not \"OK\""));
    CHECK_THAT(fault(R"({"lock_service":true})"), Catch::Contains("not true"));
    CHECK_THAT(fault(R"("ok")"), Catch::Contains("not nothing"));
    CHECK_THAT(fault("{\"lock_service\":\"ok\",\"x\":\"" + std::string(9000, 'x') + "\"}"),
               Catch::Contains("more than 8192"));
}
