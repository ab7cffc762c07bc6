#include "src/app/inbox.hpp"

#include "src/app/exit_codes.hpp"
#include "src/app/log.hpp"
#include "src/wire/presence_text.hpp"

#include <boost/json/parse.hpp>

#include <exception>
#include <utility>

namespace liftwarden::app {
namespace {

// "boot_id" of a gateway status that wire has already found sound; empty if it has none.
std::string boot_id_of(const std::string& payload) {
    boost::json::error_code error;
    const auto value = boost::json::parse(payload, error);
    if (error || !value.is_object()) {
        return {};
    }
    const auto* boot_id = value.as_object().if_contains("boot_id");
    return boot_id != nullptr && boot_id->is_string() ? std::string{boot_id->as_string()} : "";
}

}  // namespace

MqttInbox::MqttInbox(Parts parts) : parts_(std::move(parts)) {
    for (const auto& elevator : parts_.config.elevators) {
        elevators_.emplace(elevator.id, &elevator);
    }
}

void MqttInbox::receive(ports::InboundMessage message) noexcept {
    if (closed_) {
        parts_.end_process(exit_ok, "message arrived after the end; the broker keeps it");
        return;
    }
    try {
        take(message);
    } catch (const std::exception& error) {
        parts_.end_process(exit_unavailable_now, std::string{"receiving failed: "} + error.what());
    }
}

void MqttInbox::take(const ports::InboundMessage& message) {
    const auto topic = parts_.topics.parse(message.topic);
    if (const auto* dispatch = std::get_if<wire::DispatchTopic>(&topic)) {
        take_command(*dispatch, message);
    } else if (const auto* gateway = std::get_if<wire::GatewayTopic>(&topic)) {
        take_claim(*gateway, message);
    } else if (const auto* node = std::get_if<wire::NodeTopic>(&topic)) {
        take_heartbeat(*node, message);
    } else {
        ignore(message, "not a topic of this gateway");
    }
}

void MqttInbox::take_command(const wire::DispatchTopic& topic,
                             const ports::InboundMessage& message) {
    const auto elevator = elevators_.find(topic.elevator);
    if (elevator == elevators_.end()) {
        ignore(message, "not an elevator of this gateway");
        return;
    }
    if (clears_retained(message)) {
        return;
    }
    const wire::CommandContext context{*elevator->second,
                                       topic.source,
                                       parts_.config.queue,
                                       parts_.topics,
                                       message.retained,
                                       message.response_topic,
                                       message.correlation,
                                       message.expiry,
                                       parts_.clock.wall(),
                                       parts_.clock.wall_is_synchronised(),
                                       message.away};
    auto parsed = wire::parse_command(context, message.payload);
    if (parsed.reply_ignored) {
        set_aside(message,
                  "response_topic_ignored",
                  "it is not below the sender's reply branch; the command itself is handled");
    }
    if (const auto* refusal = std::get_if<wire::Refusal>(&parsed.outcome)) {
        refuse(topic, *refusal);
        return;
    }
    await(std::get<core::Command>(std::move(parsed.outcome)));
}

// An empty retained message is how a retained one is removed from the broker, here one that was
// refused; it asks for nothing.
bool MqttInbox::clears_retained(const ports::InboundMessage& message) const {
    return message.payload.empty() && (message.retained || !parts_.sees_live_retained);
}

void MqttInbox::await(core::Command command) {
    ++counts_.commands;
    const auto delivery = parts_.deliveries.open();
    const std::string what = command.elevator.str() + " seq " + command.seq.str();
    parts_.journal.look_up({delivery, std::move(command), std::nullopt, parts_.clock.now()});
    wait_for_core(delivery, what);
}

void MqttInbox::wait_for_core(core::DeliveryId delivery, const std::string& what) {
    if (!parts_.deliveries.wait(delivery, parts_.wait_max)) {
        parts_.end_process(exit_unavailable_now,
                           what + ": not durable within " +
                               std::to_string(core::to_ms(parts_.wait_max)) +
                               " ms; ending without acknowledging it, the broker sends it again");
    }
}

void MqttInbox::refuse(const wire::DispatchTopic& topic, const wire::Refusal& refusal) {
    ++counts_.refused;
    if (refusals_logged_.allow(parts_.clock.now())) {
        const auto held_back = refusals_logged_.held_back();
        log(LogLevel::info,
            "refused",
            {{"elevator", topic.elevator.str()},
             {"source", topic.source.str()},
             {"seq", refusal.seq ? refusal.seq->str() : ""},
             {"reason", core::to_string(refusal.reason)},
             {"detail", refusal.detail},
             {"not_logged", held_back > 0 ? std::to_string(held_back) : ""}});
    }
    if (pending_ >= pending_max) {
        ++counts_.unanswered;
        return;
    }
    tell_loop(
        [this, topic, refusal] { parts_.listener.refused(topic.elevator, topic.source, refusal); });
}

void MqttInbox::take_claim(const wire::GatewayTopic& topic, const ports::InboundMessage& message) {
    if (topic.gateway == parts_.config.id) {
        take_own_claim(message);
        return;
    }
    auto claim = wire::parse_gateway_status(topic.gateway, message.payload);
    if (!claim) {
        ignore(message, claim.error().text);
        return;
    }
    tell_core(*std::move(claim), "status of gateway " + topic.gateway.str());
}

// Whether the nodes reach the lock service; of no interest without one.
void MqttInbox::take_heartbeat(const wire::NodeTopic& topic, const ports::InboundMessage& message) {
    if (!parts_.config.lock) {
        return;
    }
    const auto says = wire::parse_node_heartbeat(message.payload);
    if (!says) {
        ignore(message, says.error().text);
        return;
    }
    tell_core(core::NodeReported{topic.source, *says, !message.retained},
              "heartbeat of node " + topic.source.str());
}

// Such messages are rare and must not be lost: the receive thread waits until the loop has this
// one, so that however many come, one waits.
void MqttInbox::tell_core(core::Event event, const std::string& what) {
    const auto delivery = parts_.deliveries.open();
    parts_.events.post(std::move(event));
    parts_.defer([this, delivery] { parts_.deliveries.settle(delivery); });
    wait_for_core(delivery, what);
}

void MqttInbox::take_own_claim(const ports::InboundMessage& message) {
    const auto claim = wire::parse_gateway_status(parts_.config.id, message.payload);
    // A retained copy may be our own from before a power loss; a live one is somebody's present.
    if (message.retained || !claim || !claim->online) {
        return;
    }
    const auto boot_id = boot_id_of(message.payload);
    if (boot_id == parts_.boot_id || pending_ >= pending_max) {
        return;
    }
    core::Alarm alarm;
    alarm.kind = "gateway_id_in_use";
    alarm.detail =
        "another machine (boot id " + boot_id + ") publishes as gateway " + parts_.config.id.str();
    tell_loop([this, alarm] { parts_.listener.raised(alarm); });
}

void MqttInbox::ignore(const ports::InboundMessage& message, const std::string& why) {
    set_aside(message, "ignored", why);
}

void MqttInbox::set_aside(const ports::InboundMessage& message,
                          const std::string& event,
                          const std::string& why) {
    ++counts_.ignored;
    if (ignored_logged_.allow(parts_.clock.now())) {
        const auto held_back = ignored_logged_.held_back();
        log(LogLevel::warning,
            event,
            {{"topic", message.topic.substr(0, 200)},
             {"why", why},
             {"not_logged", held_back > 0 ? std::to_string(held_back) : ""}});
    }
}

void MqttInbox::tell_loop(std::function<void()> what) {
    ++pending_;
    parts_.defer([this, what = std::move(what)] {
        --pending_;
        what();
    });
}

void MqttInbox::online() noexcept {
    parts_.defer([this] { parts_.listener.online(); });
}

void MqttInbox::offline(const std::string& why) noexcept {
    parts_.defer([this, why] { parts_.listener.offline(why); });
}

}  // namespace liftwarden::app
