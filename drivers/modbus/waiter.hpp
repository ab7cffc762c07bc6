#pragma once

#include <atomic>
#include <chrono>

namespace liftwarden::modbus {

using IoClock = std::chrono::steady_clock;

// Waits for one file descriptor, for time to pass, or for stop(), whichever comes first. A signal
// never shortens or lengthens a wait. stop() may be called by any thread and holds for ever; all
// else belongs to the thread of the bus.
class Waiter {
  public:
    enum class Event { ready, timeout, stopped };

    Waiter();
    ~Waiter();
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    // `events` as in poll(2). `ready` also for an error or a hang-up, which the next call on the
    // descriptor then reports.
    [[nodiscard]] Event wait(int fd, short events, IoClock::time_point deadline) const;
    [[nodiscard]] Event sleep_until(IoClock::time_point deadline) const;

    void stop();
    [[nodiscard]] bool stopped() const { return stopped_.load(); }

  private:
    int wake_fd_ = -1;
    std::atomic<bool> stopped_{false};
};

}  // namespace liftwarden::modbus
