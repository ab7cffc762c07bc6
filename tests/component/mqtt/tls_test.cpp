#include "tests/component/mqtt/fixture.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::test;

namespace {

mqtt::MqttOptions tls_options(const Mosquitto& broker, const std::string& host) {
    mqtt::MqttOptions options = gateway_options(broker.tls_port());
    options.settings.host = host;
    options.settings.tls = true;
    options.settings.ca_file = broker.ca_file();
    return options;
}

// Refused at least twice, with a reason, and never online.
void check_refused(Gateway& gateway) {
    REQUIRE(wait_until([&] { return !gateway.broker.status().last_error.empty(); }, 20s));
    CHECK_FALSE(gateway.inbox.wait_for_online(1, 500ms));
    INFO(gateway.broker.status().last_error);
    CHECK(gateway.broker.status().last_error.find("ssl://") != std::string::npos);
}

}  // namespace

TEST_CASE("mqtt: TLS 1.2 and 1.3 with the right CA and host name work both ways", "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    setup.tls_version = GENERATE("tlsv1.2", "tlsv1.3");
    CAPTURE(setup.tls_version);
    Mosquitto broker(setup);
    Gateway gateway(tls_options(broker, "localhost"));
    REQUIRE(gateway.inbox.wait_for_online());
    MqttPeer node(broker.port(), "node-a");
    node.subscribe("r");
    REQUIRE(node.publish({command_topic, "over TLS", false, {}}) == 0U);
    REQUIRE(gateway.inbox.wait_for_count(1));
    Outcomes outcomes;
    gateway.broker.publish(message("r", "back"), outcomes.done());
    CHECK(node.wait_for([](const PeerMessage& got) { return got.payload == "back"; }));
    CHECK(gateway.broker.stop());
}

TEST_CASE("mqtt: TLS with a numeric host needs it in the certificate", "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    setup.certificate_for = "127.0.0.1";
    Mosquitto broker(setup);
    Gateway gateway(tls_options(broker, "127.0.0.1"));
    CHECK(gateway.inbox.wait_for_online());
}

TEST_CASE("mqtt: a certificate for another host is refused", "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    setup.certificate_for = "other.example";
    Mosquitto broker(setup);
    Gateway gateway(tls_options(broker, "localhost"));
    check_refused(gateway);
}

TEST_CASE("mqtt: a certificate of another CA is refused", "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    Mosquitto broker(setup);
    const TempDir stranger;
    make_certificates(stranger, "localhost");
    mqtt::MqttOptions options = tls_options(broker, "localhost");
    options.settings.ca_file = stranger.file("ca.crt");
    Gateway gateway(options);
    check_refused(gateway);
}

TEST_CASE("mqtt: without a CA file only the system's authorities count", "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    Mosquitto broker(setup);
    mqtt::MqttOptions options = tls_options(broker, "localhost");
    options.settings.ca_file.reset();
    Gateway gateway(options);
    check_refused(gateway);
}

TEST_CASE("mqtt: a CA file that is not there is reported by name", "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    Mosquitto broker(setup);
    mqtt::MqttOptions options = tls_options(broker, "localhost");
    options.settings.ca_file = "/no/such/ca.pem";
    Gateway gateway(options);
    REQUIRE(wait_until([&] {
        return gateway.broker.status().last_error.find("/no/such/ca.pem") != std::string::npos;
    }));
}

TEST_CASE("mqtt: a client certificate is shown where the broker wants one", "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    setup.require_client_certificate = true;
    Mosquitto broker(setup);
    mqtt::MqttOptions options = tls_options(broker, "localhost");
    SECTION("with it") {
        options.settings.cert_file = broker.client_cert_file();
        options.settings.key_file = broker.client_key_file();
        Gateway gateway(options);
        CHECK(gateway.inbox.wait_for_online());
    }
    SECTION("without it") {
        Gateway gateway(options);
        check_refused(gateway);
    }
}

TEST_CASE("mqtt: plain text to a TLS port is refused, and so is TLS to a plain one",
          "[mqtt][tls]") {
    MosquittoOptions setup;
    setup.tls = true;
    Mosquitto broker(setup);
    mqtt::MqttOptions options = tls_options(broker, "localhost");
    options.settings.port = broker.port();
    Gateway gateway(options);
    check_refused(gateway);
}

TEST_CASE("mqtt: stopping is quick over TLS too, with the broker frozen", "[mqtt][tls][stop]") {
    MosquittoOptions setup;
    setup.tls = true;
    Mosquitto broker(setup);
    mqtt::MqttOptions options = tls_options(broker, "localhost");
    options.will = mqtt::Will{"w", "will", false, 0s};
    Gateway gateway(options);
    REQUIRE(gateway.inbox.wait_for_online());
    broker.pause();
    const auto begin = std::chrono::steady_clock::now();
    CHECK(gateway.broker.stop({}, 1900ms));
    CHECK(std::chrono::steady_clock::now() - begin < 2000ms);
}
