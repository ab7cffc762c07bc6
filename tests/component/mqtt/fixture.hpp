#pragma once

#include "src/adapters/mqtt/mqtt_broker.hpp"
#include "src/adapters/system/secret_file.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "tests/support/mosquitto.hpp"
#include "tests/support/mqtt_peer.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace liftwarden::test {

// Collects what the broker connection hands over; `on_receive` runs inside receive().
class RecordingInbox final : public ports::Inbox {
  public:
    void receive(ports::InboundMessage message) noexcept override {
        if (on_receive) {
            on_receive(message);
        }
        const std::lock_guard lock(mutex_);
        messages_.push_back(std::move(message));
    }
    void online() noexcept override { ++onlines; }
    void offline(const std::string& /*why*/) noexcept override { ++offlines; }

    [[nodiscard]] std::vector<ports::InboundMessage> messages() const {
        const std::lock_guard lock(mutex_);
        return messages_;
    }
    [[nodiscard]] bool wait_for_count(std::size_t count, Millis limit = 10s) const {
        return wait_until([&] { return messages().size() >= count; }, limit);
    }
    [[nodiscard]] bool wait_for_online(int times = 1, Millis limit = 15s) const {
        return wait_until([&] { return onlines >= times; }, limit);
    }

    std::function<void(const ports::InboundMessage&)> on_receive;  // set before start()
    std::atomic<int> onlines{0};
    std::atomic<int> offlines{0};

  private:
    mutable std::mutex mutex_;
    std::vector<ports::InboundMessage> messages_;
};

// Quick retries; subscribed to commands (not the stored ones) and to node heartbeats (also those).
inline mqtt::MqttOptions gateway_options(std::uint16_t port) {
    mqtt::MqttOptions options;
    options.settings.host = "127.0.0.1";
    options.settings.port = port;
    options.settings.client_id = "gw-01";
    options.subscriptions = {{"lift/dc/EL001/dispatch/+", false}, {"lift/dc/node/+", true}};
    options.read_secret = system::read_secret_file;
    options.backoff_min = Millis{50};
    options.backoff_max = Millis{200};
    return options;
}

inline const std::string command_topic = "lift/dc/EL001/dispatch/node-a";

// An inbox, a clock and the connection under test, started.
class Gateway {
  public:
    explicit Gateway(mqtt::MqttOptions options,
                     std::function<void(const ports::InboundMessage&)> on_receive = {})
        : broker(std::move(options), inbox, clock) {
        inbox.on_receive = std::move(on_receive);
        broker.start();
    }

    system::SystemClock clock;
    RecordingInbox inbox;
    mqtt::MqttBroker broker;
};

// Counts what became of publications.
struct Outcomes {
    std::atomic<int> delivered{0};
    std::atomic<int> refused{0};

    std::function<void(bool)> done() {
        return [this](bool ok) { ++(ok ? delivered : refused); };
    }
    [[nodiscard]] int total() const { return delivered + refused; }
};

inline ports::OutboundMessage message(const std::string& topic, const std::string& payload) {
    return {topic, payload, false, std::nullopt, std::nullopt};
}

}  // namespace liftwarden::test
