#include "src/app/exit_deadline.hpp"

namespace liftwarden::app {

void ExitDeadline::arm(core::Duration after) {
    thread_ = std::thread([this, after] {
        std::unique_lock lock(mutex_);
        if (!wake_.wait_for(lock, after, [this] { return cancelled_; })) {
            expired_();
        }
    });
}

ExitDeadline::~ExitDeadline() {
    {
        const std::lock_guard lock(mutex_);
        cancelled_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

}  // namespace liftwarden::app
