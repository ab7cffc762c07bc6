#include "tests/support/modbus_peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>

namespace liftwarden::test {
namespace {

constexpr int tick_ms = 5;

// True when there is something to read, false after a tick.
bool readable(int fd) {
    pollfd state{fd, POLLIN, 0};
    return ::poll(&state, 1, tick_ms) > 0;
}

}  // namespace

Bytes mbap(std::uint16_t transaction, std::uint8_t unit, const Bytes& pdu) {
    Bytes frame(7 + pdu.size());
    frame[0] = static_cast<std::uint8_t>(transaction / 256);
    frame[1] = static_cast<std::uint8_t>(transaction % 256);
    frame[4] = static_cast<std::uint8_t>((pdu.size() + 1) / 256);
    frame[5] = static_cast<std::uint8_t>((pdu.size() + 1) % 256);
    frame[6] = unit;
    std::copy(pdu.begin(), pdu.end(), frame.begin() + 7);
    return frame;
}

void PeerConnection::send(const Bytes& raw) {
    [[maybe_unused]] const auto sent = ::send(fd_, raw.data(), raw.size(), MSG_NOSIGNAL);
}

void PeerConnection::reply(const PeerRequest& request, const Bytes& pdu) {
    send(mbap(request.transaction, request.unit, pdu));
}

void PeerConnection::send_in_pieces(const Bytes& raw, std::size_t size, Millis gap) {
    for (std::size_t at = 0; at < raw.size() && !ending_; at += size) {
        const auto from = raw.begin() + static_cast<std::ptrdiff_t>(at);
        send({from, from + static_cast<std::ptrdiff_t>(std::min(size, raw.size() - at))});
        sleep(gap);
    }
}

void PeerConnection::close() {
    ::shutdown(fd_, SHUT_RDWR);
}

void PeerConnection::reset() {
    // An RST without giving the descriptor away: connecting to nothing dissolves the association.
    const linger now{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    ::connect(fd_, &nobody, sizeof nobody);
}

bool PeerConnection::more_waits() const {
    char byte = 0;
    return ::recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void PeerConnection::sleep(Millis time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!ending_ && std::chrono::steady_clock::now() < end) {
        const auto left = end - std::chrono::steady_clock::now();
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, Millis{tick_ms}));
    }
}

ModbusPeer::ModbusPeer() : ModbusPeer(well_behaved) {}

ModbusPeer::ModbusPeer(Behaviour behaviour, std::uint16_t port)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      behaviour_(std::move(behaviour)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
        throw std::runtime_error("no listening socket on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_clients(); });
}

ModbusPeer::~ModbusPeer() {
    ending_ = true;
    acceptor_.join();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    ::close(listener_);
}

void ModbusPeer::behave(Behaviour behaviour) {
    const std::lock_guard lock(mutex_);
    behaviour_ = std::move(behaviour);
}

std::vector<PeerRequest> ModbusPeer::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void ModbusPeer::well_behaved(PeerConnection& peer, const PeerRequest& request, const Good& good) {
    peer.reply(request, good());
}

void ModbusPeer::accept_clients() {
    while (!ending_) {
        if (!readable(listener_)) {
            continue;
        }
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) {
            continue;
        }
        if (clients_ >= clients_most_) {
            ++refused_;
            ::close(fd);
            continue;
        }
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        ++clients_;
        const std::size_t connection = connections_++;
        threads_.emplace_back([this, fd, connection] { serve(fd, connection); });
    }
}

void ModbusPeer::serve(int fd, std::size_t connection) {
    PeerConnection peer(fd, ending_);
    Bytes pending;
    while (!ending_) {
        if (!readable(fd)) {
            continue;
        }
        std::array<std::uint8_t, 600> chunk{};
        const auto count = ::recv(fd, chunk.data(), chunk.size(), 0);
        if (count <= 0) {
            resets_ += count < 0 && errno == ECONNRESET ? 1U : 0U;
            break;
        }
        pending.insert(pending.end(), chunk.begin(), chunk.begin() + count);
        while (pending.size() >= 6 && pending.size() >= 6U + pending[4] * 256U + pending[5]) {
            const auto end = pending.begin() + 6 + pending[4] * 256 + pending[5];
            PeerRequest request;
            request.connection = connection;
            request.transaction = static_cast<std::uint16_t>(pending[0] * 256 + pending[1]);
            request.unit = pending[6];
            request.pdu.assign(pending.begin() + 7, end);
            pending.erase(pending.begin(), end);
            handle(peer, std::move(request));
        }
    }
    ::close(fd);
    --clients_;
}

void ModbusPeer::handle(PeerConnection& peer, PeerRequest request) {
    Behaviour behaviour;
    {
        const std::lock_guard lock(mutex_);
        request.number = requests_.size();
        if (!forget_) {
            requests_.push_back(request);
        }
        behaviour = behaviour_;
    }
    behaviour(peer, request, [&] { return registers_.answer(request.pdu); });
}

}  // namespace liftwarden::test
