#pragma once

#include "tests/support/wait.hpp"

#include <sys/types.h>

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::test {

struct ProcessOptions {
    std::vector<std::string> argv;           // argv[0] is a path, or looked up in PATH
    std::map<std::string, std::string> env;  // added to, or replacing, the test's own
    std::string stdout_file;                 // created or appended to; empty: /dev/null
    std::string stderr_file;                 // may be the same file
};

// One child process. It starts with default signal handling and an empty signal mask, whatever the
// test has done to its own, and never outlives this object (SIGKILL). For one thread.
class Process {
  public:
    // Throws std::runtime_error if it cannot be started.
    explicit Process(const ProcessOptions& options);
    ~Process();
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] bool running();
    void signal(int number);
    // Exit code, or 128 + signal number, as in a shell; nullopt: still running after `limit`.
    std::optional<int> wait(Millis limit = 10s);
    // SIGTERM and wait, then SIGKILL if that did not help within `limit`.
    std::optional<int> stop(Millis limit = 10s);
    int kill();

  private:
    pid_t pid_ = -1;
    std::optional<int> status_;
};

// Runs to the end; throws std::runtime_error unless it exits with 0 within 30 s.
void run(const std::vector<std::string>& argv);

}  // namespace liftwarden::test
