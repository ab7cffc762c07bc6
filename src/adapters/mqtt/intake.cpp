#include "src/adapters/mqtt/intake.hpp"

#include <thread>
#include <utility>

namespace liftwarden::mqtt {

void Intake::receive(ports::InboundMessage message) noexcept {
    if (!enter()) {
        for (;;) {
            std::this_thread::sleep_for(std::chrono::hours{1});
        }
    }
    inbox_.receive(std::move(message));
    leave();
}

void Intake::online() noexcept {
    if (enter()) {
        inbox_.online();
        leave();
    }
}

void Intake::offline(const std::string& why) noexcept {
    if (enter()) {
        inbox_.offline(why);
        leave();
    }
}

bool Intake::shut(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    shut_ = true;
    return changed_.wait_for(lock, limit, [this] { return inside_ == 0; });
}

bool Intake::enter() {
    const std::lock_guard lock(mutex_);
    if (!shut_) {
        ++inside_;
    }
    return !shut_;
}

void Intake::leave() {
    const std::lock_guard lock(mutex_);
    --inside_;
    changed_.notify_all();
}

}  // namespace liftwarden::mqtt
