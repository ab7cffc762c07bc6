#include "drivers/sim/tcp_endpoint.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace liftwarden::sim {

using core::TimePoint;

namespace {

// Transaction id, protocol id, length, unit.
constexpr std::size_t header_size = 7;
constexpr std::size_t unsent_max = 64 * 1024;

// Length field and protocol id say whether this can be Modbus at all.
bool plausible(std::span<const std::uint8_t> frame) {
    const std::uint16_t length = word_at(frame, 4);
    return word_at(frame, 2) == 0 && length >= 2 && length <= pdu_max + 1;
}

}  // namespace

TcpEndpoint::TcpEndpoint(
    std::string host, std::uint16_t port, Units units, Log& log, bool log_frames)
    : host_(std::move(host)),
      port_(port),
      units_(std::move(units)),
      log_(log),
      log_frames_(log_frames) {}

core::Result<std::unique_ptr<TcpEndpoint>> TcpEndpoint::listen(
    const std::string& host, std::uint16_t port, Units units, Log& log, bool log_frames) {
    std::unique_ptr<TcpEndpoint> endpoint{
        new TcpEndpoint(host, port, std::move(units), log, log_frames)};
    if (const auto problem = endpoint->bind_and_listen()) {
        return core::Error{core::ErrorClass::permanent,
                           "cannot listen on " + endpoint->describe() + ": " + *problem};
    }
    return endpoint;
}

// The problem, if any. Learns the port that the system chose.
std::optional<std::string> TcpEndpoint::bind_and_listen() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    if (::inet_pton(AF_INET, host_.c_str(), &address.sin_addr) != 1) {
        return "not a numeric IPv4 address";
    }
    FileDescriptor fd{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    const int on = 1;
    ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (!fd.valid() || ::bind(fd.get(), generic, size) != 0 || ::listen(fd.get(), 64) != 0 ||
        ::getsockname(fd.get(), generic, &size) != 0) {
        return std::strerror(errno);
    }
    port_ = ntohs(address.sin_port);
    listener_ = std::move(fd);
    return std::nullopt;
}

std::string TcpEndpoint::describe() const {
    return host_ + ":" + std::to_string(port_);
}

void TcpEndpoint::watch(std::vector<pollfd>& polls) {
    polls.push_back({listener_.get(), POLLIN, 0});
    watched_ = clients_.size();
    for (const Client& client : clients_) {
        const int events = client.unsent.empty() ? POLLIN : POLLIN | POLLOUT;
        polls.push_back({client.fd.get(), static_cast<short>(events), 0});
    }
}

void TcpEndpoint::receive(std::span<const pollfd> polls, TimePoint now) {
    for (std::size_t i = 0; i < watched_; ++i) {
        if ((polls[i + 1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            receive_from(clients_[i], now);
        }
    }
    if (listener_.valid() && polls[0].revents != 0) {
        accept_clients(now);
    }
    std::erase_if(clients_, [](const Client& client) { return client.gone; });
}

void TcpEndpoint::accept_clients(TimePoint now) {
    for (;;) {
        sockaddr_in peer{};
        socklen_t size = sizeof peer;
        FileDescriptor fd{::accept4(listener_.get(),
                                    reinterpret_cast<sockaddr*>(&peer),
                                    &size,
                                    SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (!fd.valid()) {
            return;
        }
        if (clients_.size() >= clients_max) {
            continue;  // closes it
        }
        const int on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        Client client;
        client.fd = std::move(fd);
        client.id = ++last_client_;
        log_.write(
            now,
            "connected",
            {{"endpoint", describe()}, {"client", client.id}, {"peer_port", ntohs(peer.sin_port)}});
        clients_.push_back(std::move(client));
    }
}

void TcpEndpoint::receive_from(Client& client, TimePoint now) {
    std::array<std::uint8_t, 4096> chunk{};
    while (!client.gone) {
        const ssize_t got = ::recv(client.fd.get(), chunk.data(), chunk.size(), 0);
        if (got > 0) {
            client.received.insert(client.received.end(), chunk.begin(), chunk.begin() + got);
            take_frames(client, now);
            continue;
        }
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            return;
        }
        close(client, false, now, got == 0 ? "closed by the client" : std::strerror(errno));
    }
}

void TcpEndpoint::take_frames(Client& client, TimePoint now) {
    std::size_t used = 0;
    while (!client.gone && client.received.size() - used >= header_size) {
        const std::span<const std::uint8_t> rest{client.received.data() + used,
                                                 client.received.size() - used};
        if (!plausible(rest)) {
            close(client, true, now, "not a Modbus frame");
            return;
        }
        const std::size_t size = header_size - 1 + word_at(rest, 4);
        if (rest.size() < size) {
            break;
        }
        take_frame(client, rest.first(size), now);
        used += size;
    }
    client.received.erase(client.received.begin(),
                          client.received.begin() + static_cast<std::ptrdiff_t>(used));
}

void TcpEndpoint::take_frame(Client& client, std::span<const std::uint8_t> frame, TimePoint now) {
    Exchange exchange = serve(units_, frame[6], frame.subspan(header_size), now);
    for (boost::json::object* line : {&exchange.in, &exchange.out}) {
        (*line)["endpoint"] = describe();
        (*line)["client"] = client.id;
        (*line)["tid"] = word_at(frame, 0);
    }
    log_frame(now, std::move(exchange.in));
    answer(client, frame.first(header_size), std::move(exchange), now);
}

void TcpEndpoint::answer(Client& client,
                         std::span<const std::uint8_t> header,
                         Exchange exchange,
                         TimePoint now) {
    if (exchange.what == Exchange::What::reset) {
        close(client, true, now, "fault on request");
        return;
    }
    if (exchange.what == Exchange::What::silence) {
        return;
    }
    Bytes frame{header.begin(), header.begin() + 4};
    append_word(frame, static_cast<std::uint16_t>(exchange.reply.size() + 1));
    frame.push_back(header[6]);
    frame.insert(frame.end(), exchange.reply.begin(), exchange.reply.end());
    TimePoint due = now + exchange.delay;
    if (!client.replies.empty()) {
        due = std::max(due, client.replies.back().due);
    }
    client.replies.push_back({due, std::move(frame), std::move(exchange.out)});
}

std::optional<TimePoint> TcpEndpoint::deadline() const {
    std::optional<TimePoint> next = refused_until_;
    for (const Client& client : clients_) {
        if (!client.replies.empty() && (!next || client.replies.front().due < *next)) {
            next = client.replies.front().due;
        }
    }
    return next;
}

void TcpEndpoint::release(TimePoint now) {
    if (refused_until_ && *refused_until_ <= now) {
        // The address may be taken for a moment; then the next round tries again.
        const auto problem = bind_and_listen();
        refused_until_ =
            problem ? std::optional{now + std::chrono::milliseconds{20}} : std::nullopt;
        log_.write(now, problem ? "listen_failed" : "listening", {{"endpoint", describe()}});
    }
    for (Client& client : clients_) {
        while (!client.replies.empty() && client.replies.front().due <= now) {
            Reply& reply = client.replies.front();
            client.unsent.insert(client.unsent.end(), reply.frame.begin(), reply.frame.end());
            log_frame(now, std::move(reply.line));
            client.replies.pop_front();
        }
    }
}

void TcpEndpoint::transmit() {
    for (Client& client : clients_) {
        if (client.unsent.empty()) {
            continue;
        }
        const ssize_t sent =
            ::send(client.fd.get(), client.unsent.data(), client.unsent.size(), MSG_NOSIGNAL);
        if (sent > 0) {
            client.unsent.erase(client.unsent.begin(), client.unsent.begin() + sent);
        }
        if (client.unsent.size() > unsent_max) {
            client.gone = true;  // a client that does not read its replies
        }
    }
    std::erase_if(clients_, [](const Client& client) { return client.gone; });
}

void TcpEndpoint::close(Client& client, bool abortive, TimePoint now, const char* why) {
    if (abortive) {
        const linger reset{1, 0};
        ::setsockopt(client.fd.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    }
    client.fd.reset();
    client.gone = true;
    client.replies.clear();
    log_.write(now,
               "disconnected",
               {{"endpoint", describe()}, {"client", client.id}, {"why", why}, {"rst", abortive}});
}

void TcpEndpoint::drop(TimePoint now) {
    for (Client& client : clients_) {
        close(client, true, now, "fault on request");
    }
    clients_.clear();
}

void TcpEndpoint::refuse(TimePoint now, TimePoint until) {
    listener_.reset();
    drop(now);
    refused_until_ = until;
    log_.write(now, "refusing", {{"endpoint", describe()}});
}

void TcpEndpoint::log_frame(TimePoint now, boost::json::object line) {
    if (log_frames_) {
        log_.write(now, "frame", std::move(line));
    }
}

}  // namespace liftwarden::sim
