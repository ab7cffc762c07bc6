#pragma once

#include "src/adapters/redis/backoff.hpp"
#include "src/adapters/redis/check.hpp"
#include "src/adapters/redis/context.hpp"

#include <liftwarden/core/action.hpp>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace liftwarden::redis {

// Verification on one connection: put() from any thread, run() is the body of its own. Every
// question gets one LockChecked, at the latest a moment after its deadline. Without a connection it
// is answered at once, on the caller's thread; the lane connects by itself, in the background and
// for ever. After any failure the connection is closed.
class Lane {
  public:
    explicit Lane(Context& context) : context_(context) {}

    void put(const core::CheckLock& question);
    void run();
    [[nodiscard]] std::uint64_t beats() const { return beats_; }

  private:
    struct Question {
        core::CheckLock text;
        Deadline deadline;
    };

    void connect();
    void wait_for_work();
    void serve(const Question& question);
    void ping();
    void drop(const std::string& why);
    void refuse(const core::CheckLock& question, const std::string& why);
    [[nodiscard]] std::optional<Question> next();
    [[nodiscard]] bool stopping() const;

    Context& context_;
    const WakeEvent work_;
    std::atomic<std::uint64_t> beats_{0};

    std::mutex mutex_;  // a leaf, for what follows
    bool ready_ = false;
    std::string not_ready_ = "not connected yet";
    std::deque<Question> queue_;

    // The thread's own.
    std::optional<Session> session_;
    Backoff backoff_;
    Deadline used_at_{};
    std::string reported_;
};

}  // namespace liftwarden::redis
