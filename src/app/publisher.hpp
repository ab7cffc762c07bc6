// What goes to the broker without the journal: states, sessions, events, results that may be lost.
#pragma once

#include "src/app/outbox.hpp"
#include "src/wire/topics.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/result.hpp>
#include <liftwarden/ports/broker.hpp>
#include <liftwarden/ports/clock.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace liftwarden::app {

// Renders and publishes. Of a retained topic only the newest content matters: it is rendered when
// it is sent, one message per topic is under way at a time, and all are sent again after each
// reconnect. Other messages are handed over at once while the broker is online, within a bound on
// those not yet confirmed; what is over it or comes while offline is dropped and counted. Not
// thread-safe: every call is made on the loop thread. Must outlive the broker's last callback.
class Publisher {
  public:
    Publisher(ports::Broker& broker,
              const wire::Topics& topics,
              core::GatewayId gateway,
              const ports::Clock& clock,
              Defer defer);

    void result(const core::ResultMessage& message);
    // A message that never became a command. These have a bound of their own, so that a flood of
    // them cannot crowd out the answers to rightful commands.
    void refusal(const core::ResultMessage& message);
    // An alarm of the gateway itself (no elevator) goes to the event topic of each elevator.
    void event(const core::Alarm& alarm);
    void state(const core::StateView& view);
    void session(const core::SessionView& view);
    // The gateway's own retained status; `render` gives its payload at the moment of sending.
    void gateway_status(std::function<std::string()> render);

    // The mode and epoch last published for an elevator, for answers that the core does not give.
    [[nodiscard]] const core::SessionView* last_session(const core::ElevatorId& elevator) const;

    void online();
    void offline();
    // Once a second or so: sends again what a full send queue refused.
    void retry();

    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
    // Messages handed to the broker and not answered yet.
    [[nodiscard]] std::size_t unconfirmed() const;

  private:
    struct Retained {
        std::function<std::string()> render;
        std::optional<std::chrono::seconds> expiry;
        bool due = false;      // to be sent, now or after the one under way
        bool sending = false;  // one is under way
        std::uint64_t attempt = 0;
    };
    struct Bound {
        std::size_t limit = 0;
        std::size_t unconfirmed = 0;
    };

    void set(const std::string& topic, Retained content);
    void send_due(const std::string& topic, Retained& retained);
    void finished(const std::string& topic, std::uint64_t attempt, bool delivered);
    void send(Bound& bound, ports::OutboundMessage message);
    void send_result(Bound& bound, const core::ResultMessage& message);

    ports::Broker& broker_;
    const wire::Topics& topics_;
    core::GatewayId gateway_;
    const ports::Clock& clock_;
    Defer defer_;
    bool online_ = false;
    std::map<std::string, Retained> retained_;
    std::map<core::ElevatorId, core::SessionView> sessions_;
    Bound answers_{512};
    Bound refusals_{64};
    std::uint64_t dropped_ = 0;
};

// The messages that carry one result: to the source's result topic, and a copy to its Response
// Topic if it gave one.
[[nodiscard]] std::vector<ports::OutboxMessage> result_messages(const core::ResultMessage& message,
                                                                const wire::Topics& topics,
                                                                core::WallTime at);

}  // namespace liftwarden::app
