#include "tests/component/mqtt/fake_broker.hpp"
#include "tests/component/mqtt/fixture.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::test;

namespace {

// The variable header and payload of CONNECT, MQTT 5 section 3.1.
struct Connect {
    unsigned flags = 0;
    unsigned keepalive = 0;
    std::optional<std::uint32_t> session_expiry;
    std::optional<unsigned> receive_maximum;
    std::optional<std::uint32_t> will_delay;
    std::string client_id, will_topic, will_payload, username, password;
};

Connect decode(const std::string& body) {
    wire::Reader reader(body);
    Connect connect;
    REQUIRE(reader.text() == "MQTT");
    REQUIRE(reader.u8() == 5);
    connect.flags = reader.u8();
    connect.keepalive = reader.u16();
    std::size_t left = reader.length();
    while (left > 0) {
        switch (const unsigned id = reader.u8()) {
            case 17:
                connect.session_expiry = reader.u32();
                left -= 5;
                break;
            case 33:
                connect.receive_maximum = reader.u16();
                left -= 3;
                break;
            case 39:
                reader.u32();
                left -= 5;
                break;
            default:
                FAIL("unexpected property " << id);
        }
    }
    connect.client_id = reader.text();
    if ((connect.flags & 0x04U) != 0) {
        if (reader.length() == 5) {
            REQUIRE(reader.u8() == 24);
            connect.will_delay = reader.u32();
        }
        connect.will_topic = reader.text();
        connect.will_payload = reader.text();
    }
    connect.username = (connect.flags & 0x80U) != 0 ? reader.text() : "";
    connect.password = (connect.flags & 0x40U) != 0 ? reader.text() : "";
    CHECK(reader.at_end());
    return connect;
}

}  // namespace

TEST_CASE("mqtt: the CONNECT packet asks for what was configured, each time", "[mqtt][connect]") {
    TempDir dir;
    write_file(dir.file("password"), "s3cret\n");
    ScriptedBroker broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.username = "gw";
    options.settings.password_file = dir.file("password");
    options.will = mqtt::Will{"lift/dc/gateway/gw-01", "gone", true, 3s};
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    write_file(dir.file("password"), "changed");
    broker.hang_up();
    REQUIRE(gateway.inbox.wait_for_online(2));

    REQUIRE(broker.connects().size() == 2);
    for (const std::string& body : broker.connects()) {
        const Connect connect = decode(body);
        CHECK((connect.flags & 0x02U) == 0);                        // not a clean start
        CHECK((connect.flags & 0x3CU) == (0x20U | 0x08U | 0x04U));  // will: retained, QoS 1
        CHECK(connect.keepalive == 30);
        CHECK(connect.session_expiry == 600U);
        CHECK(connect.receive_maximum == 10U);
        CHECK(connect.will_delay == 3U);
        CHECK(connect.client_id == "gw-01");
        CHECK(connect.will_topic == "lift/dc/gateway/gw-01");
        CHECK(connect.will_payload == "gone");
        CHECK(connect.username == "gw");
    }
    CHECK(decode(broker.connects()[0]).password == "s3cret");
    CHECK(decode(broker.connects()[1]).password == "changed");
}

TEST_CASE("mqtt: every connection subscribes anew, commands without what is stored",
          "[mqtt][connect]") {
    ScriptedBroker broker;
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(gateway.inbox.wait_for_online());
    broker.hang_up();
    REQUIRE(gateway.inbox.wait_for_online(2));
    REQUIRE(broker.subscribes().size() == 4);
    for (const std::string& body : broker.subscribes()) {
        wire::Reader reader(body);
        reader.u16();
        reader.properties();
        const bool command = reader.text() == "lift/dc/EL001/dispatch/+";
        const unsigned how = reader.u8();
        CHECK((how & 0x03U) == 1);                       // QoS
        CHECK((how & 0x04U) == 0);                       // also our own
        CHECK((how & 0x08U) == 0x08U);                   // retain as published
        CHECK((how & 0x30U) == (command ? 0x20U : 0U));  // retain handling
    }
}

TEST_CASE("mqtt: a refused subscription is reported and asked for again", "[mqtt][connect]") {
    ScriptedBroker broker;
    broker.subscribe_code = 0x87;
    Gateway gateway(gateway_options(broker.port()));
    REQUIRE(wait_until([&] { return broker.connects().size() >= 2; }));
    CHECK(gateway.inbox.onlines == 0);
    const std::string error = gateway.broker.status().last_error;
    CHECK(error.find("lift/dc/EL001/dispatch/+") != std::string::npos);
    CHECK(error.find("Not authorized") != std::string::npos);
    broker.subscribe_code = 1;
    REQUIRE(gateway.inbox.wait_for_online());
    CHECK(gateway.broker.status().last_error.empty());
}

TEST_CASE(
    "mqtt: a wrong password is reported, never shown, and retried with the file's new content",
    "[mqtt][connect]") {
    const int version = GENERATE(5, 4);
    CAPTURE(version);
    TempDir dir;
    write_file(dir.file("password"), "wrong-secret");
    MosquittoOptions setup;
    setup.users = {{"gw", "right-secret"}};
    Mosquitto broker(setup);
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.version = version;
    options.settings.username = "gw";
    options.settings.password_file = dir.file("password");
    std::mutex mutex;
    std::string log;
    options.log = [&](mqtt::LogLevel, const std::string& text) {
        const std::lock_guard lock(mutex);
        log += text + "\n";
    };
    Gateway gateway(options);
    REQUIRE(wait_until([&] {
        return gateway.broker.status().last_error.find("ot authorized") != std::string::npos;
    }));
    CHECK(gateway.inbox.onlines == 0);
    write_file(dir.file("password"), "right-secret\n");
    REQUIRE(gateway.inbox.wait_for_online());
    const std::lock_guard lock(mutex);
    CHECK(log.find("127.0.0.1") != std::string::npos);
    CHECK(log.find("-secret") == std::string::npos);
}

TEST_CASE("mqtt: a password file that is missing or open to all is reported by name",
          "[mqtt][connect]") {
    TempDir dir;
    Mosquitto broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.username = "gw";
    options.settings.password_file = dir.file("password");
    Gateway gateway(options);
    const auto error_names_file = [&](const std::string& why) {
        const std::string error = gateway.broker.status().last_error;
        return error.find(dir.file("password")) != std::string::npos &&
               error.find(why) != std::string::npos;
    };
    CHECK(wait_until([&] { return error_names_file("No such file"); }));
    write_file(dir.file("password"), "x", 0644);
    CHECK(wait_until([&] { return error_names_file("others may read"); }));
    write_file(dir.file("password"), "x", 0600);
    CHECK(gateway.inbox.wait_for_online());
}

TEST_CASE("mqtt: a host name is resolved, and one that does not exist is reported",
          "[mqtt][connect]") {
    Mosquitto broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.settings.host = "localhost";
    Gateway named(options);
    CHECK(named.inbox.wait_for_online());

    options.settings.host = "no-such-host.invalid";
    options.settings.client_id = "gw-02";
    Gateway lost(options);
    CHECK(wait_until([&] {
        return lost.broker.status().last_error.find("no-such-host.invalid") != std::string::npos;
    }));
}

TEST_CASE("mqtt: being thrown out for another client with our id is recognised",
          "[mqtt][connect]") {
    Mosquitto broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.backoff_min = options.backoff_max = 5s;
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    MqttPeer thief(broker.port(), "gw-01");
    REQUIRE(wait_until([&] { return gateway.inbox.offlines == 1; }));
    CHECK(gateway.broker.status().last_error ==
          "connection lost soon after connecting; does another client use the id gw-01?");
}

TEST_CASE("mqtt: the reason a broker gives for throwing us out is reported", "[mqtt][connect]") {
    ScriptedBroker broker;
    mqtt::MqttOptions options = gateway_options(broker.port());
    options.backoff_min = options.backoff_max = 5s;
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    broker.disconnect(0x8B);
    REQUIRE(wait_until([&] { return gateway.inbox.offlines == 1; }));
    INFO(gateway.broker.status().last_error);
    CHECK(gateway.broker.status().last_error.find("Server shutting down") != std::string::npos);
}
