#pragma once

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace liftwarden::test {

// A private redis-server on 127.0.0.1 without persistence, in a directory of its own. `extra` are
// lines of its configuration ("requirepass secret", "user gw on >x ..."). The constructor returns
// when it answers, and throws std::runtime_error with its log if it does not. Ends with the object.
// For one thread.
class RedisServer {
  public:
    explicit RedisServer(std::vector<std::string> extra = {});

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string log() const { return read_file(dir_.file("log")); }
    [[nodiscard]] const TempDir& dir() const { return dir_; }

    void start();  // after kill() or stop(), on the same port; what was in memory is gone
    void kill();   // SIGKILL
    void stop();   // orderly
    void pause();  // SIGSTOP: connections are accepted, nothing is answered
    void resume();

  private:
    TempDir dir_;
    std::uint16_t port_;
    std::unique_ptr<Process> process_;
};

// A private Sentinel that watches one master under the name "lifts" with a quorum of one, and finds
// it dead after `down_after_ms`.
class RedisSentinel {
  public:
    RedisSentinel(std::uint16_t master_port,
                  int down_after_ms,
                  std::vector<std::string> extra = {});

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::string log() const { return read_file(dir_.file("log")); }
    void kill() { process_->kill(); }

  private:
    TempDir dir_;
    std::uint16_t port_;
    std::unique_ptr<Process> process_;
};

}  // namespace liftwarden::test
