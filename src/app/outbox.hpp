// Carries what must reach the broker from the journal to it, however long that takes.
#pragma once

#include <liftwarden/ports/broker.hpp>
#include <liftwarden/ports/journal.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace liftwarden::app {

// Runs a function on the loop thread, later; callable from any thread.
using Defer = std::function<void(std::function<void()>)>;

// Keeps a window of the oldest unconfirmed messages in memory and leaves the rest in the journal.
// Each is published until the broker has confirmed it, then reported to the journal. Messages are
// sent in the order of their ids, and in that order again after a lost link; a receiver may see one
// twice, never none. One that the broker keeps refusing, such as by its access list, is set aside
// for some minutes, so that it does not hold up the others. Not thread-safe: every call is made on
// the loop thread. It must outlive the broker's last callback.
class Outbox {
  public:
    Outbox(ports::Journal& journal, ports::Broker& broker, Defer defer, std::size_t window = 64);

    // `newest_stored`: the newest message that an earlier process left in the journal; 0: none.
    // Before the first commit.
    void start(ports::OutboxId newest_stored);
    // From the journal: new messages after a commit, or the answer to a fetch.
    void offer(std::vector<ports::OutboxMessage> messages);
    void online();
    void offline();
    // Once a second: offers again what was refused.
    void retry();

    // Messages in memory that the broker has not confirmed.
    [[nodiscard]] std::size_t unconfirmed() const { return window_.size(); }
    // True if nothing waits, here or in the journal.
    [[nodiscard]] bool empty() const { return window_.empty() && !behind(); }

  private:
    struct Entry {
        ports::OutboxMessage message;
        bool sending = false;
        std::uint64_t attempt = 0;  // tells a late answer from one that matters
        int refusals = 0;           // on this link
    };

    // The journal holds messages that the window does not.
    [[nodiscard]] bool behind() const { return newest_ < newest_left_; }
    void take(std::vector<ports::OutboxMessage> messages);
    void send_waiting();
    void finished(ports::OutboxId id, std::uint64_t attempt, bool delivered);
    void set_aside(ports::OutboxId id);
    void take_up_again();
    void refill();
    void fetch();

    ports::Journal& journal_;
    ports::Broker& broker_;
    Defer defer_;
    std::size_t limit_;
    bool online_ = false;
    std::map<ports::OutboxId, Entry> window_;
    ports::OutboxId newest_;  // the highest id ever taken into the window

    // The highest id known to be in the journal and not in the window. Ids grow, so a list that
    // begins above it is a new commit, and one that begins at or below it answers a fetch.
    ports::OutboxId newest_left_;
    bool fetching_ = false;
    ports::OutboxId first_aside_;  // the lowest id set aside; 0: none
    int retries_ = 0;              // since something was last taken up again
};

}  // namespace liftwarden::app
