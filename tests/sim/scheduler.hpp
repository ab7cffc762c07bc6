#pragma once

#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace liftwarden::sim_test {

// Virtual time: what is to happen when. Things due at the same moment happen in the order in which
// they were planned.
class Scheduler {
  public:
    using What = std::function<void()>;

    [[nodiscard]] core::TimePoint now() const { return now_; }

    void at(core::TimePoint when, What what) {
        planned_.push(Planned{std::max(when, now_), ++order_, std::move(what)});
    }
    void in(core::Duration delay, What what) { at(now_ + delay, std::move(what)); }

    // Lets everything happen that is due until `end`.
    void run_until(core::TimePoint end) {
        while (!planned_.empty() && planned_.top().when <= end) {
            Planned next = planned_.top();
            planned_.pop();
            now_ = next.when;
            next.what();
        }
        now_ = end;
    }

  private:
    struct Planned {
        core::TimePoint when;
        std::uint64_t order;
        What what;
        bool operator<(const Planned& other) const {
            return std::pair(when, order) > std::pair(other.when, other.order);
        }
    };
    core::TimePoint now_{std::chrono::hours{1}};
    std::uint64_t order_ = 0;
    std::priority_queue<Planned> planned_;
};

}  // namespace liftwarden::sim_test
