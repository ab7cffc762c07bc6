// Messages on their way from the client library to a command line tool.
#pragma once

#include <liftwarden/core/time.hpp>
#include <liftwarden/ports/broker.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

namespace liftwarden::app {

// Filled by the receive thread, emptied by the tool's own. Holds at most 1000 messages; what comes
// on top of them is dropped, for a tool may stop reading.
class ResultQueue final : public ports::Inbox {
  public:
    void receive(ports::InboundMessage message) noexcept override;
    void online() noexcept override;
    void offline(const std::string&) noexcept override {}

    // True once the subscriptions stand; false if they do not within `limit`.
    [[nodiscard]] bool wait_online(core::Duration limit);
    // The next message, or nullopt if none came within `limit`.
    [[nodiscard]] std::optional<ports::InboundMessage> next(core::Duration limit);

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool online_ = false;
    std::deque<ports::InboundMessage> messages_;
};

}  // namespace liftwarden::app
