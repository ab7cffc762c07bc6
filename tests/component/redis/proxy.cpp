#include "tests/component/redis/proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <utility>

namespace liftwarden::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

bool put(int fd, const std::string& bytes) {
    return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
}

std::string get(int fd) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
}

}  // namespace

// One connection and its way to the server.
class RedisProxy::Link {
  public:
    Link(RedisProxy& proxy, int client) : proxy_(proxy), client_(client) {}
    ~Link() {
        ::close(client_);
        if (server_ >= 0) {
            ::close(server_);
        }
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    void run() {
        const int on = 1;
        server_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = loopback(proxy_.server_);
        ::setsockopt(server_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::connect(server_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            return;
        }
        while (!proxy_.ending_ && step()) {
        }
    }

  private:
    bool step() {
        std::array<pollfd, 2> sources{pollfd{client_, POLLIN, 0}, pollfd{server_, POLLIN, 0}};
        ::poll(sources.data(), sources.size(), 20);
        return (sources[0].revents == 0 || ask()) && (sources[1].revents == 0 || answer());
    }

    bool ask() {
        const std::string bytes = get(client_);
        const Order order = proxy_.order();
        spoiled_.reset();
        if (order.fault != Fault::none && bytes.find(order.words) != std::string::npos) {
            spoiled_ = order;
        }
        return !bytes.empty() && put(server_, bytes);
    }

    bool answer() {
        const std::string bytes = get(server_);
        if (bytes.empty()) {
            return false;
        }
        if (!spoiled_) {
            before_ = bytes;
            return put(client_, bytes);
        }
        switch (spoiled_->fault) {
            case Fault::drip:
                return drip(bytes);
            case Fault::replace:
                return put(client_, spoiled_->bytes);
            case Fault::repeat:
                return put(client_, before_);
            case Fault::hang_up:
                return false;
            default:
                return true;
        }
    }

    bool drip(const std::string& bytes) {
        for (const char byte : bytes) {
            if (proxy_.ending_ || !put(client_, std::string(1, byte))) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        return true;
    }

    RedisProxy& proxy_;
    int client_;
    int server_ = -1;
    std::optional<Order> spoiled_;
    std::string before_;
};

RedisProxy::RedisProxy(std::uint16_t server)
    : server_(server), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
        throw std::runtime_error("the proxy cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { accept_all(); });
}

RedisProxy::~RedisProxy() {
    ending_ = true;
    thread_.join();
    for (std::thread& link : links_) {
        link.join();
    }
    ::close(listener_);
}

void RedisProxy::accept_all() {
    while (!ending_) {
        pollfd source{listener_, POLLIN, 0};
        if (::poll(&source, 1, 20) != 1) {
            continue;
        }
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client >= 0) {
            ++connections_;
            links_.emplace_back([this, client] { Link(*this, client).run(); });
        }
    }
}

void RedisProxy::spoil(Fault fault, const std::string& words, const std::string& bytes) {
    const std::lock_guard lock(mutex_);
    order_ = {fault, words, bytes};
}

RedisProxy::Order RedisProxy::order() const {
    const std::lock_guard lock(mutex_);
    return order_;
}

}  // namespace liftwarden::test
