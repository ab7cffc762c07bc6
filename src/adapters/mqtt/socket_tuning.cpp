#include "src/adapters/mqtt/socket_tuning.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace liftwarden::mqtt {
namespace {

// Descriptors above this are not looked at; the service runs with 1024.
constexpr long descriptor_limit = 4096;

std::optional<std::uint16_t> peer_port(int fd) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) {
        return std::nullopt;
    }
    if (peer.ss_family == AF_INET) {
        return ntohs(reinterpret_cast<const sockaddr_in*>(&peer)->sin_port);
    }
    if (peer.ss_family == AF_INET6) {
        return ntohs(reinterpret_cast<const sockaddr_in6*>(&peer)->sin6_port);
    }
    return std::nullopt;
}

void switch_on(int fd, int option) {
    const int on = 1;
    static_cast<void>(::setsockopt(fd, IPPROTO_TCP, option, &on, sizeof on));
}

}  // namespace

SocketTuning::SocketTuning(std::uint16_t broker_port) : port_(broker_port), before_(candidates()) {}

std::set<int> SocketTuning::candidates() const {
    std::set<int> found;
    const long limit = std::min(::sysconf(_SC_OPEN_MAX), descriptor_limit);
    for (int fd = 0; fd < limit; ++fd) {
        if (peer_port(fd) == port_) {
            found.insert(fd);
        }
    }
    return found;
}

void SocketTuning::find_socket() {
    for (const int fd : candidates()) {
        if (!before_.contains(fd)) {
            switch_on(fd, TCP_NODELAY);
            socket_ = fd;
            return;
        }
    }
}

void SocketTuning::acknowledge_now() const {
    if (socket_ >= 0) {
        switch_on(socket_, TCP_QUICKACK);
    }
}

}  // namespace liftwarden::mqtt
