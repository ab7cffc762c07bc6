#pragma once

#include "src/adapters/mqtt/options.hpp"

#include <liftwarden/ports/broker.hpp>
#include <liftwarden/ports/clock.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace liftwarden::mqtt {

class Supervisor;

// The broker connection over paho. It connects by itself, in the background and for ever; a missing
// broker, a wrong password or a refused subscription is a state (status().last_error), retried with
// growing pauses. Inbox::receive is called on paho's receive thread and the broker gets its PUBACK
// when it returns; Inbox::online after every subscription was confirmed, at each connection.
// A refused publish() calls done(false) on the caller's thread before it returns: hold no lock that
// `done` takes. Any thread may call, except that start() and stop() belong to the owner.
// heartbeats() may stand still for as long as the system's resolver hangs (TLS with a host name)
// or a receive() takes.
class MqttBroker final : public ports::Broker {
  public:
    // Inbox, clock and what `options.log` uses must outlive it, and more after a failed stop().
    MqttBroker(MqttOptions options, ports::Inbox& inbox, const ports::Clock& clock);
    ~MqttBroker() override;  // stop() with the will as farewell, if that was not done before
    MqttBroker(const MqttBroker&) = delete;
    MqttBroker& operator=(const MqttBroker&) = delete;

    void start();

    // Sends what waits, then `farewell` (what the will would say; nullopt: the will itself), then
    // disconnects so that the will does not fire. Takes about `limit` at the longest: a client that
    // is stuck is left behind. Messages that arrive meanwhile still reach the Inbox, whose
    // receive() must not depend on the thread that waits here. False: something was left behind or
    // a receive() still runs, so Inbox, clock and log must go on existing; end the process with
    // _exit.
    bool stop(std::optional<ports::OutboundMessage> farewell = std::nullopt,
              std::chrono::milliseconds limit = std::chrono::milliseconds{1'000});

    void publish(ports::OutboundMessage message, std::function<void(bool)> done) override;
    [[nodiscard]] ports::BrokerStatus status() const override;
    [[nodiscard]] std::uint64_t heartbeats() const override;

  private:
    struct Finished;

    std::shared_ptr<Supervisor> supervisor_;
    std::shared_ptr<Finished> finished_;
    std::thread thread_;
    bool clean_ = true;  // nothing of it is left running
};

}  // namespace liftwarden::mqtt
