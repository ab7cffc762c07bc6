#include "tests/support/net.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <tuple>
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

// sockaddr is the type the socket calls name for every address family.
template <class Address>
auto* generic(Address* address) {
    return reinterpret_cast<sockaddr*>(address);
}

std::pair<int, std::uint16_t> bound_socket() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (fd < 0 || ::bind(fd, generic(&address), size) != 0 ||
        ::getsockname(fd, generic(&address), &size) != 0) {
        throw std::runtime_error("no free port on 127.0.0.1");
    }
    return {fd, ntohs(address.sin_port)};
}

}  // namespace

std::uint16_t free_port() {
    const auto [fd, port] = bound_socket();
    ::close(fd);
    return port;
}

bool accepts_connections(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(port);
    const bool connected = ::connect(fd, generic(&address), sizeof address) == 0;
    ::close(fd);
    return connected;
}

SilentServer::SilentServer() {
    std::tie(socket_, port_) = bound_socket();
    if (::listen(socket_, 16) != 0) {
        throw std::runtime_error("cannot listen");
    }
}

SilentServer::~SilentServer() {
    ::close(socket_);
}

}  // namespace liftwarden::test
