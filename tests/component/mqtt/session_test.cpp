#include "tests/component/mqtt/fake_broker.hpp"
#include "tests/component/mqtt/fixture.hpp"
#include "tests/support/net.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::test;

namespace {

// Publishes without minding whether anybody listens (16: no subscriber).
void send(MqttPeer& node, const std::string& payload) {
    const auto code = node.publish({command_topic, payload, false, {}});
    REQUIRE(code.has_value());
    REQUIRE(*code < 0x80U);
}

}  // namespace

TEST_CASE("mqtt: what came while the gateway was stopped arrives at its return, marked",
          "[mqtt][session]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.version = GENERATE(5, 4);
    CAPTURE(options.settings.version);
    {
        Gateway gateway(options);
        REQUIRE(gateway.inbox.wait_for_online());
        REQUIRE(gateway.broker.stop());
    }
    send(node, "stored");
    SECTION("for an unknown time") {
        Gateway gateway(options);
        REQUIRE(gateway.inbox.wait_for_count(1));
        CHECK(gateway.inbox.messages().at(0).payload == "stored");
        CHECK(gateway.inbox.messages().at(0).away == core::Duration::max());
    }
    SECTION("for a known time") {
        options.contact = system::SystemClock{}.now() - std::chrono::seconds{42};
        Gateway gateway(options);
        REQUIRE(gateway.inbox.wait_for_count(1));
        const auto away = gateway.inbox.messages().at(0).away;
        REQUIRE(away.has_value());
        CHECK(*away >= core::Duration{std::chrono::seconds{42}});
        CHECK(*away < core::Duration{std::chrono::minutes{2}});
    }
}

TEST_CASE("mqtt: the wait for a broker at the start counts as absence", "[mqtt][session]") {
    MosquittoOptions setup;
    setup.persistence = true;
    Mosquitto broker(setup);
    mqtt::MqttOptions options = gateway_options(broker.port());
    {
        Gateway gateway(options);
        REQUIRE(gateway.inbox.wait_for_online());
    }
    broker.stop();
    options.contact = system::SystemClock{}.now();
    Gateway gateway(options);
    REQUIRE(wait_until([&] { return !gateway.broker.status().last_error.empty(); }));
    const core::Duration waited = gateway.clock.now() - *options.contact;
    broker.start();
    REQUIRE(gateway.inbox.wait_for_online());
    MqttPeer node(broker.port(), "node-a");
    send(node, "stored");
    REQUIRE(gateway.inbox.wait_for_count(1));
    const auto away = gateway.inbox.messages().at(0).away;
    REQUIRE(away.has_value());
    CHECK(*away >= waited);
}

TEST_CASE("mqtt: contact moves on with the broker, but not past what may still be stored",
          "[mqtt][session]") {
    Mosquitto broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.poke = Millis{50};
    const auto contact_after = [](const Gateway& gateway, core::TimePoint moment) {
        const auto contact = gateway.broker.status().contact;
        return contact && *contact > moment;
    };
    const core::TimePoint before = system::SystemClock{}.now();
    {
        Gateway gateway(options);  // a fresh session: nothing is stored
        REQUIRE(gateway.inbox.wait_for_online());
        CHECK(contact_after(gateway, before));
        const core::TimePoint online = gateway.clock.now();
        CHECK(wait_until([&] { return contact_after(gateway, online); }));
    }
    options.contact = before;
    options.away_window = Millis{1000};
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    const core::TimePoint online = gateway.clock.now();
    const auto early = gateway.broker.status().contact;
    if (gateway.clock.now() - online < Millis{500}) {  // else the machine was too slow to look
        CHECK(early == before);
    }
    CHECK(wait_until([&] { return contact_after(gateway, online); }));
}

TEST_CASE("mqtt: the mark ends with its window", "[mqtt][session]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.away_window = Millis{300};
    {
        Gateway gateway(options);
        REQUIRE(gateway.inbox.wait_for_online());
    }
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    send(node, "early");
    REQUIRE(gateway.inbox.wait_for_count(1));
    REQUIRE(wait_until([&] {
        send(node, "later");
        return gateway.inbox.wait_for_count(1) && !gateway.inbox.messages().back().away;
    }));
    CHECK(gateway.inbox.messages().front().away.has_value());
}

TEST_CASE("mqtt: a fresh session marks nothing", "[mqtt][session]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    send(node, "live");
    REQUIRE(gateway.inbox.wait_for_count(1));
    CHECK_FALSE(gateway.inbox.messages().at(0).away.has_value());
}

TEST_CASE("mqtt: a session that expired leaves nothing behind", "[mqtt][session]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.session_expiry = std::chrono::seconds{1};
    {
        Gateway gateway(options);
        REQUIRE(gateway.inbox.wait_for_online());
    }
    // The broker's answer tells when nobody is subscribed any more.
    REQUIRE(wait_until(
        [&] {
            return node.publish({command_topic, "while away", false, {}}) == 16U;
        },
        15s));
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    send(node, "live");
    REQUIRE(gateway.inbox.wait_for_count(1));
    CHECK(gateway.inbox.messages().at(0).payload == "live");
}

TEST_CASE("mqtt: a missing broker is waited for", "[mqtt][session]") {
    Mosquitto broker;
    broker.stop();
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(wait_until([&] { return !gateway.broker.status().last_error.empty(); }));
    CHECK_FALSE(gateway.broker.status().online);
    broker.start();
    REQUIRE(gateway.inbox.wait_for_online());
    CHECK(gateway.broker.status().online);
    CHECK(gateway.broker.status().connects == 1);
}

TEST_CASE("mqtt: a broker that is killed and comes back with its state is used again",
          "[mqtt][session]") {
    MosquittoOptions setup;
    setup.persistence = true;
    Mosquitto broker(setup);
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    broker.stop();
    REQUIRE(wait_until([&] { return gateway.inbox.offlines == 1; }));
    broker.start();
    REQUIRE(gateway.inbox.wait_for_online(2));
    MqttPeer node(broker.port(), "node-a");
    send(node, "after");
    REQUIRE(gateway.inbox.wait_for_count(1));
    const auto away = gateway.inbox.messages().at(0).away;
    REQUIRE(away.has_value());
    CHECK(*away < core::Duration{std::chrono::seconds{10}});
}

TEST_CASE("mqtt: a broker that comes back without its state gets the subscriptions anew",
          "[mqtt][session]") {
    Mosquitto broker;
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    Outcomes outcomes;
    broker.kill();
    for (int round = 2; round <= 4; ++round) {
        REQUIRE(wait_until([&] { return gateway.inbox.offlines == round - 1; }));
        gateway.broker.publish(message("r", "lost"), outcomes.done());
        CHECK(outcomes.refused == round - 1);
        broker.start();
        REQUIRE(gateway.inbox.wait_for_online(round));
        MqttPeer node(broker.port(), "node-a");
        send(node, std::to_string(round));
        REQUIRE(gateway.inbox.wait_for_count(static_cast<std::size_t>(round) - 1));
        CHECK(gateway.inbox.messages().back().payload == std::to_string(round));
        CHECK_FALSE(gateway.inbox.messages().back().away.has_value());
        broker.kill();
    }
    CHECK(gateway.broker.status().connects == 4);
}

TEST_CASE("mqtt: a broker that falls silent is given up and found again", "[mqtt][session]") {
    Mosquitto broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.poke = Millis{100};
    options.silence_limit = Millis{600};
    options.connect_timeout = Millis{5000};
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    broker.pause();
    CHECK(wait_until([&] { return gateway.inbox.offlines == 1; }));
    CHECK(gateway.broker.status().last_error.find("does not answer") != std::string::npos);
    broker.resume();
    CHECK(gateway.inbox.wait_for_online(2));
}

TEST_CASE("mqtt: an idle link is asked again and again, and holds", "[mqtt][session]") {
    Mosquitto broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.version = GENERATE(5, 4);
    CAPTURE(options.settings.version);
    options.poke = Millis{50};
    options.silence_limit = Millis{1000};
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    const auto answers = [&] {
        const std::string log = broker.log();
        int count = 0;
        for (std::size_t at = 0;
             (at = log.find("Sending UNSUBACK to gw-01", at)) != std::string::npos;
             ++at) {
            ++count;
        }
        return count;
    };
    CHECK(wait_until([&] { return answers() >= 30; }));
    CHECK(gateway.inbox.offlines == 0);
}

TEST_CASE("mqtt: what was stored keeps its age when the first connection after it was short",
          "[mqtt][session]") {
    ScriptedBroker broker;
    broker.session_present = true;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.contact = system::SystemClock{}.now() - std::chrono::minutes{10};
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    broker.hang_up();
    REQUIRE(gateway.inbox.wait_for_online(2));
    broker.deliver(command_topic, "stored");
    REQUIRE(gateway.inbox.wait_for_count(1));
    const auto away = gateway.inbox.messages().at(0).away;
    REQUIRE(away.has_value());
    CHECK(*away >= core::Duration{std::chrono::minutes{10}});
    CHECK(*away < core::Duration{std::chrono::minutes{11}});
}

TEST_CASE("mqtt: the heartbeat goes on online, offline and while connecting", "[mqtt][session]") {
    Mosquitto broker;
    SilentServer silent;
    Gateway online(gateway_options(broker.port()));
    Gateway offline(gateway_options(free_port()));
    Gateway connecting(gateway_options(silent.port()));
    for (const Gateway* gateway : {&online, &offline, &connecting}) {
        const std::uint64_t before = gateway->broker.heartbeats();
        CHECK(wait_until([&] { return gateway->broker.heartbeats() > before + 3; }));
    }
}
