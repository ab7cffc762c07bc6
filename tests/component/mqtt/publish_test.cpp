#include "tests/component/mqtt/fake_broker.hpp"
#include "tests/component/mqtt/fixture.hpp"
#include "tests/support/net.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::test;

TEST_CASE("mqtt: a result arrives with its properties and is confirmed", "[mqtt][publish]") {
    Mosquitto broker;
    Gateway gateway(gateway_options(broker.port()));
    MqttPeer node(broker.port(), "node-a");
    node.subscribe("lift/dc/#");
    REQUIRE(gateway.inbox.wait_for_online());

    Outcomes outcomes;
    gateway.broker.publish({"lift/dc/EL001/result/node-a", "{}", false, 15s, "corr"},
                           outcomes.done());
    gateway.broker.publish({"lift/dc/EL001/state", "{1}", true, std::nullopt, std::nullopt},
                           outcomes.done());
    REQUIRE(wait_until([&] { return outcomes.delivered == 2; }));
    REQUIRE(node.wait_for([](const PeerMessage& got) { return got.payload == "{1}"; }));
    const auto got = node.messages();
    CHECK(got.at(0).topic == "lift/dc/EL001/result/node-a");
    CHECK_FALSE(got.at(0).retained);
    CHECK(got.at(0).properties.expiry_s.value_or(0) >= 14);
    CHECK(got.at(0).properties.correlation == "corr");
    CHECK(got.at(1).retained);
    CHECK(gateway.broker.status().published == 2);
}

TEST_CASE("mqtt: offline, a publication is refused at once", "[mqtt][publish]") {
    Gateway gateway(gateway_options(free_port()));
    Outcomes outcomes;
    gateway.broker.publish(message("a", "b"), outcomes.done());
    CHECK(outcomes.refused == 1);
    CHECK(gateway.broker.status().dropped == 0);
    CHECK_FALSE(gateway.broker.status().online);
}

TEST_CASE("mqtt: many publications arrive complete and in order", "[mqtt][publish]") {
    Mosquitto broker;
    Gateway gateway(gateway_options(broker.port()));
    MqttPeer node(broker.port(), "node-a");
    node.subscribe("r");
    REQUIRE(gateway.inbox.wait_for_online());
    Outcomes outcomes;
    constexpr int count = 1000;
    for (int index = 0; index < count; ++index) {
        gateway.broker.publish(message("r", std::to_string(index)), outcomes.done());
    }
    REQUIRE(wait_until([&] { return outcomes.total() == count; }));
    CHECK(outcomes.delivered == count);
    REQUIRE(wait_until([&] { return node.messages().size() == count; }));
    const auto got = node.messages();
    for (int index = 0; index < count; ++index) {
        REQUIRE(got.at(static_cast<std::size_t>(index)).payload == std::to_string(index));
    }
}

TEST_CASE("mqtt: a publication the broker forbids is not delivered", "[mqtt][publish]") {
    MosquittoOptions setup;
    setup.acl = "topic read #\ntopic write allowed\n";
    Mosquitto broker(setup);
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    Outcomes outcomes;
    gateway.broker.publish(message("forbidden", "x"), outcomes.done());
    REQUIRE(wait_until([&] { return outcomes.total() == 1; }));
    CHECK(outcomes.refused == 1);
    CHECK(gateway.broker.status().last_error.find("Not authorized") != std::string::npos);
    gateway.broker.publish(message("allowed", "x"), outcomes.done());
    REQUIRE(wait_until([&] { return outcomes.delivered == 1; }));
}

TEST_CASE("mqtt: no more than the window is unconfirmed, and the queue has an end",
          "[mqtt][publish]") {
    ScriptedBroker broker;
    broker.acknowledging = false;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.queue_limit = 50;
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    Outcomes outcomes;
    for (int index = 0; index < 20; ++index) {
        gateway.broker.publish(message("r", "x"), outcomes.done());
    }
    REQUIRE(wait_until([&] { return broker.publishes() == 20; }));
    for (int index = 0; index < 60; ++index) {
        gateway.broker.publish(message("r", "x"), outcomes.done());
    }
    CHECK(outcomes.refused == 10);
    CHECK(gateway.broker.status().dropped == 10);

    broker.acknowledge(5);
    REQUIRE(wait_until([&] { return outcomes.delivered == 5; }));
    REQUIRE(wait_until([&] { return broker.publishes() == 25; }));
    broker.acknowledging = true;
    broker.acknowledge(20);
    REQUIRE(wait_until([&] { return outcomes.delivered == 70; }));
    CHECK(broker.publishes() == 70);
}

TEST_CASE("mqtt: what is unconfirmed or waiting when the link drops was not delivered",
          "[mqtt][publish]") {
    ScriptedBroker broker;
    broker.acknowledging = false;
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    Outcomes outcomes;
    for (int index = 0; index < 30; ++index) {
        gateway.broker.publish(message("r", "x"), outcomes.done());
    }
    REQUIRE(wait_until([&] { return broker.publishes() == 20; }));
    broker.hang_up();
    REQUIRE(wait_until([&] { return outcomes.total() == 30; }));
    CHECK(outcomes.refused == 30);
    CHECK(wait_until([&] { return gateway.inbox.offlines == 1; }));
    // The next connection begins with none of them.
    REQUIRE(gateway.inbox.wait_for_online(2));
    gateway.broker.publish(message("r", "new"), outcomes.done());
    REQUIRE(wait_until([&] { return broker.publishes() == 21; }));
    broker.acknowledge(1000);
    CHECK(broker.publishes() == 21);
}
