#pragma once

#include <liftwarden/core/time.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace liftwarden::ports {

// A message as it came from the broker. `away` is set while stored messages of a resumed session
// may still arrive (the first 5 s): how long the gateway had been gone.
struct InboundMessage {
    std::string topic;
    std::string payload;
    bool retained = false;
    std::optional<std::string> response_topic;
    std::optional<std::string> correlation;
    std::optional<std::chrono::seconds> expiry;  // what is left of Message Expiry
    core::TimePoint received_at{};
    std::optional<core::Duration> away;
};

// Who takes messages. Called on the client library's receive thread; the broker gets its
// acknowledgement when receive() returns, so it returns only when what must survive is durable. It
// must come back within 2 s or end the process without returning, and must never call the Broker.
class Inbox {
  public:
    virtual ~Inbox() = default;
    virtual void receive(InboundMessage message) noexcept = 0;
    // The session stands and the subscriptions are confirmed / the link is lost. Must not block.
    virtual void online() noexcept = 0;
    virtual void offline(const std::string& why) noexcept = 0;
};

struct OutboundMessage {
    std::string topic;
    std::string payload;
    bool retained = false;
    std::optional<std::chrono::seconds> expiry;
    std::optional<std::string> correlation;
};

struct BrokerStatus {
    bool online = false;
    std::uint64_t connects = 0;
    std::uint64_t received = 0;
    std::uint64_t published = 0;
    std::uint64_t dropped = 0;  // refused because the send queue was full
    std::string last_error;
    // Whatever was published before then has come in, or was given up by the broker; nullopt: not
    // known. Moves on while the broker is heard, but not while stored messages may still arrive.
    std::optional<core::TimePoint> contact;
};

// The broker connection: one client, one egress thread, reconnects for ever. publish() only
// enqueues (QoS 1) and never blocks; `done(true)` is called on some library or egress thread after
// the broker's acknowledgement, `done(false)` if it was not delivered; it must not block or call
// back. While offline, messages are refused at once with done(false). Any thread may call.
class Broker {
  public:
    virtual ~Broker() = default;
    virtual void publish(OutboundMessage message, std::function<void(bool)> done) = 0;
    [[nodiscard]] virtual BrokerStatus status() const = 0;
    [[nodiscard]] virtual std::uint64_t heartbeats() const = 0;
};

}  // namespace liftwarden::ports
