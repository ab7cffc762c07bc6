#pragma once

#include <chrono>

namespace liftwarden::redis {

// Wakes a thread that sleeps in poll(). notify() from any thread; it stays set until drain().
class WakeEvent {
  public:
    WakeEvent();
    ~WakeEvent();
    WakeEvent(const WakeEvent&) = delete;
    WakeEvent& operator=(const WakeEvent&) = delete;

    void notify() const;
    void drain() const;
    [[nodiscard]] int fd() const { return fd_; }

  private:
    int fd_;
};

// Moments for IO deadlines; decisions use ports::Clock.
using Deadline = std::chrono::steady_clock::time_point;

enum class Ready { yes, late, stopped };

// Until `fd` (-1: nothing) is ready for `events` of poll(2), or the deadline. `stop` goes first.
[[nodiscard]] Ready wait_for(int fd, short events, Deadline deadline, const WakeEvent& stop);

}  // namespace liftwarden::redis
