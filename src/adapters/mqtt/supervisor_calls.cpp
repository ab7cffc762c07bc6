// What happens on other threads than the supervisor's own: the owner's calls and the library's.
#include "src/adapters/mqtt/inbound.hpp"
#include "src/adapters/mqtt/supervisor.hpp"

#include <utility>

namespace liftwarden::mqtt {

Supervisor::Supervisor(MqttOptions options, ports::Inbox& inbox, const ports::Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      intake_(inbox),
      outgoing_(options_.queue_limit, options_.window),
      contact_(options_.contact) {}

void Supervisor::stop(std::optional<ports::OutboundMessage> farewell) {
    {
        const std::lock_guard lock(mutex_);
        farewell_ = std::move(farewell);
        if (!farewell_ && options_.will) {
            const Will& will = *options_.will;
            farewell_ = ports::OutboundMessage{will.topic, will.payload, will.retained, {}, {}};
        }
    }
    stopping_ = true;
    wake_.notify();
}

void Supervisor::publish(ports::OutboundMessage message, Outgoing::Done done) {
    if (outgoing_.offer(std::move(message), std::move(done))) {
        wake_.notify();
    }
}

ports::BrokerStatus Supervisor::status() const {
    ports::BrokerStatus status;
    status.online = online_;
    status.connects = connects_;
    status.received = received_;
    status.published = outgoing_.delivered();
    status.dropped = outgoing_.dropped();
    const std::lock_guard lock(mutex_);
    status.last_error = last_error_;
    status.contact = contact_;
    return status;
}

void Supervisor::connected(bool session_present) noexcept {
    const core::TimePoint now = clock_.now();
    const std::lock_guard lock(mutex_);
    if (session_present) {
        away_ = contact_ ? now - *contact_ : core::Duration::max();
        away_until_ = now + options_.away_window;
    } else {
        away_.reset();
        contact_ = now;  // nothing was stored
    }
    heard_at_ = now;
    ++connects_;
}

void Supervisor::arrived(const ::mqtt::message& message) noexcept {
    ++received_;
    ports::InboundMessage inbound = to_inbound(message);
    inbound.received_at = clock_.now();
    {
        const std::lock_guard lock(mutex_);
        if (away_ && inbound.received_at < away_until_) {
            inbound.away = away_;
        }
    }
    intake_.receive(std::move(inbound));
}

void Supervisor::delivered(std::uint64_t id, const std::string& failure) noexcept {
    if (!failure.empty()) {
        report("a publication was not delivered: " + failure);
    }
    if (id == farewell_id) {
        farewell_confirmed_ = failure.empty();
    } else {
        outgoing_.finish(id, failure.empty());
    }
    wake_.notify();
}

void Supervisor::heard() noexcept {
    const core::TimePoint now = clock_.now();
    const std::lock_guard lock(mutex_);
    heard_at_ = now;
    // In a short life of a connection not everything may come that was stored before it.
    if (!away_ || now >= away_until_) {
        contact_ = now;
    }
}

void Supervisor::report(const std::string& problem) {
    bool repeated = false;
    {
        const std::lock_guard lock(mutex_);
        last_error_ = problem;
        repeated = reported_ == problem;
        reported_ = problem;
    }
    log(repeated ? LogLevel::debug : LogLevel::warning, "mqtt: " + problem);
}

void Supervisor::log(LogLevel level, const std::string& text) const {
    if (options_.log) {
        options_.log(level, text);
    }
}

}  // namespace liftwarden::mqtt
