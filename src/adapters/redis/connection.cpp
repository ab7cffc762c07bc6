#include "src/adapters/redis/connection.hpp"

#include <liftwarden/core/assert.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace liftwarden::redis {
namespace {

// Larger than anything that is asked for: INFO sections, a list of replicas.
constexpr std::size_t most_bytes = 256 * 1024;
constexpr int most_elements = 1024;

redisReplyObjectFunctions library_functions() {
    redisReader* reader = ::redisReaderCreate();
    LIFTWARDEN_ASSERT(reader != nullptr);
    const redisReplyObjectFunctions functions = *reader->fn;
    ::redisReaderFree(reader);
    return functions;
}

// The library itself would allocate whatever length the other side claims.
void* create_bounded_array(const redisReadTask* task, int elements) {
    static const redisReplyObjectFunctions library = library_functions();
    return elements > most_elements ? nullptr : library.createArray(task, elements);
}

redisReplyObjectFunctions* bounded_functions() {
    static redisReplyObjectFunctions functions = [] {
        redisReplyObjectFunctions result = library_functions();
        result.createArray = create_bounded_array;
        return result;
    }();
    return &functions;
}

bool is_numeric(const std::string& host) {
    std::array<unsigned char, sizeof(in6_addr)> address{};
    return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
           ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

void set(int fd, int level, int option, int value) {
    // Best effort: our own deadlines do not depend on it.
    static_cast<void>(::setsockopt(fd, level, option, &value, sizeof value));
}

void tune(int fd) {
    static_cast<void>(::fcntl(fd, F_SETFD, FD_CLOEXEC));
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 3'000);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 3);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

Failure not_ready(Ready ready, const char* what) {
    if (ready == Ready::stopped) {
        return {Failure::Kind::stopped, "stopping"};
    }
    return {Failure::Kind::late, what};
}

}  // namespace

Connection::Connection(Context context, const WakeEvent& stop)
    : context_(std::move(context)), stop_(stop) {
    context_->reader->fn = bounded_functions();
}

Outcome<std::unique_ptr<Connection>> Connection::open(const ports::HostPort& server,
                                                      Deadline deadline,
                                                      const WakeEvent& stop) {
    if (!is_numeric(server.host)) {
        return Failure{Failure::Kind::settings,
                       "'" + printable(server.host) + "' is not a numeric address"};
    }
    Context context(::redisConnectNonBlock(server.host.c_str(), server.port));
    if (!context || context->err != 0) {
        return Failure{Failure::Kind::lost, context ? context->errstr : "out of memory"};
    }
    std::unique_ptr<Connection> connection(new Connection(std::move(context), stop));
    if (const auto failure = connection->finish_connecting(deadline)) {
        return *failure;
    }
    return connection;
}

std::optional<Failure> Connection::finish_connecting(Deadline deadline) {
    tune(fd());
    const Ready ready = wait_for(fd(), POLLOUT, deadline, stop_);
    if (ready != Ready::yes) {
        return not_ready(ready, "cannot connect in time");
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
        return Failure{Failure::Kind::lost,
                       std::string("cannot connect: ") + std::generic_category().message(error)};
    }
    return std::nullopt;
}

void Connection::append(const Words& command) {
    std::vector<const char*> words;
    std::vector<std::size_t> sizes;
    for (const std::string_view word : command) {
        words.push_back(word.data());
        sizes.push_back(word.size());
    }
    const int result = ::redisAppendCommandArgv(
        context_.get(), static_cast<int>(words.size()), words.data(), sizes.data());
    LIFTWARDEN_ASSERT(result == REDIS_OK);  // nothing but memory can be missing
}

std::optional<Failure> Connection::send(Deadline deadline) {
    for (;;) {
        int done = 0;
        if (::redisBufferWrite(context_.get(), &done) != REDIS_OK) {
            return broken();
        }
        if (done != 0) {
            return std::nullopt;
        }
        const Ready ready = wait_for(fd(), POLLOUT, deadline, stop_);
        if (ready != Ready::yes) {
            return not_ready(ready, "the question could not be sent in time");
        }
    }
}

Outcome<Reply> Connection::receive(Deadline deadline) {
    for (;;) {
        void* reply = nullptr;
        if (::redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK) {
            return broken();
        }
        if (reply != nullptr) {
            understood_ = true;
            return Reply(reply);
        }
        const redisReader& reader = *context_->reader;
        if (reader.len - reader.pos > most_bytes) {
            return Failure{Failure::Kind::garbage, "an endless answer"};
        }
        const Ready ready = wait_for(fd(), POLLIN, deadline, stop_);
        const bool late = std::chrono::steady_clock::now() >= deadline;
        if (ready != Ready::yes || late) {
            return not_ready(ready, "no answer in time");
        }
        if (::redisBufferRead(context_.get()) != REDIS_OK) {
            return broken();
        }
    }
}

Outcome<Reply> Connection::ask(const Words& command, Deadline deadline) {
    append(command);
    if (const auto failure = send(deadline)) {
        return *failure;
    }
    return receive(deadline);
}

bool Connection::is_quiet() const {
    pollfd source{fd(), POLLIN, 0};
    return ::poll(&source, 1, 0) == 0;
}

Failure Connection::broken() const {
    const std::string text = printable(context_->errstr);
    if (context_->err == REDIS_ERR_IO || context_->err == REDIS_ERR_EOF) {
        return {Failure::Kind::lost, text};
    }
    if (understood_) {
        return {Failure::Kind::garbage, text};
    }
    return {Failure::Kind::settings, "no Redis in plain text at this address: " + text};
}

}  // namespace liftwarden::redis
