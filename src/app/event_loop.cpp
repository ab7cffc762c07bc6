#include "src/app/event_loop.hpp"

#include "src/app/log.hpp"

#include <liftwarden/core/assert.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace liftwarden::app {
namespace {

// CLOCK_BOOTTIME counts suspend and the timer's clock does not, so after one a deadline may be long
// past before the timer thinks so: it never sleeps longer than this.
constexpr core::Duration longest_sleep = std::chrono::seconds{1};
// A deadline that stays in the past must not turn the loop into a busy one.
constexpr core::Duration shortest_sleep = std::chrono::milliseconds{1};

// Workers post at the pace of their devices. This many unhandled events mean that the loop stands.
constexpr std::size_t waiting_max = 100'000;

}  // namespace

EventLoop::EventLoop(boost::asio::io_context& io, const ports::Clock& clock)
    : io_(io), clock_(clock), timer_(io) {}

void EventLoop::attach(core::Gateway& gateway, Execute execute) {
    LIFTWARDEN_ASSERT(gateway_ == nullptr);
    gateway_ = &gateway;
    execute_ = std::move(execute);
    boost::asio::post(io_, [this] { turn(); });
}

void EventLoop::post(core::Event event) {
    bool first = false;
    {
        const std::lock_guard lock(mutex_);
        first = waiting_.empty();
        waiting_.push_back(std::move(event));
        if (waiting_.size() > waiting_max) {
            last_words(
                "event loop stands: 100000 events wait; ending so that the service restarts");
            std::abort();
        }
    }
    if (first) {
        boost::asio::post(io_, [this] { turn(); });
    }
}

void EventLoop::turn() {
    if (gateway_ == nullptr) {
        return;  // attach() schedules the first turn
    }
    handling_.clear();
    {
        const std::lock_guard lock(mutex_);
        std::swap(handling_, waiting_);
    }
    actions_.clear();
    for (const core::Event& event : handling_) {
        gateway_->handle(clock_.now(), event, actions_);
    }
    const auto deadline = gateway_->next_deadline();
    const auto now = clock_.now();
    if (deadline && *deadline <= now) {
        gateway_->on_time(now, actions_);
    }
    execute_(actions_);
    arm_timer();
    ++turns_;
}

void EventLoop::arm_timer() {
    const auto deadline = gateway_->next_deadline();
    core::Duration sleep = longest_sleep;
    if (deadline) {
        sleep = std::clamp(*deadline - clock_.now(), shortest_sleep, longest_sleep);
    }
    timer_.expires_after(sleep);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) {
            turn();
        }
    });
}

}  // namespace liftwarden::app
