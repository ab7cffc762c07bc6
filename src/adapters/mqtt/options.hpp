#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/time.hpp>
#include <liftwarden/ports/settings.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::mqtt {

enum class LogLevel { debug, info, warning, error };

// Called on several threads, some of them the client library's: it must be thread-safe and must not
// block. The text never holds a secret.
using Log = std::function<void(LogLevel, const std::string&)>;

// How the password file is read, at every connect, so that a changed password needs no restart.
using ReadSecret = std::function<core::Result<std::string>(const std::string& path)>;

struct Subscription {
    std::string filter;
    // Whether the broker shall also send what it keeps retained when we subscribe. False for
    // commands: a retained command must never be replayed. MQTT 3.1.1 cannot ask for that; there
    // retained messages come, and are known by InboundMessage::retained.
    bool stored = false;
};

struct Will {
    std::string topic;
    std::string payload;
    bool retained = true;
    std::chrono::seconds delay{0};  // MQTT 5: how long the broker waits for us to come back
};

// Everything a MqttBroker needs to know; plain values.
struct MqttOptions {
    ports::MqttSettings settings;
    std::vector<Subscription> subscriptions;
    std::optional<Will> will;
    // BrokerStatus::contact of the process before this one, in this boot: how old may be what the
    // first resumed session brings? nullopt: unknown, which counts as for ever.
    std::optional<core::TimePoint> contact;
    ReadSecret read_secret;  // needed when settings name a password file
    Log log;

    std::size_t queue_limit = 1024;  // messages that wait to be sent
    // Unconfirmed publications; what mosquitto takes by default, so that paho never queues itself.
    std::size_t window = 20;
    std::uint16_t receive_maximum = 10;  // MQTT 5: bounds what is redelivered after a crash
    std::uint32_t maximum_packet_size = 1 << 20;  // MQTT 5: larger messages stay with the broker
    std::chrono::milliseconds connect_timeout{10'000};  // one attempt: TCP, TLS and the session
    std::chrono::milliseconds backoff_min{1'000};
    // A pause between two attempts at most: a broker that is back shall not wait long for us.
    std::chrono::milliseconds backoff_max{5'000};
    std::chrono::milliseconds poke{800};              // see Supervisor
    std::chrono::milliseconds silence_limit{15'000};  // nothing heard for so long: link is dead
    std::chrono::milliseconds away_window{5'000};     // how long stored messages may keep arriving
};

}  // namespace liftwarden::mqtt
