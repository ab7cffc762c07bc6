#pragma once

#include <liftwarden/ports/broker.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace liftwarden::mqtt {

// What is to be sent and what awaits its acknowledgement. Every message that is offered gets its
// `done` called exactly once, never under the lock. Bounded on both sides; open only while the
// link stands. Any thread may call.
class Outgoing {
  public:
    using Done = std::function<void(bool)>;
    using Id = std::uint64_t;

    struct Item {
        Id id = 0;
        ports::OutboundMessage message;
    };

    Outgoing(std::size_t queue_limit, std::size_t window)
        : queue_limit_(queue_limit), window_(window) {}

    // False: refused, with done(false) called, because the link is down or the queue is full.
    bool offer(ports::OutboundMessage message, Done done);
    // The next message, now counted as unconfirmed; nullopt while there is none or the window is
    // full.
    [[nodiscard]] std::optional<Item> next();
    // An unknown id is ignored: its link was given up before the answer came.
    void finish(Id id, bool delivered);

    void open();   // takes messages
    void drain();  // takes no more; what is there goes on
    void close();  // takes no more, and nothing that is there was delivered

    [[nodiscard]] bool idle() const;  // nothing waits, nothing is unconfirmed
    [[nodiscard]] std::uint64_t delivered() const;
    [[nodiscard]] std::uint64_t dropped() const;  // refused by a full queue

  private:
    struct Waiting {
        ports::OutboundMessage message;
        Done done;
    };

    const std::size_t queue_limit_;
    const std::size_t window_;
    mutable std::mutex mutex_;
    bool open_ = false;
    std::deque<Waiting> queue_;
    std::map<Id, Done> unconfirmed_;
    Id last_id_ = 0;
    std::uint64_t delivered_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace liftwarden::mqtt
