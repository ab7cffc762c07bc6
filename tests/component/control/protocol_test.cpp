#include "src/adapters/control/protocol.hpp"

#include <catch2/catch.hpp>

namespace control = liftwarden::control;
namespace core = liftwarden::core;

TEST_CASE("control protocol: a request survives rendering and parsing", "[control]") {
    const control::Request reset =
        control::ResetRequest{core::ElevatorId{"EL001"}, core::TookEffect::no, true};
    const control::Request narrow =
        control::LogRequest{core::ElevatorId{"EL001"},
                            core::Seq{"1003"},
                            core::WallTime{std::chrono::milliseconds{1'790'000'000'123}}};
    for (const auto& request : {control::Request{control::StatusRequest{}},
                                reset,
                                control::Request{control::LogRequest{}},
                                narrow}) {
        const auto line = control::render(request);
        REQUIRE(line.back() == '\n');
        const auto parsed = control::parse_request(line.substr(0, line.size() - 1));
        REQUIRE(parsed.has_value());
        CHECK(*parsed == request);
    }
}

TEST_CASE("control protocol: a reply survives rendering and parsing", "[control]") {
    const control::Reply reply{true, "done", boost::json::object{{"gateway", "gw-01"}}};
    const auto parsed = control::parse_reply(control::render(reply));
    REQUIRE(parsed.has_value());
    CHECK(parsed->ok);
    CHECK(parsed->text == "done");
    REQUIRE(parsed->data);
    CHECK(parsed->data->at("gateway") == "gw-01");
}

TEST_CASE("control protocol: a bad request gets an error that names the fault", "[control]") {
    const auto [line, words] = GENERATE(table<std::string, std::string>({
        {"", "not JSON"},
        {"{\"op\":", "not JSON"},
        {"[1]", "not a JSON object"},
        {"{}", "unknown \"op\""},
        {R"({"op":"explode"})", "explode"},
        {R"({"op":"reset"})", "elevator"},
        {R"({"op":"reset","elevator":"EL001"})", "took_effect"},
        {R"({"op":"reset","elevator":"EL001","took_effect":"maybe"})", "maybe"},
        {R"({"op":"reset","elevator":"EL001","took_effect":"yes","force":1})", "force"},
        {R"({"op":"reset","elevator":7,"took_effect":"yes"})", "elevator"},
        {R"({"op":"log","since_ms":"yesterday"})", "since_ms"},
        {"[[[[[[[[[[[[[[[[[[[[", "not JSON"},
    }));
    const auto parsed = control::parse_request(line);
    REQUIRE_FALSE(parsed.has_value());
    CHECK_THAT(parsed.error().text, Catch::Contains(words));
}
