#include "tests/component/mqtt/fixture.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::test;

TEST_CASE("mqtt: a command arrives with everything its sender attached", "[mqtt]") {
    Mosquitto broker;
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    MqttPeer node(broker.port(), "node-a");

    PeerPublish command{command_topic, R"({"seq":"1"})", false, {}};
    command.properties.expiry_s = 60;
    command.properties.response_topic = "lift/dc/reply/node-a/1";
    command.properties.correlation = std::string("\x00\x01\xff", 3);
    const core::TimePoint before = gateway.clock.now();
    REQUIRE(node.publish(command) == 0U);

    REQUIRE(gateway.inbox.wait_for_count(1));
    const ports::InboundMessage got = gateway.inbox.messages().at(0);
    CHECK(got.topic == command_topic);
    CHECK(got.payload == command.payload);
    CHECK_FALSE(got.retained);
    CHECK(got.expiry == std::chrono::seconds{60});
    CHECK(got.response_topic == command.properties.response_topic);
    CHECK(got.correlation == command.properties.correlation);
    CHECK(got.received_at >= before);
    CHECK(got.received_at <= gateway.clock.now());
    CHECK_FALSE(got.away.has_value());
    CHECK(gateway.broker.status().received == 1);
}

TEST_CASE("mqtt: a command without properties has none", "[mqtt]") {
    Mosquitto broker;
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    MqttPeer node(broker.port(), "node-a");
    REQUIRE(node.publish({command_topic, "", false, {}}) == 0U);
    REQUIRE(gateway.inbox.wait_for_count(1));
    const ports::InboundMessage got = gateway.inbox.messages().at(0);
    CHECK(got.payload.empty());
    CHECK_FALSE(got.expiry.has_value());
    CHECK_FALSE(got.response_topic.has_value());
    CHECK_FALSE(got.correlation.has_value());
}

TEST_CASE("mqtt: a live command with the retain flag shows it", "[mqtt][retained]") {
    Mosquitto broker;
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    MqttPeer node(broker.port(), "node-a");
    REQUIRE(node.publish({command_topic, "kept", true, {}}) == 0U);
    REQUIRE(node.publish({command_topic, "not kept", false, {}}) == 0U);
    REQUIRE(gateway.inbox.wait_for_count(2));
    CHECK(gateway.inbox.messages().at(0).retained);
    CHECK_FALSE(gateway.inbox.messages().at(1).retained);
}

TEST_CASE("mqtt: a stored command is not replayed at connect, a stored heartbeat is",
          "[mqtt][retained][M17][B24]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    REQUIRE(node.publish({command_topic, "old command", true, {}}).has_value());
    REQUIRE(node.publish({"lift/dc/node/node-a", "ok", true, {}}).has_value());
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    REQUIRE(node.publish({command_topic, "live command", false, {}}) == 0U);
    REQUIRE(gateway.inbox.wait_for_count(2));
    const auto got = gateway.inbox.messages();
    CHECK(got.at(0).payload == "ok");
    CHECK(got.at(0).retained);
    CHECK(got.at(1).payload == "live command");
}

TEST_CASE("mqtt: 3.1.1 delivers commands, and a replayed one shows the retain flag",
          "[mqtt][retained]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    REQUIRE(node.publish({command_topic, "old command", true, {}}).has_value());
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.version = 4;
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    REQUIRE(node.publish({command_topic, "live command", false, {}}) == 0U);
    REQUIRE(gateway.inbox.wait_for_count(2));
    const auto got = gateway.inbox.messages();
    CHECK(got.at(0).payload == "old command");
    CHECK(got.at(0).retained);
    CHECK(got.at(1).payload == "live command");
    CHECK_FALSE(got.at(1).retained);
    CHECK(broker.log().find("gw-01 (p2, c0, k30") != std::string::npos);
}
