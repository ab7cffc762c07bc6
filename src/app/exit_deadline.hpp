// Makes sure that the process ends.
#pragma once

#include <liftwarden/core/time.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace liftwarden::app {

// Once armed, calls `expired` on a thread of its own unless it is destroyed in time. What cannot be
// unwound in time, a library's thread or a stuck device, is left to the kernel that way.
class ExitDeadline {
  public:
    explicit ExitDeadline(std::function<void()> expired) : expired_(std::move(expired)) {}
    ~ExitDeadline();
    ExitDeadline(const ExitDeadline&) = delete;
    ExitDeadline& operator=(const ExitDeadline&) = delete;

    // Once; by the owner.
    void arm(core::Duration after);

  private:
    std::function<void()> expired_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool cancelled_ = false;
    std::thread thread_;
};

}  // namespace liftwarden::app
