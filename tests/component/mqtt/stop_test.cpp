#include "tests/component/mqtt/fake_broker.hpp"
#include "tests/component/mqtt/fixture.hpp"
#include "tests/support/net.hpp"

#include <catch2/catch.hpp>

#include <future>

using namespace liftwarden;
using namespace liftwarden::test;

namespace {

// What the daemon promises; the machine may be busy.
constexpr Millis stop_limit{2000};
constexpr Millis patience{1900};

template <class Call>
Millis duration_of(Call call) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now() - begin);
}

mqtt::MqttOptions with_will(std::uint16_t port) {
    mqtt::MqttOptions options = gateway_options(port);
    options.will = mqtt::Will{"lift/dc/gateway/gw-01", "will", true, 0s};
    return options;
}

}  // namespace

TEST_CASE("mqtt: an orderly stop says farewell and the will stays quiet", "[mqtt][stop]") {
    Mosquitto broker;
    MqttPeer observer(broker.port(), "observer");
    observer.subscribe("lift/dc/#");
    Gateway gateway(with_will(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    Outcomes outcomes;
    for (int index = 0; index < 50; ++index) {
        gateway.broker.publish(message("lift/dc/r", "last words"), outcomes.done());
    }
    const Millis took = duration_of([&] {
        CHECK(gateway.broker.stop(ports::OutboundMessage{
            "lift/dc/gateway/gw-01", "stopped", true, std::nullopt, std::nullopt}));
    });
    CHECK(took < stop_limit);
    CHECK(outcomes.delivered == 50);
    REQUIRE(observer.wait_for([](const PeerMessage& got) { return got.payload == "stopped"; }));
    // The broker tells when it has handled our end; a will would have been sent by then.
    REQUIRE(wait_until(
        [&] { return broker.log().find("Client gw-01 disconnected") != std::string::npos; }));
    REQUIRE(observer.publish({"lift/dc/last", "", false, {}}).has_value());
    REQUIRE(observer.wait_for([](const PeerMessage& got) { return got.topic == "lift/dc/last"; }));
    CHECK_FALSE(
        observer.wait_for([](const PeerMessage& got) { return got.payload == "will"; }, 0ms));
    CHECK(gateway.inbox.offlines == 1);
}

TEST_CASE("mqtt: after a stop publications are refused and a second stop does nothing",
          "[mqtt][stop]") {
    Mosquitto broker;
    Gateway gateway(with_will(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    CHECK(gateway.broker.stop());
    Outcomes outcomes;
    gateway.broker.publish(message("r", "x"), outcomes.done());
    CHECK(outcomes.refused == 1);
    CHECK(gateway.broker.stop());
}

TEST_CASE("mqtt: stopping does not wait for a broker that is frozen", "[mqtt][stop]") {
    Mosquitto broker;
    Outcomes outcomes;
    Gateway gateway(with_will(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    broker.pause();
    for (int index = 0; index < 100; ++index) {
        gateway.broker.publish(message("r", std::string(4000, 'x')), outcomes.done());
    }
    CHECK(duration_of([&] { CHECK(gateway.broker.stop({}, patience)); }) < stop_limit);
    CHECK(wait_until([&] { return outcomes.total() == 100; }));
    CHECK(outcomes.refused == 100);
}

TEST_CASE("mqtt: a farewell that the frozen broker could not confirm is still said",
          "[mqtt][stop]") {
    Mosquitto broker;
    MqttPeer observer(broker.port(), "observer");
    observer.subscribe("lift/dc/gateway/+");
    Gateway gateway(with_will(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    broker.pause();
    CHECK(gateway.broker.stop({}, patience));
    broker.resume();
    CHECK(observer.wait_for([](const PeerMessage& got) { return got.payload == "will"; }));
}

TEST_CASE("mqtt: stopping does not wait for a broker that is not there", "[mqtt][stop]") {
    const SilentServer silent;
    const bool accepts = GENERATE(true, false);
    const std::uint16_t port = accepts ? silent.port() : free_port();
    Gateway gateway(with_will(port));
    REQUIRE(wait_until([&] { return gateway.broker.heartbeats() > 2; }));
    CHECK(duration_of([&] { CHECK(gateway.broker.stop({}, patience)); }) < stop_limit);
}

TEST_CASE("mqtt: stopping at once after the start is as quick", "[mqtt][stop]") {
    Mosquitto broker;
    for (int round = 0; round < 5; ++round) {
        Gateway gateway(with_will(broker.port()));
        CHECK(duration_of([&] { CHECK(gateway.broker.stop({}, patience)); }) < stop_limit);
    }
}

TEST_CASE("mqtt: a receipt that hangs does not hold up the stop, and is named", "[mqtt][stop]") {
    Mosquitto broker;
    std::promise<void> entered;
    std::promise<void> may_go;
    MqttPeer node(broker.port(), "node-a");
    Gateway gateway(with_will(broker.port()), [&](const ports::InboundMessage&) {
        entered.set_value();
        may_go.get_future().wait();
    });
    REQUIRE(gateway.inbox.wait_for_online());
    REQUIRE(node.publish({command_topic, "stuck", false, {}}) == 0U);
    entered.get_future().wait();
    CHECK(duration_of([&] { CHECK_FALSE(gateway.broker.stop()); }) < stop_limit);
    may_go.set_value();
    // The thread left behind still uses the clock: it has to be gone before this scope is.
    CHECK(wait_until([&] {
        return broker.log().find("Client gw-01 disconnected") != std::string::npos ||
               broker.log().find("Client gw-01 closed its connection") != std::string::npos;
    }));
    const std::uint64_t beats = gateway.broker.heartbeats();
    CHECK_FALSE(wait_until([&] { return gateway.broker.heartbeats() != beats; }, 700ms));
}

TEST_CASE("mqtt: a message that arrives while stopping reaches the inbox", "[mqtt][stop]") {
    Mosquitto broker;
    std::promise<void> entered;
    std::promise<void> may_go;
    MqttPeer node(broker.port(), "node-a");
    Gateway gateway(with_will(broker.port()), [&](const ports::InboundMessage&) {
        entered.set_value();
        may_go.get_future().wait();
    });
    REQUIRE(gateway.inbox.wait_for_online());
    REQUIRE(node.publish({command_topic, "late", false, {}}) == 0U);
    entered.get_future().wait();
    std::thread release([&] {
        std::this_thread::sleep_for(200ms);  // stop() is under way by then; either way it must hold
        may_go.set_value();
    });
    CHECK(gateway.broker.stop());
    release.join();
    CHECK(gateway.inbox.messages().size() == 1);
}
