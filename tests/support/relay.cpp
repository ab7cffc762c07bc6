#include "tests/support/relay.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace liftwarden::test {
namespace {

constexpr int look_again_ms = 2;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

template <class Address>
auto* generic(Address* address) {
    return reinterpret_cast<sockaddr*>(address);
}

void no_delay(int fd) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

unsigned byte_at(const std::string& text, std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
}

unsigned word_at(const std::string& text, std::size_t at) {
    return byte_at(text, at) << 8U | byte_at(text, at + 1);
}

}  // namespace

Relay::Relay(std::uint16_t target) : target_(target) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    if (listener_ < 0 || ::bind(listener_, generic(&address), size) != 0 ||
        ::listen(listener_, 16) != 0 || ::getsockname(listener_, generic(&address), &size) != 0) {
        throw std::runtime_error("a relay cannot listen on 127.0.0.1");
    }
    port_ = ntohs(address.sin_port);
}

Relay::~Relay() {
    stop();
    for (Link& link : links_) {
        close(link, true);
    }
    ::close(listener_);
}

void Relay::start() {
    thread_ = std::thread([this] { run(); });
}

void Relay::stop() {
    stopping_ = true;
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::size_t Relay::let_through(Direction /*direction*/, const std::string& waiting) {
    return waiting.size();
}

void Relay::run() {
    while (!stopping_) {
        std::vector<pollfd> polls{{listener_, POLLIN, 0}};
        for (const Link& link : links_) {
            polls.push_back({link.up.from, POLLIN, 0});
            polls.push_back({link.down.from, POLLIN, 0});
        }
        ::poll(polls.data(), polls.size(), look_again_ms);
        if (polls.front().revents != 0) {
            accept_one();
        }
        const bool reset = reset_.exchange(false);
        for (Link& link : links_) {
            move(link, link.up);
            move(link, link.down);
            link.ended = link.ended || reset;
            if (link.ended) {
                close(link, reset);
            }
        }
        links_.remove_if([](const Link& link) { return link.ended; });
    }
}

// A server that is not there: the client sees its connection end.
void Relay::accept_one() {
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) {
        return;
    }
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = loopback(target_);
    if (::connect(server, generic(&address), sizeof address) != 0) {
        ::close(server);
        ::close(client);
        return;
    }
    no_delay(client);
    no_delay(server);
    Link link;
    link.up = {client, server, Direction::to_server, {}, {}};
    link.down = {server, client, Direction::to_client, {}, {}};
    links_.push_back(std::move(link));
}

void Relay::move(Link& link, Half& half) {
    std::array<char, 16384> buffer{};
    const ssize_t count = ::recv(half.from, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count > 0) {
        half.waiting.append(buffer.data(), static_cast<std::size_t>(count));
    }
    const std::size_t free = half.waiting.empty() ? 0 : let_through(half.direction, half.waiting);
    if (free > 0) {
        half.on_the_way.push_back(
            {std::chrono::steady_clock::now() + Millis{delay_ms_}, half.waiting.substr(0, free)});
        half.waiting.erase(0, free);
    }
    flush(link, half);
    const bool nothing_yet = count < 0 && (errno == EAGAIN || errno == EINTR);
    if (count <= 0 && !nothing_yet) {
        link.ended = true;
    }
}

void Relay::flush(Link& link, Half& half) {
    while (!half.on_the_way.empty() &&
           half.on_the_way.front().due <= std::chrono::steady_clock::now()) {
        std::string& bytes = half.on_the_way.front().bytes;
        const ssize_t sent =
            ::send(half.to, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            link.ended = link.ended || errno != EAGAIN;
            return;
        }
        bytes.erase(0, static_cast<std::size_t>(sent));
        if (bytes.empty()) {
            half.on_the_way.pop_front();
        }
    }
}

void Relay::close(Link& link, bool abortive) {
    for (const int fd : {link.up.from, link.down.from}) {
        if (abortive) {
            const linger now{1, 0};
            ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        ::close(fd);
    }
}

ModbusRelay::ModbusRelay(std::uint16_t target, std::uint16_t command_register)
    : Relay(target), command_register_(command_register) {
    start();
}

ModbusRelay::~ModbusRelay() {
    stop();
}

void ModbusRelay::hold_next(Place place) {
    const std::lock_guard lock{mutex_};
    place_ = place;
    state_ = State::armed;
}

bool ModbusRelay::wait_held(Millis limit) const {
    return wait_until(
        [this] {
            const std::lock_guard lock{mutex_};
            return state_ == State::held;
        },
        limit);
}

void ModbusRelay::release() {
    const std::lock_guard lock{mutex_};
    state_ = State::idle;
}

// Whole frames only: MBAP is transaction, protocol, length of what follows, then unit and PDU.
std::size_t ModbusRelay::let_through(Direction direction, const std::string& waiting) {
    const std::lock_guard lock{mutex_};
    std::size_t at = 0;
    while (waiting.size() >= at + 6) {
        const std::size_t size = 6 + word_at(waiting, at + 4);
        if (waiting.size() < at + size || holds(direction, waiting.substr(at, size))) {
            break;
        }
        at += size;
    }
    return at;
}

bool ModbusRelay::holds(Direction direction, const std::string& frame) {
    if (direction == Direction::to_server) {
        if (state_ == State::armed && fits(frame)) {
            transaction_ = frame.substr(0, 2);
            state_ = place_ == Place::request ? State::held : State::asked;
        }
        return state_ == State::held && place_ == Place::request && fits(frame);
    }
    if (state_ == State::asked && frame.compare(0, 2, transaction_) == 0) {
        state_ = State::held;
    }
    return state_ == State::held && place_ != Place::request &&
           frame.compare(0, 2, transaction_) == 0;
}

bool ModbusRelay::fits(const std::string& request) const {
    if (request.size() < 12) {
        return false;
    }
    const unsigned function = byte_at(request, 7);
    if (place_ == Place::read_answer) {
        return function <= 4;
    }
    const unsigned first = word_at(request, 8);
    return function == 16 && first <= command_register_ &&
           command_register_ < first + word_at(request, 10);
}

}  // namespace liftwarden::test
