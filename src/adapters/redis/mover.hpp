#pragma once

#include "src/adapters/redis/backoff.hpp"
#include "src/adapters/redis/context.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/event.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

namespace liftwarden::redis {

// Takes, renews and gives back locks on a connection of its own, one after the other in the order
// of the calls; put() from any thread, run() is the body of its own. Every order gets one
// LockMoved, at the latest a moment after its deadline. Only the server that the last probe saw is
// written to. An order without an answer may have been carried out; each may be given again.
class Mover {
  public:
    explicit Mover(Context& context) : context_(context) {}

    using Order = std::variant<core::HoldLock, core::ReturnLock>;
    void put(Order order);
    void run();
    [[nodiscard]] std::uint64_t beats() const { return beats_; }

  private:
    struct Job {
        Order order;
        Deadline deadline;
    };

    [[nodiscard]] std::optional<Job> next();
    void serve(const Job& job);
    [[nodiscard]] Outcome<Reply> ask(const Job& job);
    [[nodiscard]] std::optional<Failure> make_ready(Deadline deadline);
    void append(const core::HoldLock& order);
    void append(const core::ReturnLock& order);
    void answer(const Order& order, core::LockDone done, std::string detail);

    Context& context_;
    const WakeEvent work_;
    std::atomic<std::uint64_t> beats_{0};
    std::mutex mutex_;  // a leaf, for the queue
    std::deque<Job> queue_;

    // The thread's own.
    std::optional<Session> session_;
    Backoff backoff_;
    std::string last_failure_;
};

}  // namespace liftwarden::redis
