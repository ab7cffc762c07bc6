#include "drivers/sim/control_server.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace liftwarden::sim {
namespace {

core::Error error(core::ErrorClass kind, const std::string& what, const std::string& path) {
    return {kind, what + " " + path + ": " + std::strerror(errno)};
}

std::optional<sockaddr_un> address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return std::nullopt;
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    return address;
}

void remove_old_socket(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode)) {
        ::unlink(path.c_str());
    }
}

}  // namespace

ControlServer::ControlServer(std::string path, FileDescriptor listener, Handler handler)
    : path_(std::move(path)), listener_(std::move(listener)), handler_(std::move(handler)) {}

ControlServer::~ControlServer() {
    ::unlink(path_.c_str());
}

core::Result<std::unique_ptr<ControlServer>> ControlServer::listen(const std::string& path,
                                                                   Handler handler) {
    const auto address = address_of(path);
    FileDescriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (!address || !fd.valid()) {
        return error(core::ErrorClass::permanent, "cannot use the control socket", path);
    }
    remove_old_socket(path);
    const auto* generic = reinterpret_cast<const sockaddr*>(&*address);
    if (::bind(fd.get(), generic, sizeof *address) != 0 || ::listen(fd.get(), 16) != 0) {
        return error(core::ErrorClass::permanent, "cannot listen on the control socket", path);
    }
    return std::unique_ptr<ControlServer>{
        new ControlServer(path, std::move(fd), std::move(handler))};
}

void ControlServer::watch(std::vector<pollfd>& polls) {
    polls.push_back({listener_.get(), POLLIN, 0});
    watched_ = clients_.size();
    for (const Client& client : clients_) {
        polls.push_back({client.fd.get(), POLLIN, 0});
    }
}

void ControlServer::receive(std::span<const pollfd> polls) {
    for (std::size_t i = 0; i < watched_; ++i) {
        if (polls[i + 1].revents != 0) {
            receive_from(clients_[i]);
        }
    }
    std::erase_if(clients_, [](const Client& client) { return client.gone; });
    if (polls[0].revents == 0) {
        return;
    }
    for (;;) {
        FileDescriptor fd{
            ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (!fd.valid()) {
            return;
        }
        clients_.push_back({std::move(fd), "", false});
    }
}

void ControlServer::receive_from(Client& client) {
    std::array<char, 1024> chunk{};
    const ssize_t got = ::recv(client.fd.get(), chunk.data(), chunk.size(), 0);
    if (got <= 0) {
        client.gone = got == 0 || (errno != EAGAIN && errno != EINTR);
        return;
    }
    client.received.append(chunk.data(), static_cast<std::size_t>(got));
    for (std::size_t end = client.received.find('\n'); end != std::string::npos;
         end = client.received.find('\n')) {
        const std::string answer = handler_(client.received.substr(0, end)) + "\n";
        client.received.erase(0, end + 1);
        // Answers are short; a client that does not read them loses the connection.
        const ssize_t sent = ::send(client.fd.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
        client.gone = client.gone || sent != static_cast<ssize_t>(answer.size());
    }
    client.gone = client.gone || client.received.size() > line_max;
}

core::Result<std::string> control_call(const std::string& path, const std::string& line) {
    const auto address = address_of(path);
    FileDescriptor fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const timeval limit{5, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const std::string order = line + "\n";
    if (!address || !fd.valid() ||
        ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0 ||
        ::send(fd.get(), order.data(), order.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(order.size())) {
        return error(core::ErrorClass::transient, "cannot reach the simulator at", path);
    }
    std::string answer;
    std::array<char, 1024> chunk{};
    while (answer.find('\n') == std::string::npos) {
        const ssize_t got = ::recv(fd.get(), chunk.data(), chunk.size(), 0);
        if (got <= 0) {
            errno = got == 0 ? ECONNRESET : errno;
            return error(core::ErrorClass::transient, "no answer from the simulator at", path);
        }
        answer.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return answer.substr(0, answer.find('\n'));
}

}  // namespace liftwarden::sim
