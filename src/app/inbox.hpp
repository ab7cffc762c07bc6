// From an MQTT message to an event of the core, on the client library's receive thread.
#pragma once

#include "src/app/deliveries.hpp"
#include "src/app/log_limit.hpp"
#include "src/app/outbox.hpp"
#include "src/wire/command_text.hpp"
#include "src/wire/topics.hpp"

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/ports/broker.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/event_sink.hpp>
#include <liftwarden/ports/journal.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace liftwarden::app {

// What the loop does for the inbox. Called on the loop thread.
class InboxListener {
  public:
    virtual ~InboxListener() = default;
    // The message became no command.
    virtual void refused(const core::ElevatorId& elevator,
                         const core::SourceId& source,
                         const wire::Refusal& refusal) = 0;
    virtual void raised(const core::Alarm& alarm) = 0;
    virtual void online() = 0;
    virtual void offline(const std::string& why) = 0;
};

// How many messages came, and what became of them. Read by any thread.
struct InboxCounts {
    std::atomic<std::uint64_t> commands{0};
    std::atomic<std::uint64_t> refused{0};
    std::atomic<std::uint64_t> unanswered{0};  // refused, and too many at a time to say so
    // Not acted upon: topics and contents of no concern, Response Topics of somebody else.
    std::atomic<std::uint64_t> ignored{0};
};

// Parses each message where it arrives. A valid command goes to the journal, and receive() returns
// when the core has settled it; a refusal goes to the loop and receive() returns at once. When a
// command is not settled in time, the process ends without returning, so that the broker delivers
// the message again. Memory is bounded whatever comes: at most `pending_max` refusals wait for the
// loop. Owned by the daemon; must outlive the broker. receive() is for one thread at a time.
class MqttInbox final : public ports::Inbox {
  public:
    // Ends the process with this exit code; does not return, except in tests.
    using EndProcess = std::function<void(int code, const std::string& why)>;

    struct Parts {
        const core::GatewayConfig& config;
        const wire::Topics& topics;
        std::string boot_id;
        ports::Journal& journal;
        ports::EventSink& events;
        const ports::Clock& clock;
        Deliveries& deliveries;
        InboxListener& listener;
        Defer defer;
        EndProcess end_process;
        // A retained message shows that it is one also when it comes live (not with MQTT 3.1.1).
        bool sees_live_retained = true;
        core::Duration wait_max = std::chrono::seconds{2};
    };
    explicit MqttInbox(Parts parts);

    void receive(ports::InboundMessage message) noexcept override;
    void online() noexcept override;
    void offline(const std::string& why) noexcept override;

    // The journal is closed: from now on a message ends the process unacknowledged, with code 0.
    void close() { closed_ = true; }

    [[nodiscard]] const InboxCounts& counts() const { return counts_; }

  private:
    static constexpr int pending_max = 256;

    void take(const ports::InboundMessage& message);
    void take_command(const wire::DispatchTopic& topic, const ports::InboundMessage& message);
    void take_claim(const wire::GatewayTopic& topic, const ports::InboundMessage& message);
    void take_heartbeat(const wire::NodeTopic& topic, const ports::InboundMessage& message);
    void tell_core(core::Event event, const std::string& what);
    void take_own_claim(const ports::InboundMessage& message);
    void await(core::Command command);
    void wait_for_core(core::DeliveryId delivery, const std::string& what);
    void refuse(const wire::DispatchTopic& topic, const wire::Refusal& refusal);
    [[nodiscard]] bool clears_retained(const ports::InboundMessage& message) const;
    void ignore(const ports::InboundMessage& message, const std::string& why);
    void set_aside(const ports::InboundMessage& message,
                   const std::string& event,
                   const std::string& why);
    void tell_loop(std::function<void()> what);

    Parts parts_;
    std::map<core::ElevatorId, const core::ElevatorConfig*> elevators_;
    InboxCounts counts_;
    LogLimit refusals_logged_;
    LogLimit ignored_logged_;
    std::atomic<int> pending_{0};
    std::atomic<bool> closed_{false};
};

}  // namespace liftwarden::app
