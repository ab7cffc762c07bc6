#pragma once

#include "src/adapters/redis/options.hpp"
#include "src/adapters/redis/wake_event.hpp"

#include <algorithm>
#include <random>

namespace liftwarden::redis {

// Growing pauses between attempts, each up to a fifth shorter or longer, so that gateways and
// connections do not come back all at once. One thread.
class Backoff {
  public:
    void succeeded() { pause_ = Millis{0}; }
    void failed() {
        pause_ = std::clamp(pause_ * 2, backoff_min, backoff_max);
        std::uniform_real_distribution<double> jitter(0.8, 1.2);
        const auto now = std::chrono::steady_clock::now();
        due_ = now + std::chrono::duration_cast<Deadline::duration>(pause_ * jitter(random_));
    }
    [[nodiscard]] Deadline due() const { return due_; }
    [[nodiscard]] bool is_due() const { return std::chrono::steady_clock::now() >= due_; }

  private:
    Millis pause_{0};
    Deadline due_{};
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace liftwarden::redis
