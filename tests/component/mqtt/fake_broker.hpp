#pragma once

#include "tests/support/mqtt_wire.hpp"
#include "tests/support/wait.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::test {

// A broker that does what no real one does on request: it shows the packets as they came and may
// withhold or refuse answers. MQTT 5, one connection at a time, on 127.0.0.1.
class ScriptedBroker {
  public:
    ScriptedBroker();
    ~ScriptedBroker();
    ScriptedBroker(const ScriptedBroker&) = delete;
    ScriptedBroker& operator=(const ScriptedBroker&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::vector<std::string> connects() const;    // bodies
    [[nodiscard]] std::vector<std::string> subscribes() const;  // bodies
    [[nodiscard]] std::size_t publishes() const;
    void acknowledge(std::size_t count);  // the oldest unanswered publishes
    void deliver(const std::string& topic, const std::string& payload);
    void disconnect(unsigned reason);  // says why, then hangs up
    void hang_up();

    std::atomic<bool> acknowledging{true};  // publishes, at once
    std::atomic<bool> answering{true};      // anything at all
    std::atomic<bool> session_present{false};
    std::atomic<unsigned> subscribe_code{1};

  private:
    void serve();
    void serve_connection(int fd);
    void handle(int fd, unsigned first_byte, const std::string& body);
    void answer(int fd, const std::string& packet) const;

    int listener_;
    std::uint16_t port_;
    std::atomic<int> connection_{-1};
    mutable std::mutex mutex_;
    std::vector<std::string> connects_;
    std::vector<std::string> subscribes_;
    std::vector<std::uint16_t> unanswered_;
    std::size_t publishes_ = 0;
    std::atomic<bool> ending_{false};
    std::thread thread_;
};

}  // namespace liftwarden::test
