#include "src/app/publisher.hpp"

#include "src/wire/result_text.hpp"
#include "src/wire/view_text.hpp"

#include <utility>

namespace liftwarden::app {
namespace {

// After this long without news from its gateway a retained topic is gone (MQTT 5).
constexpr std::chrono::seconds view_expiry{15};

}  // namespace

std::vector<ports::OutboxMessage> result_messages(const core::ResultMessage& message,
                                                  const wire::Topics& topics,
                                                  core::WallTime at) {
    std::vector<ports::OutboxMessage> out(1);
    out[0].topic = topics.result(message.elevator, message.to);
    out[0].payload = wire::render_result(message, at);
    if (message.reply) {
        ports::OutboxMessage copy = out[0];
        copy.topic = message.reply->topic;
        if (!message.reply->correlation.empty()) {
            copy.correlation = message.reply->correlation;
        }
        out.push_back(std::move(copy));
    }
    return out;
}

Publisher::Publisher(ports::Broker& broker,
                     const wire::Topics& topics,
                     core::GatewayId gateway,
                     const ports::Clock& clock,
                     Defer defer)
    : broker_(broker),
      topics_(topics),
      gateway_(std::move(gateway)),
      clock_(clock),
      defer_(std::move(defer)) {}

void Publisher::result(const core::ResultMessage& message) {
    send_result(answers_, message);
}

void Publisher::refusal(const core::ResultMessage& message) {
    send_result(refusals_, message);
}

void Publisher::send_result(Bound& bound, const core::ResultMessage& message) {
    for (auto& part : result_messages(message, topics_, clock_.wall())) {
        ports::OutboundMessage out;
        out.topic = std::move(part.topic);
        out.payload = std::move(part.payload);
        out.correlation = std::move(part.correlation);
        send(bound, std::move(out));
    }
}

void Publisher::event(const core::Alarm& alarm) {
    const auto payload = wire::render_event(alarm, gateway_, clock_.wall());
    Bound& bound = alarm.alarm ? answers_ : refusals_;
    if (!alarm.elevator.empty()) {
        send(bound, {topics_.event(alarm.elevator), payload, false, std::nullopt, std::nullopt});
        return;
    }
    for (const auto& [elevator, session] : sessions_) {
        send(bound, {topics_.event(elevator), payload, false, std::nullopt, std::nullopt});
    }
}

void Publisher::state(const core::StateView& view) {
    set(topics_.state(view.elevator),
        {[this, view] { return wire::render_state(view, gateway_, clock_.now(), clock_.wall()); },
         view_expiry});
}

void Publisher::session(const core::SessionView& view) {
    sessions_[view.elevator] = view;
    set(topics_.session(view.elevator),
        {[this, view] { return wire::render_session(view, gateway_, clock_.wall()); },
         view_expiry});
}

void Publisher::gateway_status(std::function<std::string()> render) {
    set(topics_.gateway(gateway_), {std::move(render), std::nullopt});
}

const core::SessionView* Publisher::last_session(const core::ElevatorId& elevator) const {
    const auto found = sessions_.find(elevator);
    return found == sessions_.end() ? nullptr : &found->second;
}

void Publisher::set(const std::string& topic, Retained content) {
    Retained& retained = retained_[topic];
    retained.render = std::move(content.render);
    retained.expiry = content.expiry;
    retained.due = true;
    send_due(topic, retained);
}

void Publisher::send_due(const std::string& topic, Retained& retained) {
    if (!online_ || retained.sending || !retained.due) {
        return;
    }
    retained.due = false;
    retained.sending = true;
    const auto attempt = ++retained.attempt;
    broker_.publish(
        {topic, retained.render(), true, retained.expiry, std::nullopt},
        [this, topic, attempt](bool delivered) {
            defer_([this, topic, attempt, delivered] { finished(topic, attempt, delivered); });
        });
}

void Publisher::finished(const std::string& topic, std::uint64_t attempt, bool delivered) {
    Retained& retained = retained_.at(topic);
    if (retained.attempt != attempt) {
        return;
    }
    retained.sending = false;
    if (delivered) {
        send_due(topic, retained);
    } else {
        retained.due = true;  // retry() or online() comes back to it
    }
}

void Publisher::send(Bound& bound, ports::OutboundMessage message) {
    if (!online_ || bound.unconfirmed >= bound.limit) {
        ++dropped_;
        return;
    }
    ++bound.unconfirmed;
    broker_.publish(std::move(message), [this, &bound](bool delivered) {
        defer_([this, &bound, delivered] {
            --bound.unconfirmed;
            dropped_ += delivered ? 0 : 1;
        });
    });
}

void Publisher::online() {
    online_ = true;
    for (auto& [topic, retained] : retained_) {
        retained.due = true;
        send_due(topic, retained);
    }
}

void Publisher::offline() {
    online_ = false;
    for (auto& [topic, retained] : retained_) {
        retained.sending = false;
        ++retained.attempt;  // an answer that still comes is about the lost link
    }
}

void Publisher::retry() {
    for (auto& [topic, retained] : retained_) {
        send_due(topic, retained);
    }
}

std::size_t Publisher::unconfirmed() const {
    std::size_t count = answers_.unconfirmed + refusals_.unconfirmed;
    for (const auto& [topic, retained] : retained_) {
        count += retained.sending || (online_ && retained.due) ? 1 : 0;
    }
    return count;
}

}  // namespace liftwarden::app
