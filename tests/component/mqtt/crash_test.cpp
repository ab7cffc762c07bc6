#include "tests/component/mqtt/fixture.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace liftwarden;
using namespace liftwarden::test;

namespace {

// A process of its own with a connected gateway, for being killed: this very test program, running
// the hidden test below.
ProcessOptions gateway_process(std::uint16_t port, const std::string& mode, const TempDir& dir) {
    return {{"/proc/self/exe", "mqtt child: a gateway that is going to be killed"},
            {{"LIFTWARDEN_TEST_PORT", std::to_string(port)},
             {"LIFTWARDEN_TEST_MODE", mode},
             {"LIFTWARDEN_TEST_MARK", dir.file("mark")}},
            dir.file("log"),
            dir.file("log")};
}

mqtt::MqttOptions child_options(std::uint16_t port) {
    mqtt::MqttOptions options = gateway_options(port);
    options.will = mqtt::Will{"lift/dc/gateway/gw-01", "will", true, 0s};
    return options;
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

}  // namespace

TEST_CASE("mqtt child: a gateway that is going to be killed", "[.child]") {
    const std::string mark = environment("LIFTWARDEN_TEST_MARK");
    if (mark.empty()) {
        return;  // selected by hand: it is only the body of a child process
    }
    const auto port = static_cast<std::uint16_t>(std::stoi(environment("LIFTWARDEN_TEST_PORT")));
    const bool hang = environment("LIFTWARDEN_TEST_MODE") == "hang in receive";
    Gateway gateway(child_options(port), [&](const ports::InboundMessage& got) {
        write_file(mark, got.payload);
        if (hang) {
            std::this_thread::sleep_for(1h);
        }
    });
    REQUIRE(gateway.inbox.wait_for_online());
    write_file(mark, "online");
    std::this_thread::sleep_for(1h);
}

TEST_CASE("mqtt: a command whose receipt did not return is delivered again after a kill",
          "[mqtt][crash]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    TempDir dir;
    Process child(gateway_process(broker.port(), "hang in receive", dir));
    REQUIRE(wait_until([&] { return read_file(dir.file("mark")) == "online"; }));
    // The broker takes all three; the gateway hangs in the first.
    for (const char* payload : {"1", "2", "3"}) {
        REQUIRE(node.publish({command_topic, payload, false, {}}) == 0U);
    }
    REQUIRE(wait_until([&] { return read_file(dir.file("mark")) == "1"; }));
    child.kill();

    Gateway successor(child_options(broker.port()));
    REQUIRE(successor.inbox.wait_for_count(3));
    const auto got = successor.inbox.messages();
    CHECK(got.at(0).payload == "1");
    CHECK(got.at(1).payload == "2");
    CHECK(got.at(2).payload == "3");
    CHECK(got.at(0).away == core::Duration::max());
}

TEST_CASE("mqtt: a command whose receipt returned is not delivered again after a kill",
          "[mqtt][crash]") {
    Mosquitto broker;
    MqttPeer node(broker.port(), "node-a");
    TempDir dir;
    Process child(gateway_process(broker.port(), "quick", dir));
    REQUIRE(wait_until([&] { return read_file(dir.file("mark")) == "online"; }));
    REQUIRE(node.publish({command_topic, "1", false, {}}) == 0U);
    REQUIRE(wait_until(
        [&] { return broker.log().find("Received PUBACK from gw-01") != std::string::npos; }));
    child.kill();
    Gateway successor(child_options(broker.port()));
    REQUIRE(successor.inbox.wait_for_online());
    REQUIRE(node.publish({command_topic, "2", false, {}}) == 0U);
    REQUIRE(successor.inbox.wait_for_count(1));
    CHECK(successor.inbox.messages().at(0).payload == "2");
}

TEST_CASE("mqtt: the will is said when the process is killed", "[mqtt][crash]") {
    Mosquitto broker;
    MqttPeer observer(broker.port(), "observer");
    observer.subscribe("lift/dc/gateway/+");
    TempDir dir;
    Process child(gateway_process(broker.port(), "quick", dir));
    REQUIRE(wait_until([&] { return read_file(dir.file("mark")) == "online"; }));
    child.kill();
    const auto will =
        observer.wait_for([](const PeerMessage& got) { return got.payload == "will"; });
    REQUIRE(will);
    CHECK(will->topic == "lift/dc/gateway/gw-01");
    CHECK(will->retained);
}
