#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace liftwarden::mqtt {

// "Something changed, look again": notify() from any thread, wait by one. A notification that comes
// before the wait is not lost; several make one.
class Wake {
  public:
    void notify() {
        const std::lock_guard lock(mutex_);
        pending_ = true;
        changed_.notify_one();
    }

    void wait_for(std::chrono::milliseconds limit) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, limit, [this] { return pending_; });
        pending_ = false;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool pending_ = false;
};

}  // namespace liftwarden::mqtt
