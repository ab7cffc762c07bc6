#pragma once

#include <liftwarden/core/time.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace liftwarden::sim_test {

// Virtual time: what is to happen when. Things due at the same moment happen in the order in which
// they were planned. The gateway's process may be stopped meanwhile: what is planned with
// `in_process` then waits for its end.
class Scheduler {
  public:
    using What = std::function<void()>;

    [[nodiscard]] core::TimePoint now() const { return now_; }

    void at(core::TimePoint when, What what) { plan(when, std::move(what), false); }
    void in(core::Duration delay, What what) { at(now_ + delay, std::move(what)); }
    void in_process(core::Duration delay, What what) { plan(now_ + delay, std::move(what), true); }
    void at_in_process(core::TimePoint when, What what) { plan(when, std::move(what), true); }

    void stop_process_until(core::TimePoint when) {
        stopped_until_ = std::max(stopped_until_, when);
    }

    // Lets everything happen that is due until `end`.
    void run_until(core::TimePoint end) {
        while (!planned_.empty() && planned_.front().when <= end) {
            std::pop_heap(planned_.begin(), planned_.end());
            Planned next = std::move(planned_.back());
            planned_.pop_back();
            now_ = next.when;
            if (next.of_process && now_ < stopped_until_) {
                next.when = stopped_until_;  // keeps its place among the others that wait
                planned_.push_back(std::move(next));
                std::push_heap(planned_.begin(), planned_.end());
                continue;
            }
            next.what();
        }
        now_ = end;
    }

  private:
    struct Planned {
        core::TimePoint when;
        std::uint64_t order;
        bool of_process;
        What what;
        bool operator<(const Planned& other) const {
            return std::pair(when, order) > std::pair(other.when, other.order);
        }
    };
    void plan(core::TimePoint when, What what, bool of_process) {
        planned_.push_back(Planned{std::max(when, now_), ++order_, of_process, std::move(what)});
        std::push_heap(planned_.begin(), planned_.end());
    }

    core::TimePoint now_{std::chrono::hours{1}};
    core::TimePoint stopped_until_{};
    std::uint64_t order_ = 0;
    std::vector<Planned> planned_;
};

}  // namespace liftwarden::sim_test
