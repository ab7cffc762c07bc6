#pragma once

#include <cstdint>

namespace liftwarden::test {

// A TCP port on 127.0.0.1 that nobody listened on a moment ago; the kernel does not hand the same
// one out again soon. Throws std::runtime_error.
[[nodiscard]] std::uint16_t free_port();

// Whether something accepts connections on 127.0.0.1:port.
[[nodiscard]] bool accepts_connections(std::uint16_t port);

// A port that accepts connections (the kernel does, the backlog holds them) and never answers.
class SilentServer {
  public:
    SilentServer();
    ~SilentServer();
    SilentServer(const SilentServer&) = delete;
    SilentServer& operator=(const SilentServer&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }

  private:
    int socket_;
    std::uint16_t port_;
};

}  // namespace liftwarden::test
