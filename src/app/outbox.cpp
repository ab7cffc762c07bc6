#include "src/app/outbox.hpp"

#include "src/app/log.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::app {
namespace {

// Refused so often, once a second, a message is set aside; after so many retries it gets another
// chance.
constexpr int refusals_max = 20;
constexpr int retries_until_again = 600;

}  // namespace

Outbox::Outbox(ports::Journal& journal, ports::Broker& broker, Defer defer, std::size_t window)
    : journal_(journal), broker_(broker), defer_(std::move(defer)), limit_(window) {}

void Outbox::start(ports::OutboxId newest_stored) {
    newest_left_ = newest_stored;
    refill();
}

void Outbox::offer(std::vector<ports::OutboxMessage> messages) {
    if (messages.empty()) {
        fetching_ = false;  // retry() asks again if something should have been there
        return;
    }
    if (behind() && messages.front().id > newest_left_) {
        newest_left_ = messages.back().id;  // its turn comes after those left before it
        return;
    }
    take(std::move(messages));
    send_waiting();
    refill();
}

void Outbox::take(std::vector<ports::OutboxMessage> messages) {
    fetching_ = false;
    const auto newest_offered = messages.back().id;
    for (auto& message : messages) {
        if (window_.size() >= limit_) {
            break;
        }
        if (message.id > newest_) {
            newest_ = message.id;
            window_.emplace(newest_, Entry{std::move(message)});
        }
    }
    newest_left_ = std::max(newest_left_, newest_offered);
}

void Outbox::send_waiting() {
    if (!online_) {
        return;
    }
    for (auto& [id, entry] : window_) {
        if (entry.sending) {
            continue;
        }
        entry.sending = true;
        const auto attempt = ++entry.attempt;
        ports::OutboundMessage out;
        out.topic = entry.message.topic;
        out.payload = entry.message.payload;
        out.correlation = entry.message.correlation;
        broker_.publish(std::move(out), [this, id = id, attempt](bool delivered) {
            defer_([this, id, attempt, delivered] { finished(id, attempt, delivered); });
        });
    }
}

void Outbox::finished(ports::OutboxId id, std::uint64_t attempt, bool delivered) {
    const auto found = window_.find(id);
    if (found == window_.end()) {
        return;
    }
    if (delivered) {
        window_.erase(found);
        journal_.published(id);
        refill();
    } else if (found->second.attempt == attempt) {
        found->second.sending = false;
        found->second.refusals += online_ ? 1 : 0;
        if (found->second.refusals >= refusals_max) {
            set_aside(id);
        }
    }
}

void Outbox::set_aside(ports::OutboxId id) {
    const auto found = window_.find(id);
    log(LogLevel::warning,
        "result_refused",
        {{"topic", found->second.message.topic}, {"why", "the broker does not take it"}});
    window_.erase(found);
    if (first_aside_ == ports::OutboxId{} || id < first_aside_) {
        first_aside_ = id;
    }
    refill();
}

// The journal still has them: the window goes back to before the first of them. What it holds is
// not taken twice. Not while a fetch is under way: its answer would move the window on past them.
void Outbox::take_up_again() {
    if (fetching_) {
        return;
    }
    retries_ = 0;
    if (first_aside_ == ports::OutboxId{}) {
        return;
    }
    newest_left_ = std::max(newest_left_, newest_);
    newest_ = ports::OutboxId{first_aside_.value() - 1};
    first_aside_ = {};
}

void Outbox::online() {
    online_ = true;
    retries_ = retries_until_again;
    take_up_again();
    send_waiting();
    refill();
}

void Outbox::offline() {
    online_ = false;
    for (auto& [id, entry] : window_) {
        entry.sending = false;
        entry.refusals = 0;
    }
}

void Outbox::retry() {
    if (++retries_ >= retries_until_again) {
        take_up_again();
    }
    send_waiting();
    refill();
}

void Outbox::refill() {
    if (behind() && !fetching_ && window_.size() <= limit_ / 2) {
        fetch();
    }
}

void Outbox::fetch() {
    fetching_ = true;
    journal_.fetch_outbox(newest_, limit_ - window_.size());
}

}  // namespace liftwarden::app
