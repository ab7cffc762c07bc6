#include "src/app/result_queue.hpp"

#include <utility>

namespace liftwarden::app {
namespace {

constexpr std::size_t messages_max = 1000;

}  // namespace

void ResultQueue::receive(ports::InboundMessage message) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (messages_.size() >= messages_max) {
            return;
        }
        messages_.push_back(std::move(message));
    }
    changed_.notify_all();
}

void ResultQueue::online() noexcept {
    {
        const std::lock_guard lock(mutex_);
        online_ = true;
    }
    changed_.notify_all();
}

bool ResultQueue::wait_online(core::Duration limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return online_; });
}

std::optional<ports::InboundMessage> ResultQueue::next(core::Duration limit) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, limit, [this] { return !messages_.empty(); })) {
        return std::nullopt;
    }
    auto message = std::move(messages_.front());
    messages_.pop_front();
    return message;
}

}  // namespace liftwarden::app
