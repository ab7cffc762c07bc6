#pragma once

#include <initializer_list>
#include <optional>

namespace liftwarden::system {

// Blocks every signal that is not the CPU's or our own complaint (SIGSEGV, SIGABRT and the like),
// for this thread and all that it will start. Call it before any thread exists: a library's thread
// must never be the one that takes SIGTERM.
void block_signals();

// Signals as something to read from. Works only for signals that are blocked.
class SignalFd {
  public:
    explicit SignalFd(std::initializer_list<int> signals);
    ~SignalFd();
    SignalFd(const SignalFd&) = delete;
    SignalFd& operator=(const SignalFd&) = delete;

    // Non-blocking, close-on-exec; readable when a signal waits. Stays ours.
    [[nodiscard]] int fd() const { return fd_; }
    // The next one that waits, or nullopt.
    [[nodiscard]] std::optional<int> next() const;

  private:
    int fd_;
};

}  // namespace liftwarden::system
