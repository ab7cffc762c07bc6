#include "tests/component/mqtt/fake_broker.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace liftwarden::test {
namespace {

using wire::Packet;

bool read_exactly(int fd, std::string& into, std::size_t count) {
    into.resize(count);
    return count == 0 || ::recv(fd, into.data(), count, MSG_WAITALL) == static_cast<ssize_t>(count);
}

bool read_packet(int fd, unsigned& first_byte, std::string& body) {
    std::string byte;
    if (!read_exactly(fd, byte, 1)) {
        return false;
    }
    first_byte = static_cast<std::uint8_t>(byte[0]);
    std::size_t size = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
        if (!read_exactly(fd, byte, 1)) {
            return false;
        }
        const auto digit = static_cast<std::uint8_t>(byte[0]);
        size |= static_cast<std::size_t>(digit & 0x7FU) << shift;
        if ((digit & 0x80U) == 0) {
            break;
        }
    }
    return read_exactly(fd, body, size);
}

}  // namespace

ScriptedBroker::ScriptedBroker() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_, generic, size) != 0 || ::listen(listener_, 4) != 0 ||
        ::getsockname(listener_, generic, &size) != 0) {
        throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
}

ScriptedBroker::~ScriptedBroker() {
    ending_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    hang_up();
    thread_.join();
    ::close(listener_);
}

void ScriptedBroker::deliver(const std::string& topic, const std::string& payload) {
    wire::Writer body;
    body.text(topic).u16(1).length(0).raw(payload);
    answer(connection_, wire::packet(Packet::publish, 0x02U, body.bytes()));
}

void ScriptedBroker::disconnect(unsigned reason) {
    answer(connection_, wire::packet(Packet::disconnect, 0, wire::Writer{}.u8(reason).bytes()));
    hang_up();
}

void ScriptedBroker::hang_up() {
    ::shutdown(connection_, SHUT_RDWR);
}

void ScriptedBroker::serve() {
    while (!ending_) {
        const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd >= 0) {
            connection_ = fd;
            serve_connection(fd);
            connection_ = -1;
            ::close(fd);
        }
    }
}

void ScriptedBroker::serve_connection(int fd) {
    unsigned first_byte = 0;
    std::string body;
    while (!ending_ && read_packet(fd, first_byte, body)) {
        handle(fd, first_byte, body);
    }
}

void ScriptedBroker::answer(int fd, const std::string& packet) const {
    if (answering) {
        static_cast<void>(::send(fd, packet.data(), packet.size(), MSG_NOSIGNAL));
    }
}

void ScriptedBroker::handle(int fd, unsigned first_byte, const std::string& body) {
    wire::Reader reader(body);
    wire::Writer reply;
    const std::lock_guard lock(mutex_);
    switch (first_byte >> 4U) {
        case 1:
            connects_.push_back(body);
            reply.u8(session_present ? 1 : 0).u8(0).length(0);
            answer(fd, wire::packet(Packet::connack, 0, reply.bytes()));
            break;
        case 3: {
            ++publishes_;
            reader.text();
            const std::uint16_t id = reader.u16();
            if (acknowledging) {
                answer(fd, wire::packet(Packet::puback, 0, reply.u16(id).bytes()));
            } else {
                unanswered_.push_back(id);
            }
            break;
        }
        case 8:
            subscribes_.push_back(body);
            reply.u16(reader.u16()).length(0).u8(subscribe_code);
            answer(fd, wire::packet(Packet::suback, 0, reply.bytes()));
            break;
        case 10:  // UNSUBSCRIBE is answered by 11: no subscription existed
            reply.u16(reader.u16()).length(0).u8(17);
            answer(fd, wire::packet(static_cast<Packet>(11), 0, reply.bytes()));
            break;
        default:
            break;
    }
}

void ScriptedBroker::acknowledge(std::size_t count) {
    const std::lock_guard lock(mutex_);
    for (std::size_t index = 0; index < count && !unanswered_.empty(); ++index) {
        wire::Writer reply;
        reply.u16(unanswered_.front());
        unanswered_.erase(unanswered_.begin());
        answer(connection_, wire::packet(Packet::puback, 0, reply.bytes()));
    }
}

std::vector<std::string> ScriptedBroker::connects() const {
    const std::lock_guard lock(mutex_);
    return connects_;
}

std::vector<std::string> ScriptedBroker::subscribes() const {
    const std::lock_guard lock(mutex_);
    return subscribes_;
}

std::size_t ScriptedBroker::publishes() const {
    const std::lock_guard lock(mutex_);
    return publishes_;
}

}  // namespace liftwarden::test
