// `issued_at` was not carried into results.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

constexpr auto issued = R"("issued_at":"2026-05-02T14:32:01.251Z")";

// Old enough to expire where the clock can be trusted: which outcome it is does not matter here.
std::string call(const std::string& seq, const std::string& floor) {
    return R"("action":"car_call","seq":")" + seq + R"(","floor":")" + floor +
           R"(","msg_id":"m",)" + issued;
}

}  // namespace

TEST_CASE("regress: results, refusals and answers to queries give issued_at back", "[regress]") {
    Site site;
    Node node(site, "node-a");
    node.send(call("1", "2"));
    node.final_of("1");
    for (const auto& result : node.results("1")) {
        CHECK(result.at("issued_at") == "2026-05-02T14:32:01.251Z");
        CHECK(result.at("msg_id") == "m");
    }
    node.send(call("2", "no such floor"));
    CHECK(node.final_of("2").at("issued_at") == "2026-05-02T14:32:01.251Z");
    node.send(R"("seq":"3","action":"car_call","floor":"3")");
    CHECK(node.final_of("3").at("issued_at").is_null());
}

TEST_CASE("regress: a query tells the position of a command that waits", "[regress]") {
    Site site;
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(R"("seq":"1","action":"car_call","floor":"3")");
    a.expect("1", "acked");
    b.send(R"("seq":"2","action":"car_call","floor":"1")");
    CHECK(b.expect("2", "accepted").at("position") == 1);
    b.send(R"("seq":"2","action":"query")");
    REQUIRE(wait_until([&] {
        for (const auto& result : b.results("2")) {
            if (result.at("type") == "query_result") {
                return result.at("position") == 1;
            }
        }
        return false;
    }));
}
