#include "src/adapters/mqtt/connect_options.hpp"

#include <liftwarden/core/assert.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace liftwarden::mqtt {
namespace {

using ::mqtt::property;

// Suites with authenticated encryption exist from TLS 1.2 on only, so nothing older can be agreed
// on whatever the system's defaults are. Asking paho for version 1.2 instead would exclude 1.3.
constexpr const char* modern_suites = "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM";

std::int32_t seconds(core::Duration duration) {
    return static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(duration).count());
}

::mqtt::ssl_options tls(const ports::MqttSettings& settings) {
    ::mqtt::ssl_options result;
    if (settings.ca_file) {
        result.set_trust_store(*settings.ca_file);
    }
    if (settings.cert_file) {
        result.set_key_store(*settings.cert_file);
    }
    if (settings.key_file) {
        result.set_private_key(*settings.key_file);
    }
    result.set_enable_server_cert_auth(true);
    result.set_verify(true);  // the host name too; without it only the chain is checked
    result.set_enabled_cipher_suites(modern_suites);
    // No error handler: paho-mqttpp 1.2.0 keeps a pointer into an object that is gone by then.
    return result;
}

::mqtt::will_options last_will(const Will& will, bool version_5) {
    ::mqtt::properties properties;
    if (version_5 && will.delay.count() > 0) {
        properties.add(property(property::WILL_DELAY_INTERVAL, seconds(will.delay)));
    }
    return {::mqtt::string_ref(will.topic),
            ::mqtt::binary_ref(will.payload),
            1,
            will.retained,
            properties};
}

}  // namespace

core::Result<Login> read_login(const MqttOptions& options) {
    Login login{options.settings.username, std::nullopt};
    if (options.settings.password_file) {
        LIFTWARDEN_ASSERT(options.read_secret);
        core::Result<std::string> password = options.read_secret(*options.settings.password_file);
        if (!password) {
            return password.error();
        }
        login.password = *password;
    }
    return login;
}

std::optional<std::string> unreadable_file(const ports::MqttSettings& settings) {
    if (settings.tls) {
        for (const auto* file : {&settings.ca_file, &settings.cert_file, &settings.key_file}) {
            if (*file && ::access((*file)->c_str(), R_OK) != 0) {
                return "cannot read " + **file + ": " + std::strerror(errno);
            }
        }
    }
    return std::nullopt;
}

std::string broker_uri(const ports::MqttSettings& settings, const std::string& host) {
    const bool bare_v6 = host.find(':') != std::string::npos;
    return std::string(settings.tls ? "ssl://" : "tcp://") + (bare_v6 ? "[" + host + "]" : host) +
           ":" + std::to_string(settings.port);
}

::mqtt::create_options create_options(const MqttOptions& options) {
    // The buffer also counts messages on their way while connected, so it is above the window.
    return {options.settings.version, static_cast<int>(options.window) + 10};
}

void fill_connect_options(::mqtt::connect_options& target,
                          const MqttOptions& options,
                          const Login& login) {
    const bool version_5 = options.settings.version == MQTTVERSION_5;
    target.set_mqtt_version(options.settings.version);
    target.set_clean_session(false);
    target.set_clean_start(false);
    target.set_automatic_reconnect(false);  // see Supervisor
    target.set_keep_alive_interval(seconds(options.settings.keepalive));
    target.set_connect_timeout(options.connect_timeout);
    target.set_max_inflight(static_cast<int>(options.window));
    if (login.username) {
        target.set_user_name(*login.username);
    }
    if (login.password) {
        target.set_password(*login.password);
    }
    if (options.settings.tls) {
        target.set_ssl(tls(options.settings));
    }
    if (options.will) {
        target.set_will(last_will(*options.will, version_5));
    }
    if (version_5) {
        ::mqtt::properties properties;
        properties.add(
            property(property::SESSION_EXPIRY_INTERVAL, seconds(options.settings.session_expiry)));
        properties.add(property(property::RECEIVE_MAXIMUM, options.receive_maximum));
        properties.add(property(property::MAXIMUM_PACKET_SIZE,
                                static_cast<std::int32_t>(options.maximum_packet_size)));
        target.set_properties(std::move(properties));
    }
}

::mqtt::message_ptr outbound(const ports::MqttSettings& settings,
                             const ports::OutboundMessage& message) {
    ::mqtt::properties properties;
    if (settings.version == MQTTVERSION_5) {
        if (message.expiry) {
            properties.add(property(property::MESSAGE_EXPIRY_INTERVAL, seconds(*message.expiry)));
        }
        if (message.correlation) {
            properties.add(property(property::CORRELATION_DATA, *message.correlation));
        }
    }
    return ::mqtt::message::create(message.topic, message.payload, 1, message.retained, properties);
}

}  // namespace liftwarden::mqtt
