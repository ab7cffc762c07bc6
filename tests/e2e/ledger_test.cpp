// A seq executes at most once: repeats, conflicts, restarts.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";

std::string detail_of(const boost::json::object& result) {
    return std::string{result.at("detail").as_string()};
}

}  // namespace

TEST_CASE("a repeat before completion is answered with the present status and executes once",
          "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:ack-late:1500ms");
    node.send(call_2);
    node.expect("1", "sent");
    node.send(call_2);
    REQUIRE(wait_until([&] {
        for (const auto& result : node.results("1")) {
            if (result.at("duplicate").as_bool()) {
                return true;
            }
        }
        return false;
    }));
    node.expect("1", "acked");
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 2"});
    CHECK(site.truth().writes() == 1);
}

TEST_CASE("a repeat after completion is answered from the ledger and executes nothing", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    node.send(call_2);
    node.expect("1", "served");
    node.peer().clear();
    node.send(call_2);
    const auto answer = node.final_of("1");
    CHECK(answer.at("status") == "acked");
    CHECK(answer.at("duplicate").as_bool());
    CHECK(node.expect("1", "served").at("duplicate").as_bool());
    CHECK(site.truth().executed().size() == 1);
}

TEST_CASE("a repeat after kill -9 and restart executes nothing", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    node.send(call_2);
    node.expect("1", "acked");
    site.crash_daemon();
    site.wait_ready();
    node.peer().clear();
    node.send(call_2);
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed().size() == 1);
}

TEST_CASE("an integer seq and its decimal string are the same seq", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    node.send(R"("seq":7,"action":"car_call","floor":"2")");
    node.expect("7", "acked");
    node.send(R"("seq":"7","action":"car_call","floor":"2")");
    REQUIRE(wait_until(
        [&] { return node.count("7", "acked") >= 2 || node.count("7", "served") >= 1; }));
    CHECK(site.truth().executed().size() == 1);
}

TEST_CASE("another command under a used seq is refused as a conflict", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    node.send(call_2);
    node.expect("1", "acked");
    node.send(R"("seq":"1","action":"car_call","floor":"3")");
    const auto refused = node.expect("1", "rejected");
    CHECK(refused.at("reason") == "seq_conflict");
    CHECK(detail_of(refused).find("another command") != std::string::npos);
    CHECK(site.truth().executed().size() == 1);
}

TEST_CASE("another source under a used seq is refused as a conflict, and an event is raised",
          "[e2e]") {
    Site site;
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(call_2);
    a.expect("1", "acked");
    b.send(call_2);
    CHECK(b.expect("1", "rejected").at("reason") == "seq_conflict");
    CHECK(site.observer().wait_for([](const PeerMessage& message) {
        return message.topic == "lift/test/EL001/event" &&
               message.payload.find("seq_conflict") != std::string::npos;
    }));
}

TEST_CASE("a node of the same group may repeat, and gets the answer itself", "[e2e]") {
    SiteOptions options;
    options.file_keys = {"source_groups: {dispatch: [node-a, node-b]}"};
    Site site(options);
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(call_2);
    a.expect("1", "acked");
    b.send(call_2);
    CHECK(b.final_of("1").at("status") == "acked");
    CHECK(site.truth().executed().size() == 1);
}

TEST_CASE("query answers the latest status and executes nothing", "[e2e]") {
    Site site;
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(call_2);
    a.expect("1", "served");
    a.peer().clear();
    a.send(R"("seq":"1","action":"query")");
    const auto answer = a.expect("1", "served");
    CHECK(answer.at("type") == "query_result");
    CHECK(answer.find("final") == answer.end());
    b.send(R"("seq":"1","action":"query")");
    CHECK(b.expect("1", "rejected").at("reason") == "unknown_seq");
    a.send(R"("seq":"99","action":"query")");
    CHECK(a.expect("99", "rejected").at("reason") == "unknown_seq");
}
