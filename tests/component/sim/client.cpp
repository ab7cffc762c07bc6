#include "tests/component/sim/client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace liftwarden::sim::test {
namespace {

std::uint8_t high(std::size_t word) {
    return static_cast<std::uint8_t>(word >> 8 & 0xFF);
}

std::uint8_t low(std::size_t word) {
    return static_cast<std::uint8_t>(word & 0xFF);
}

}  // namespace

Client::Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        ::close(socket_);
        throw std::runtime_error(std::string("connect: ") + std::strerror(errno));
    }
}

Client::~Client() {
    ::close(socket_);
}

void Client::send_raw(const Bytes& bytes) {
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error(std::string("send: ") + std::strerror(errno));
    }
}

void Client::send(std::uint8_t unit, const Bytes& pdu) {
    ++sent_;
    units_.push_back(unit);
    Bytes frame{high(sent_), low(sent_), 0, 0, high(pdu.size() + 1), low(pdu.size() + 1), unit};
    frame.insert(frame.end(), pdu.begin(), pdu.end());
    send_raw(frame);
}

bool Client::fill(std::size_t size, int limit_ms) {
    while (received_.size() < size) {
        pollfd waiting{socket_, POLLIN, 0};
        if (::poll(&waiting, 1, limit_ms) <= 0) {
            return false;
        }
        std::array<std::uint8_t, 512> chunk{};
        const ssize_t got = ::recv(socket_, chunk.data(), chunk.size(), 0);
        if (got <= 0) {
            lost_ = got == 0 ? "closed" : "reset";
            return false;
        }
        received_.insert(received_.end(), chunk.begin(), chunk.begin() + got);
    }
    return true;
}

std::optional<Bytes> Client::receive(int limit_ms) {
    if (!fill(7, limit_ms)) {
        return std::nullopt;
    }
    const std::size_t size = 6U + static_cast<std::size_t>(received_[4] << 8 | received_[5]);
    if (!fill(size, limit_ms)) {
        return std::nullopt;
    }
    const Bytes pdu{received_.begin() + 7, received_.begin() + static_cast<std::ptrdiff_t>(size)};
    const auto id = static_cast<std::uint16_t>(received_[0] << 8 | received_[1]);
    const std::uint8_t unit = received_[6];
    received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(size));
    if (id <= answered_ || id > sent_ || unit != units_[id - 1U]) {
        throw std::runtime_error("reply to something else");
    }
    answered_ = id;
    return pdu;
}

std::optional<Bytes> Client::ask(std::uint8_t unit, const Bytes& pdu) {
    send(unit, pdu);
    return receive();
}

std::vector<std::uint16_t> Client::read(std::uint8_t unit,
                                        std::uint8_t function,
                                        std::uint16_t address,
                                        std::uint16_t count) {
    const auto reply = ask(unit, {function, high(address), low(address), high(count), low(count)});
    if (!reply || reply->size() != 2U + 2U * count || (*reply)[0] != function) {
        throw std::runtime_error("no values");
    }
    std::vector<std::uint16_t> values;
    for (std::size_t i = 2; i < reply->size(); i += 2) {
        values.push_back(static_cast<std::uint16_t>((*reply)[i] << 8 | (*reply)[i + 1]));
    }
    return values;
}

std::optional<Bytes> Client::write_command(std::uint8_t unit,
                                           std::uint16_t address,
                                           const std::vector<std::uint16_t>& values) {
    Bytes pdu{16, high(address), low(address), 0, low(values.size()), low(2 * values.size())};
    for (const std::uint16_t value : values) {
        pdu.push_back(high(value));
        pdu.push_back(low(value));
    }
    return ask(unit, pdu);
}

}  // namespace liftwarden::sim::test
