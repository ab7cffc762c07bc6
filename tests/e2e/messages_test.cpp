// What a dispatch node may publish, and what becomes of everything else.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

struct Bad {
    const char* payload;
    const char* reason;
};

// Each is published as it stands; `seq` is readable where it says "s".
const std::vector<Bad> bad_payloads{
    {"", "bad_json"},
    {"hello", "bad_json"},
    {"[]", "bad_json"},
    {R"({"seq":"s","action":"car_call","floor":"2")", "bad_json"},
    {R"({"seq":"s","seq":"t","action":"car_call","floor":"2"})", "bad_json"},
    {R"({"seq":"s","action":"car_call","floor":"2","x":[[[[[[[[[1]]]]]]]]]})", "bad_json"},
    {R"({"action":"car_call","floor":"2"})", "bad_field"},
    {R"({"seq":"","action":"car_call","floor":"2"})", "bad_field"},
    {R"({"seq":"a b","action":"car_call","floor":"2"})", "bad_field"},
    {R"({"seq":-1,"action":"car_call","floor":"2"})", "bad_field"},
    {R"({"seq":1.5,"action":"car_call","floor":"2"})", "bad_field"},
    {R"({"seq":"s"})", "bad_field"},
    {R"({"seq":"s","action":"fly"})", "unsupported_action"},
    {R"({"seq":"s","action":"car_call"})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":2})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":"99"})", "unknown_floor"},
    {R"({"seq":"s","action":"car_call","floor":"2","door":"rear"})", "bad_field"},
    {R"({"seq":"s","action":"hall_call","floor":"2","direction":"up"})", "unsupported_action"},
    {R"({"seq":"s","action":"hold_door"})", "bad_field"},
    {R"({"seq":"s","action":"hold_door","seconds":0})", "bad_field"},
    {R"({"seq":"s","action":"hold_door","seconds":61})", "bad_field"},
    {R"({"seq":"s","action":"set_mode","mode":"party"})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":"2","ttl_ms":99})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":"2","ttl_ms":1e3})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":"2","wait":"no"})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":"2","source":"node-z"})", "source_mismatch"},
    {R"({"seq":"s","action":"car_call","floor":"2","elevator":"EL999"})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":"2","type":"result"})", "bad_field"},
    {R"({"seq":"s","action":"car_call","floor":"2","issued_at":"yesterday"})", "bad_field"},
};

}  // namespace

TEST_CASE("bad payloads are refused with their reason, and rightful commands still served",
          "[e2e][B31]") {
    Site site;
    Node node(site, "node-a");
    for (const Bad& bad : bad_payloads) {
        node.peer().clear();
        node.send_raw(bad.payload);
        INFO(bad.payload);
        REQUIRE(wait_until([&] { return !node.results().empty(); }));
        const auto result = node.results().front();
        CHECK(result.at("status") == "rejected");
        CHECK(result.at("reason") == bad.reason);
        CHECK(result.at("final").as_bool());
        CHECK_FALSE(result.at("detail").as_string().empty());
    }
    node.send_raw(std::string(9000, ' '));
    REQUIRE(wait_until([&] {
        const auto all = node.results();
        return !all.empty() && all.back().at("reason") == "too_large";
    }));
    node.send(R"("seq":"good","action":"car_call","floor":"2")");
    CHECK(node.final_of("good").at("status") == "acked");
    CHECK(site.truth().executed().size() == 1);
    CHECK(site.daemon().running());
}

TEST_CASE("a refusal before the journal is not remembered: the same seq may be sent again",
          "[e2e]") {
    Site site;
    Node node(site, "node-a");
    node.send(R"("seq":"1","action":"car_call","floor":"99")");
    CHECK(node.expect("1", "rejected").at("reason") == "unknown_floor");
    node.send(R"("seq":"1","action":"car_call","floor":"2")");
    node.expect("1", "acked");
}

TEST_CASE("a retained command is refused, also on the next start", "[e2e][M17][B24][B25]") {
    Site site;
    Node node(site, "node-a");
    const std::string command = R"({"seq":"1","action":"car_call","floor":"2"})";
    node.send_raw(command, true);
    CHECK(node.expect("1", "rejected").at("reason") == "retained");
    site.crash_daemon();
    site.wait_ready();
    node.send(R"("seq":"2","action":"car_call","floor":"3")");
    node.expect("2", "acked");
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 3"});
    node.send_raw("", true);
}

TEST_CASE("a response topic of the same source gets a copy with the correlation data", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    node.peer().subscribe("lift/test/reply/#");
    MqttProperties properties;
    properties.response_topic = "lift/test/reply/node-a/inbox";
    properties.correlation = std::string("\x01\x00z", 3);
    node.peer().publish({"lift/test/EL001/dispatch/node-a",
                         R"({"seq":"1","action":"car_call","floor":"2"})",
                         false,
                         properties});
    const auto copy = node.peer().wait_for([](const PeerMessage& message) {
        return message.topic == "lift/test/reply/node-a/inbox" &&
               message.payload.find("acked") != std::string::npos;
    });
    REQUIRE(copy);
    CHECK(copy->properties.correlation == properties.correlation);

    properties.response_topic = "lift/test/reply/node-b/inbox";
    node.peer().publish({"lift/test/EL001/dispatch/node-a",
                         R"({"seq":"2","action":"release"})",
                         false,
                         properties});
    node.expect("2", "acked");
    CHECK_FALSE(node.peer().wait_for(
        [](const PeerMessage& message) { return message.topic == "lift/test/reply/node-b/inbox"; },
        300ms));
}

TEST_CASE("message expiry lowers the TTL", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:busy:always");
    MqttProperties properties;
    properties.expiry_s = 1;
    node.send(R"("seq":"1","action":"car_call","floor":"2")", properties);
    CHECK(node.final_of("1", 5s).at("status") == "expired");
}

TEST_CASE("a TTL that ends while others are served is expired and never written", "[e2e]") {
    Site site;
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(R"("seq":"1","action":"car_call","floor":"4")");
    a.expect("1", "acked");
    b.send(R"("seq":"2","action":"car_call","floor":"1","ttl_ms":500)");
    const auto expired = b.final_of("2");
    CHECK(expired.at("status") == "expired");
    CHECK(expired.at("reason") == "ttl");
    a.expect("1", "served", 30s);
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 4"});
}

TEST_CASE("wait:false is refused with elevator_busy where the table says wait", "[e2e]") {
    Site site;
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(R"("seq":"1","action":"car_call","floor":"4")");
    a.expect("1", "acked");
    b.send(R"("seq":"2","action":"car_call","floor":"1","wait":false)");
    const auto refused = b.final_of("2");
    CHECK(refused.at("reason") == "elevator_busy");
    CHECK(std::string{refused.at("detail").as_string()}.find("node-a") != std::string::npos);
}

TEST_CASE("queue limits: a source's share, then the depth, are refused by name", "[e2e][C42]") {
    SiteOptions options;
    options.file_keys = {"queue: {depth: 6}"};
    Site site(options);
    Node a(site, "node-a");
    Node b(site, "node-b");
    Node owner(site, "owner");
    owner.send(R"("seq":"o1","action":"car_call","floor":"4")");
    owner.expect("o1", "acked");
    for (int i = 0; i < 4; ++i) {
        a.send(R"("action":"car_call","floor":"2","task":"t)" + std::to_string(i) +
               R"(","seq":"a)" + std::to_string(i) + "\"");
    }
    CHECK(a.expect("a3", "rejected").at("reason") == "source_quota");
    for (int i = 0; i < 3; ++i) {
        b.send(R"("action":"car_call","floor":"3","task":"t)" + std::to_string(i) +
               R"(","seq":"b)" + std::to_string(i) + "\"");
    }
    CHECK(b.expect("b2", "rejected").at("reason") == "queue_full");
    owner.send(R"("seq":"o2","action":"release")");
    CHECK(owner.final_of("o2").at("status") == "acked");
    CHECK(site.last("EL001", "session").at("queue").as_array().size() <= 6);
}

TEST_CASE("several elevators on one endpoint are served side by side", "[e2e]") {
    SiteOptions options;
    options.elevators = {"EL001", "EL002", "EL003"};
    Site site(options);
    Node one(site, "node-a", "EL001");
    Node two(site, "node-b", "EL002");
    Node three(site, "node-c", "EL003");
    one.send(R"("seq":"1","action":"car_call","floor":"2")");
    two.send(R"("seq":"1","action":"car_call","floor":"3")");
    three.send(R"("seq":"1","action":"car_call","floor":"4")");
    one.expect("1", "served", 20s);
    two.expect("1", "served", 20s);
    three.expect("1", "served", 20s);
    const SimLog truth = site.truth();
    CHECK(truth.executed("EL001") == std::vector<std::string>{"car_call 2"});
    CHECK(truth.executed("EL002") == std::vector<std::string>{"car_call 3"});
    CHECK(truth.executed("EL003") == std::vector<std::string>{"car_call 4"});
}

TEST_CASE("MQTT 3.1.1 by configuration serves the same commands", "[e2e]") {
    SiteOptions options;
    options.mqtt_keys = "version: 3.1.1";
    Site site(options);
    Node node(site, "node-a");
    node.send(R"("seq":"1","action":"car_call","floor":"2")");
    node.expect("1", "served", 20s);
}
