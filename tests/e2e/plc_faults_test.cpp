// What the PLC and the way to it can do to a command.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";
using Executed = std::vector<std::string>;

SiteOptions quick_acks() {
    SiteOptions options;
    options.elevator_keys = {"ack_timeout: 1s"};
    return options;
}

// A first command, so that the echo at rest is not 0.
void warm_up(Node& node) {
    node.send(R"("seq":"0","action":"car_call","floor":"1")");
    node.expect("0", "served");
}

}  // namespace

TEST_CASE("a late acknowledgement ends in acked, without a second write", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:ack-late:2500ms");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().writes() == 1);
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE("a PLC that acknowledges long after ack_timeout executes once and is locked out",
          "[e2e]") {
    Site site(quick_acks());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:ack-late:4s");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "failed");
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "channel", "locked_out"); }));
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
}

TEST_CASE("a write that the PLC ignored is proved not taken and sent once more", "[e2e]") {
    Site site(quick_acks());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:ignore-write");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
}

TEST_CASE("a write that the PLC ignores twice fails with ack_timeout and the next one goes on",
          "[e2e]") {
    Site site(quick_acks());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:ignore-write:2");
    node.send(call_2);
    const auto outcome = node.final_of("1");
    CHECK(outcome.at("status") == "failed");
    CHECK(outcome.at("reason") == "ack_timeout");
    node.send(R"("seq":"2","action":"car_call","floor":"3")");
    CHECK(node.final_of("2").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 3"});
}

TEST_CASE("a lost write confirmation ends in acked by the echo, executed once", "[e2e][M18][B27]") {
    Site site(quick_acks());
    Node node(site, "node-a");
    site.plc("EL001:drop-after-write");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE("a connection lost before the write arrives is verified and the command executes once",
          "[e2e]") {
    Site site(quick_acks());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:drop-before-write");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
}

TEST_CASE("refused by the PLC is failed with plc_refused", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:refuse");
    node.send(call_2);
    const auto outcome = node.final_of("1");
    CHECK(outcome.at("status") == "failed");
    CHECK(outcome.at("reason") == "plc_refused");
    CHECK(site.truth().executed().empty());
}

TEST_CASE("busy means not taken: the command comes again under a new wire sequence", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:busy:3");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().writes() == 4);
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE("busy until the TTL ends in expired", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:busy:always");
    node.send(R"("seq":"1","action":"car_call","floor":"2","ttl_ms":1200)");
    CHECK(node.final_of("1").at("status") == "expired");
    CHECK(site.truth().executed().empty());
}

TEST_CASE("exception 2 on the write is failed with modbus_exception", "[e2e][B26]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:exception-write:2");
    node.send(call_2);
    const auto outcome = node.final_of("1");
    CHECK(outcome.at("status") == "failed");
    CHECK(outcome.at("reason") == "modbus_exception");
    CHECK(site.truth().executed().empty());
}

TEST_CASE("exception 6 on the write is not taken and comes again", "[e2e][F74]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:exception-write:6");
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE("an unknown result code locks the elevator out until an operator says what happened",
          "[e2e]") {
    SiteOptions options = quick_acks();
    Site site(options);
    Node node(site, "node-a");
    site.plc("EL001:result:77");
    node.send(call_2);
    const auto doubtful = node.expect("1", "unknown", 20s);
    CHECK_FALSE(doubtful.at("final").as_bool());
    CHECK(doubtful.at("needs_operator").as_bool());
    node.send(R"("seq":"2","action":"car_call","floor":"3")");
    const auto refused = node.final_of("2");
    CHECK(refused.at("status") == "rejected");
    CHECK(refused.at("reason") == "elevator_unknown");

    const auto status = site.command_line({"status", "-c", site.config()});
    CHECK(status.code == 0);
    CHECK(status.text.find("unknown_outcome") != std::string::npos);
    const auto reset =
        site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", "yes"});
    INFO(reset.text);
    CHECK(reset.code == 0);
    const auto resolved = node.final_of("1");
    CHECK(resolved.at("status") == "acked");
    CHECK(resolved.at("reason") == "operator");
    node.send(R"("seq":"3","action":"release")");
    node.expect("3", "acked");
}

TEST_CASE("reset is refused while an elevator is not locked out", "[e2e]") {
    Site site;
    const auto reset =
        site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", "no"});
    CHECK(reset.code == 1);
    CHECK(reset.text.find("not locked out") != std::string::npos);
}

TEST_CASE("a foreign writer locks the elevator out", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    node.send(call_2);
    node.expect("1", "served");
    site.plc("EL001:foreign-write:car_call:3");
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "channel", "locked_out"); }));
    node.send(R"("seq":"2","action":"car_call","floor":"4")");
    CHECK(node.final_of("2").at("reason") == "elevator_unknown");
    const auto reset =
        site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", "unknown"});
    INFO(reset.text);
    CHECK(reset.code == 0);
    node.send(R"("seq":"3","action":"car_call","floor":"1")");
    CHECK(node.final_of("3", 30s).at("status") == "acked");
}

TEST_CASE("a PLC that restarts is noticed, and the next command executes", "[e2e][B23]") {
    Site site;
    Node node(site, "node-a");
    node.send(call_2);
    node.expect("1", "served");
    site.plc("EL001:reboot:1s");
    REQUIRE(site.observer().wait_for([](const PeerMessage& message) {
        return message.topic == "lift/test/EL001/event" &&
               message.payload.find("plc_restarted") != std::string::npos;
    }));
    node.send(R"("seq":"2","action":"car_call","floor":"3")");
    CHECK(node.final_of("2").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2", "car_call 3"});
}

TEST_CASE("a PLC that is gone: commands wait until it is back", "[e2e][B18][C37]") {
    Site site;
    Node node(site, "node-a");
    site.stop_plc();
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "quality", "stale"); }));
    node.send(call_2);
    node.expect("1", "accepted");
    site.start_plc();
    CHECK(node.final_of("1", 30s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 2"});
}

TEST_CASE(
    "a PLC that stays gone: a command expires with plc_offline, wait:false is refused at once",
    "[e2e][B17]") {
    Site site;
    Node node(site, "node-a");
    site.stop_plc();
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "quality", "stale"); }));
    node.send(R"("seq":"1","action":"car_call","floor":"2","ttl_ms":800)");
    const auto expired = node.final_of("1");
    CHECK(expired.at("status") == "expired");
    CHECK(expired.at("reason") == "plc_offline");
    node.send(R"("seq":"2","action":"car_call","floor":"2","wait":false)");
    const auto refused = node.final_of("2");
    CHECK(refused.at("status") == "rejected");
    CHECK(refused.at("reason") == "plc_offline");
}

TEST_CASE("fire: nothing is written and what waits is refused with the reason", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:mode:fire");
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "service_mode", "fire"); }));
    node.send(call_2);
    const auto refused = node.final_of("1");
    CHECK(refused.at("status") == "rejected");
    CHECK(refused.at("reason") == "out_of_service");
    CHECK(site.truth().writes() == 0);
}

TEST_CASE("a fault: commands are refused with elevator_fault", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:emergency-stop");
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "phase", "error"); }));
    node.send(call_2);
    CHECK(node.final_of("1").at("reason") == "elevator_fault");
    CHECK(site.truth().writes() == 0);
}
