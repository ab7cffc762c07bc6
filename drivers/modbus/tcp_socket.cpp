#include "drivers/modbus/tcp_socket.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

namespace liftwarden::modbus {
namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
}

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// Leaves `size` 0 if the text is not a numeric address.
Address parse_address(const std::string& host, std::uint16_t port) {
    Address address;
    sockaddr_in v4{};
    sockaddr_in6 v6{};
    if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        address.size = sizeof v4;
        std::memcpy(&address.storage, &v4, sizeof v4);
    } else if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        address.size = sizeof v6;
        std::memcpy(&address.storage, &v6, sizeof v6);
    }
    return address;
}

template <class T>
bool set_option(int fd, int level, int name, const T& value) {
    return ::setsockopt(fd, level, name, &value, sizeof value) == 0;
}

// Requests leave at once; a close is always a reset; a path that has died is noticed by the kernel
// too, also between polls.
bool set_options(int fd, IoClock::duration response_timeout) {
    const linger reset_on_close{1, 0};
    const int on = 1;
    const int idle_seconds = 5;
    const int probe_seconds = 1;
    const int probes = 3;
    const auto timeout =
        std::chrono::duration_cast<std::chrono::milliseconds>(response_timeout).count();
    const auto user_timeout_ms =
        static_cast<unsigned>(std::clamp<std::int64_t>(timeout, 100, 60000));
    return set_option(fd, SOL_SOCKET, SO_LINGER, reset_on_close) &&
           set_option(fd, IPPROTO_TCP, TCP_NODELAY, on) &&
           set_option(fd, SOL_SOCKET, SO_KEEPALIVE, on) &&
           set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, idle_seconds) &&
           set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, probe_seconds) &&
           set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, probes) &&
           set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout_ms);
}

// Owns a descriptor until it is handed over.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  private:
    int fd_;
};

// Empty when the connection stands.
std::string finish_connect(int fd,
                           const Address& address,
                           const Waiter& waiter,
                           IoClock::time_point deadline) {
    // A connect cut short by a signal goes on in the background, like one in progress.
    if (::connect(fd, address.get(), address.size) == 0) {
        return {};
    }
    if (errno != EINPROGRESS && errno != EINTR) {
        return reason(errno);
    }
    switch (waiter.wait(fd, POLLOUT, deadline)) {
        case Waiter::Event::timeout:
            return "no answer to the connection request";
        case Waiter::Event::stopped:
            return "stopping";
        case Waiter::Event::ready:
            break;
    }
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
        error = errno;
    }
    return error == 0 ? std::string{} : reason(error);
}

}  // namespace

TcpSocket::TcpSocket(std::string host, std::uint16_t port)
    : host_(std::move(host)),
      port_(port),
      // The library writes to stderr about an empty name.
      context_(::modbus_new_tcp_pi(host_.empty() ? "none" : host_.c_str(),
                                   std::to_string(port).c_str())) {
    if (context_ != nullptr) {
        ::modbus_set_error_recovery(context_, MODBUS_ERROR_RECOVERY_NONE);
        ::modbus_set_byte_timeout(context_, 0, 0);
    }
}

TcpSocket::~TcpSocket() {
    abort();
    ::modbus_free(context_);
}

std::string TcpSocket::connect(const Waiter& waiter,
                               IoClock::time_point deadline,
                               IoClock::duration response_timeout) {
    abort();
    const Address address = parse_address(host_, port_);
    if (address.size == 0 || context_ == nullptr) {
        return fmt::format("'{}' is not a numeric address", host_);
    }
    Descriptor fd{
        ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (fd.get() < 0) {
        return reason(errno);
    }
    // The library's FD_SET would end the process if it ever saw such a descriptor.
    if (fd.get() >= FD_SETSIZE) {
        return fmt::format("descriptor {} is beyond the limit of {}", fd.get(), FD_SETSIZE);
    }
    std::string why = finish_connect(fd.get(), address, waiter, deadline);
    // Only now: TCP_USER_TIMEOUT would bound the connection request as well.
    if (why.empty() && !set_options(fd.get(), response_timeout)) {
        why = "socket options: " + reason(errno);
    }
    if (why.empty()) {
        ::modbus_set_socket(context_, fd.release());
    }
    return why;
}

int TcpSocket::fd() const {
    return context_ != nullptr ? ::modbus_get_socket(context_) : -1;
}

bool TcpSocket::hung_up() const {
    pollfd state{fd(), POLLRDHUP, 0};
    return ::poll(&state, 1, 0) > 0;
}

void TcpSocket::abort() {
    if (connected()) {
        // Not modbus_close(): that shuts the connection down in good order first, and with it sends
        // what is still waiting.
        ::close(fd());
        ::modbus_set_socket(context_, -1);
    }
}

}  // namespace liftwarden::modbus
