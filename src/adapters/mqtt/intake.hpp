#pragma once

#include <liftwarden/ports/broker.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

namespace liftwarden::mqtt {

// The door between the client library's threads and the Inbox. It can be shut for good, so that an
// Inbox may go away while a stuck client is left behind. Any thread may call.
class Intake {
  public:
    explicit Intake(ports::Inbox& inbox) : inbox_(inbox) {}

    // Returns when the message may be acknowledged. With the door shut it never returns: returning
    // would acknowledge what nobody has seen, and the process is about to end.
    void receive(ports::InboundMessage message) noexcept;
    void online() noexcept;
    void offline(const std::string& why) noexcept;

    // Waits for calls that are inside; false: one still is after `limit`, and the Inbox must live.
    [[nodiscard]] bool shut(std::chrono::milliseconds limit);

  private:
    bool enter();
    void leave();

    ports::Inbox& inbox_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool shut_ = false;
    int inside_ = 0;
};

}  // namespace liftwarden::mqtt
