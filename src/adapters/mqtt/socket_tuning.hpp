#pragma once

#include <atomic>
#include <cstdint>
#include <set>

namespace liftwarden::mqtt {

// Takes two pauses of up to 40 ms out of every exchange. TCP holds a small packet back while an
// earlier one is unacknowledged (Nagle), and the receiver delays its acknowledgement in the hope of
// something to send with it: a command that follows the broker's answer to our last result would
// wait for that. The library neither changes these options nor gives its socket away, so the socket
// is found by its peer's port. Acting on a wrong or a reused descriptor does no harm: both options
// only make a TCP connection more eager.
class SocketTuning {
  public:
    explicit SocketTuning(std::uint16_t broker_port);

    // Once the session stands: looks for the socket that was not there at construction.
    void find_socket();
    // After each packet that asks for no answer of ours. Any thread.
    void acknowledge_now() const;

  private:
    [[nodiscard]] std::set<int> candidates() const;

    const std::uint16_t port_;
    const std::set<int> before_;
    std::atomic<int> socket_{-1};
};

}  // namespace liftwarden::mqtt
