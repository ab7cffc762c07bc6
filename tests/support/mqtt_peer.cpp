#include "tests/support/mqtt_peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace liftwarden::test {
namespace {

std::string connect_body(const PeerOptions& options) {
    const bool resume = options.session_expiry_s > 0;
    const unsigned flags =
        (options.username.empty() ? 0U : 0x80U) | (options.password.empty() ? 0U : 0x40U) |
        (options.will ? 0x04U | 0x08U : 0U) |
        (options.will && options.will->retained ? 0x20U : 0U) | (resume ? 0U : 0x02U);
    wire::Writer body;
    body.text("MQTT").u8(5).u8(flags).u16(0);  // keep alive 0: never dropped for silence
    body.length(5).u8(17).u32(options.session_expiry_s);
    body.text(options.client_id);
    if (options.will) {
        body.length(0).text(options.will->topic).text(options.will->payload);
    }
    if (!options.username.empty()) {
        body.text(options.username);
    }
    if (!options.password.empty()) {
        body.text(options.password);
    }
    return body.bytes();
}

}  // namespace

MqttPeer::MqttPeer(const PeerOptions& options) {
    connect(options);
    thread_ = std::thread([this] { receive_loop(); });
}

MqttPeer::MqttPeer(std::uint16_t port, const std::string& client_id)
    : MqttPeer(PeerOptions{port, client_id, {}, {}, 0, std::nullopt}) {}

MqttPeer::~MqttPeer() {
    disconnect();
    thread_.join();
    ::close(socket_);
}

void MqttPeer::connect(const PeerOptions& options) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(options.port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    unsigned first_byte = 0;
    std::string body;
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
        ::close(socket_);
        throw std::runtime_error("no broker at port " + std::to_string(options.port));
    }
    send(wire::packet(wire::Packet::connect, 0, connect_body(options)));
    if (!read_packet(first_byte, body) || body.size() < 2 || body[1] != 0) {
        ::close(socket_);
        throw std::runtime_error("the broker refused " + options.client_id);
    }
}

void MqttPeer::subscribe(const std::string& filter) {
    std::unique_lock lock(mutex_);
    const std::uint16_t id = ++last_id_;
    lock.unlock();
    wire::Writer body;
    body.u16(id).length(0).text(filter).u8(0x01U | 0x08U);  // QoS 1, retain as published
    send(wire::packet(wire::Packet::subscribe, 2, body.bytes()));
    if (const auto code = await_answer(id, 10s); !code || *code >= 0x80U) {
        throw std::runtime_error("cannot subscribe to " + filter);
    }
}

std::optional<unsigned> MqttPeer::publish(const PeerPublish& message, Millis limit) {
    std::unique_lock lock(mutex_);
    const std::uint16_t id = ++last_id_;
    lock.unlock();
    wire::Writer body;
    body.text(message.topic).u16(id).properties(message.properties).raw(message.payload);
    send(wire::packet(wire::Packet::publish, 0x02U | (message.retained ? 1U : 0U), body.bytes()));
    return await_answer(id, limit);
}

void MqttPeer::throw_at(const PeerPublish& message) {
    wire::Writer body;
    body.text(message.topic).properties(message.properties).raw(message.payload);
    send(wire::packet(wire::Packet::publish, message.retained ? 1U : 0U, body.bytes()));
}

std::optional<unsigned> MqttPeer::await_answer(std::uint16_t id, Millis limit) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, limit, [&] { return answers_.contains(id); })) {
        return std::nullopt;
    }
    return answers_.extract(id).mapped();
}

std::vector<PeerMessage> MqttPeer::messages() const {
    const std::lock_guard lock(mutex_);
    return messages_;
}

std::vector<PeerMessage> MqttPeer::take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(messages_, {});
}

void MqttPeer::clear() {
    const std::lock_guard lock(mutex_);
    messages_.clear();
}

std::optional<PeerMessage> MqttPeer::wait_for(const Predicate& fits, Millis limit) const {
    std::unique_lock lock(mutex_);
    std::optional<PeerMessage> found;
    changed_.wait_for(lock, limit, [&] {
        const auto at = std::find_if(messages_.begin(), messages_.end(), fits);
        if (at != messages_.end()) {
            found = *at;
        }
        return found.has_value();
    });
    return found;
}

void MqttPeer::disconnect() {
    send(wire::packet(wire::Packet::disconnect, 0, {}));
    drop();
}

void MqttPeer::drop() {
    ::shutdown(socket_, SHUT_RDWR);
}

void MqttPeer::send(const std::string& bytes) {
    const std::lock_guard lock(send_mutex_);
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count =
            ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) {
            return;  // the broker is gone; the missing answer tells
        }
        sent += static_cast<std::size_t>(count);
    }
}

bool MqttPeer::read_exactly(std::string& into, std::size_t count) const {
    into.resize(count);
    std::size_t got = 0;
    while (got < count) {
        const ssize_t part = ::recv(socket_, into.data() + got, count - got, 0);
        if (part <= 0) {
            return false;
        }
        got += static_cast<std::size_t>(part);
    }
    return true;
}

bool MqttPeer::read_packet(unsigned& first_byte, std::string& body) const {
    std::string byte;
    if (!read_exactly(byte, 1)) {
        return false;
    }
    first_byte = static_cast<std::uint8_t>(byte[0]);
    std::size_t size = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
        if (!read_exactly(byte, 1)) {
            return false;
        }
        const auto digit = static_cast<std::uint8_t>(byte[0]);
        size |= static_cast<std::size_t>(digit & 0x7FU) << shift;
        if ((digit & 0x80U) == 0) {
            break;
        }
    }
    return read_exactly(body, size);
}

void MqttPeer::receive_loop() {
    unsigned first_byte = 0;
    std::string body;
    while (read_packet(first_byte, body)) {
        handle(first_byte, body);
    }
}

void MqttPeer::handle(unsigned first_byte, const std::string& body) {
    wire::Reader reader(body);
    const auto type = static_cast<wire::Packet>(first_byte >> 4U);
    if (type == wire::Packet::publish) {
        PeerMessage message;
        message.at = std::chrono::steady_clock::now();
        message.retained = (first_byte & 1U) != 0;
        message.topic = reader.text();
        if ((first_byte & 0x06U) != 0) {
            wire::Writer ack;
            ack.u16(reader.u16());
            send(wire::packet(wire::Packet::puback, 0, ack.bytes()));
        }
        message.properties = reader.properties();
        message.payload = reader.rest();
        const std::lock_guard lock(mutex_);
        messages_.push_back(std::move(message));
    } else if (type == wire::Packet::puback || type == wire::Packet::suback) {
        const std::uint16_t id = reader.u16();
        unsigned code = 0;
        if (type == wire::Packet::suback) {
            reader.properties();
        }
        if (!reader.at_end()) {
            code = reader.u8();
        }
        const std::lock_guard lock(mutex_);
        answers_[id] = code;
    }
    changed_.notify_all();
}

}  // namespace liftwarden::test
