#pragma once

#include "src/adapters/redis/failure.hpp"
#include "src/adapters/redis/reply.hpp"
#include "src/adapters/redis/wake_event.hpp"

#include <liftwarden/ports/lock_service.hpp>

#include <hiredis/hiredis.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::redis {

// One connection, for one thread at a time. hiredis puts commands into bytes and bytes into
// answers; the socket does not block, and every wait is a poll() that ends at the deadline or at
// the stop, also against a server that drips single bytes. After a failure the connection must not
// be used again: a late answer would be taken for that of the next question.
class Connection {
  public:
    // `stop` must outlive it. SIGPIPE must be blocked in the calling thread.
    [[nodiscard]] static Outcome<std::unique_ptr<Connection>> open(const ports::HostPort& server,
                                                                   Deadline deadline,
                                                                   const WakeEvent& stop);

    using Words = std::vector<std::string_view>;

    // Puts a command behind those that wait for send().
    void append(const Words& command);
    [[nodiscard]] std::optional<Failure> send(Deadline deadline);
    // The next answer; an error of the server is an answer as well.
    [[nodiscard]] Outcome<Reply> receive(Deadline deadline);

    // One command and its answer.
    [[nodiscard]] Outcome<Reply> ask(const Words& command, Deadline deadline);

    // False: there is something to read though nothing was asked; it ended, or is out of step.
    [[nodiscard]] bool is_quiet() const;
    [[nodiscard]] int fd() const { return context_->fd; }

  private:
    struct Free {
        void operator()(redisContext* context) const { ::redisFree(context); }
    };
    using Context = std::unique_ptr<redisContext, Free>;

    Connection(Context context, const WakeEvent& stop);
    [[nodiscard]] std::optional<Failure> finish_connecting(Deadline deadline);
    [[nodiscard]] Failure broken() const;

    Context context_;
    const WakeEvent& stop_;
    bool understood_ = false;  // at least one answer was
};

}  // namespace liftwarden::redis
