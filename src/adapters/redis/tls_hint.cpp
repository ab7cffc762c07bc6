#include "src/adapters/redis/tls_hint.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <vector>

namespace liftwarden::redis {
namespace {

// A client hello of TLS 1.2 (RFC 5246, 7.4.1.2) without extensions, in one record.
std::vector<unsigned char> hello() {
    std::vector<unsigned char> bytes{
        0x16,
        0x03,
        0x01,
        0x00,
        45,  // handshake record of 45 bytes
        0x01,
        0x00,
        0x00,
        41,  // client hello of 41 bytes
        0x03,
        0x03  // TLS 1.2
    };
    bytes.insert(bytes.end(), 32, 0x4C);  // "random"
    const unsigned char rest[] = {
        0x00,  // no session
        0x00,
        0x02,
        0xC0,
        0x2F,  // one cipher suite
        0x01,
        0x00  // no compression
    };
    bytes.insert(bytes.end(), std::begin(rest), std::end(rest));
    return bytes;
}

}  // namespace

bool speaks_tls(const ports::HostPort& server, Deadline deadline, const WakeEvent& stop) {
    const auto link = Connection::open(server, deadline, stop);
    if (!link) {
        return false;
    }
    const auto bytes = hello();
    const auto sent = ::send((*link)->fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(bytes.size()) ||
        wait_for((*link)->fd(), POLLIN, deadline, stop) != Ready::yes) {
        return false;
    }
    unsigned char first = 0;
    const bool answered = ::recv((*link)->fd(), &first, 1, 0) == 1;
    return answered && (first == 0x15 || first == 0x16);  // alert or handshake
}

}  // namespace liftwarden::redis
