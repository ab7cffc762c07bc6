#pragma once

#include "src/adapters/mqtt/options.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/ports/broker.hpp>

#include <mqtt/connect_options.h>
#include <mqtt/create_options.h>
#include <mqtt/message.h>

#include <optional>
#include <string>

namespace liftwarden::mqtt {

struct Login {
    std::optional<std::string> username;
    std::optional<std::string> password;
};

// Reads the password file. Errors name the file, never its content.
[[nodiscard]] core::Result<Login> read_login(const MqttOptions& options);

// Whether the TLS files can be read; the library would only say "connect failure".
[[nodiscard]] std::optional<std::string> unreadable_file(const ports::MqttSettings& settings);

// `host` is a name or a numeric address, IPv6 without brackets.
[[nodiscard]] std::string broker_uri(const ports::MqttSettings& settings, const std::string& host);

[[nodiscard]] ::mqtt::create_options create_options(const MqttOptions& options);

// Fills `target` in place and sets the properties last: paho-mqttpp 1.2.0 leaves their pointer
// dangling in any copy, and a session expiry would silently be missing. `target` must live until
// connect() has returned.
void fill_connect_options(::mqtt::connect_options& target,
                          const MqttOptions& options,
                          const Login& login);

[[nodiscard]] ::mqtt::message_ptr outbound(const ports::MqttSettings& settings,
                                           const ports::OutboundMessage& message);

}  // namespace liftwarden::mqtt
