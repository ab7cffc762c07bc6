#include "src/adapters/mqtt/outgoing.hpp"

#include <utility>

namespace liftwarden::mqtt {
namespace {

void call(const Outgoing::Done& done, bool delivered) {
    if (done) {
        done(delivered);
    }
}

}  // namespace

bool Outgoing::offer(ports::OutboundMessage message, Done done) {
    {
        const std::lock_guard lock(mutex_);
        if (open_ && queue_.size() < queue_limit_) {
            queue_.push_back({std::move(message), std::move(done)});
            return true;
        }
        dropped_ += open_ ? 1 : 0;
    }
    call(done, false);
    return false;
}

std::optional<Outgoing::Item> Outgoing::next() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty() || unconfirmed_.size() >= window_) {
        return std::nullopt;
    }
    Waiting first = std::move(queue_.front());
    queue_.pop_front();
    const Id id = ++last_id_;
    unconfirmed_.emplace(id, std::move(first.done));
    return Item{id, std::move(first.message)};
}

void Outgoing::finish(Id id, bool delivered) {
    Done done;
    {
        const std::lock_guard lock(mutex_);
        const auto at = unconfirmed_.find(id);
        if (at == unconfirmed_.end()) {
            return;
        }
        done = std::move(at->second);
        unconfirmed_.erase(at);
        delivered_ += delivered ? 1 : 0;
    }
    call(done, delivered);
}

void Outgoing::open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
}

void Outgoing::drain() {
    const std::lock_guard lock(mutex_);
    open_ = false;
}

void Outgoing::close() {
    std::deque<Waiting> waiting;
    std::map<Id, Done> unconfirmed;
    {
        const std::lock_guard lock(mutex_);
        open_ = false;
        waiting.swap(queue_);
        unconfirmed.swap(unconfirmed_);
    }
    for (const auto& [id, done] : unconfirmed) {
        call(done, false);
    }
    for (const Waiting& item : waiting) {
        call(item.done, false);
    }
}

bool Outgoing::idle() const {
    const std::lock_guard lock(mutex_);
    return queue_.empty() && unconfirmed_.empty();
}

std::uint64_t Outgoing::delivered() const {
    const std::lock_guard lock(mutex_);
    return delivered_;
}

std::uint64_t Outgoing::dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
}

}  // namespace liftwarden::mqtt
