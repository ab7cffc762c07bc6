// What other threads ask of the journal thread.
#pragma once

#include "src/adapters/sqlite/log_query.hpp"

#include <liftwarden/core/event.hpp>
#include <liftwarden/ports/journal.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <variant>
#include <vector>

namespace liftwarden::sqlite {

struct Published {
    ports::OutboxId id;
};
struct FetchOutbox {
    ports::OutboxId after;
    std::size_t limit = 0;
};
struct ReadLog {
    LogFilter filter;
    LogReply reply;
};
struct SaveContact {
    core::TimePoint contact;
};
using Request = std::variant<core::CommandReceived,
                             ports::JournalBatch,
                             Published,
                             FetchOutbox,
                             ReadLog,
                             SaveContact>;

// Requests in the order of their calls. The producers bound themselves (messages in delivery, the
// core's queues, the outbox window); `most_requests` is far above that, and reaching it means the
// journal hangs. Any thread; push never blocks.
class RequestQueue {
  public:
    static constexpr std::size_t most_requests = 65536;
    enum class Pushed { yes, full, closed };

    [[nodiscard]] Pushed push(Request request);
    // Up to `limit` requests, waiting for the first until `deadline`. Empty at the deadline, or
    // when closed and drained.
    [[nodiscard]] std::vector<Request> take(std::size_t limit,
                                            std::chrono::steady_clock::time_point deadline);
    // Nothing is taken in any more; what is in can still be taken out.
    void close();
    // Closed, and everything has been taken out.
    [[nodiscard]] bool drained() const;

  private:
    mutable std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Request> requests_;
    bool closed_ = false;
};

}  // namespace liftwarden::sqlite
