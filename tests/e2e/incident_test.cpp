// The incident this project began with: five contradicting commands of two nodes within 70 ms.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

SiteOptions plc_of_the_incident() {
    SiteOptions options;
    options.input = liftwarden::sim::InputKind::queue;
    options.elevator_keys = {"owner_grace: 2s"};
    return options;
}

}  // namespace

TEST_CASE(
    "incident: five contradicting commands reach the PLC one at a time and the door never reverses",
    "[e2e][B28][C45]") {
    Site site(plc_of_the_incident());
    site.plc("EL001:place:2");
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(R"("seq":"1001","action":"car_call","floor":"2")");
    b.send(R"("seq":"1002","action":"car_call","floor":"2")");
    a.send(R"("seq":"1003","action":"open_door")");
    b.send(R"("seq":"1004","action":"car_call","floor":"3")");
    a.send(R"("seq":"1005","action":"close_door")");

    CHECK(a.final_of("1001").at("status") == "acked");
    const auto coalesced = b.final_of("1002");
    CHECK(coalesced.at("status") == "coalesced");
    CHECK(coalesced.at("of").as_object().at("seq") == "1001");
    CHECK(coalesced.at("of").as_object().at("source") == "node-a");
    CHECK(a.final_of("1003").at("status") == "acked");
    CHECK(a.final_of("1005").at("status") == "acked");
    CHECK(b.final_of("1004").at("status") == "acked");
    b.expect("1004", "served", 20s);

    const SimLog truth = site.truth();
    CHECK(truth.executed() ==
          std::vector<std::string>{"car_call 2", "open_door", "close_door", "car_call 3"});
    CHECK(truth.reversals() == 0);
    CHECK(truth.emergency_stops() == 0);
    for (const char* seq : {"1001", "1003", "1005"}) {
        CHECK(a.results(seq).size() >= 3);  // accepted, sent, acked
    }
}
