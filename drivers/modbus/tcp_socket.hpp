#pragma once

#include "drivers/modbus/waiter.hpp"

#include <modbus/modbus.h>

#include <cstdint>
#include <string>

namespace liftwarden::modbus {

// One TCP connection at a time, held in a libmodbus context. The context's own recovery is off, and
// its connect, send and receive are not used: its connect cannot be ended early, fails on a signal
// and aborts the process above descriptor 1023; its receive cannot wait on after a foreign reply.
class TcpSocket {
  public:
    // `host` must be a numeric IPv4 or IPv6 address; anything else fails at connect.
    TcpSocket(std::string host, std::uint16_t port);
    ~TcpSocket();
    TcpSocket(const TcpSocket&) = delete;
    TcpSocket& operator=(const TcpSocket&) = delete;

    // Empty on success, else why not. Closes an old connection first.
    [[nodiscard]] std::string connect(const Waiter& waiter,
                                      IoClock::time_point deadline,
                                      IoClock::duration response_timeout);

    [[nodiscard]] bool connected() const { return fd() >= 0; }
    [[nodiscard]] int fd() const;

    // True if the other side has closed or reset the connection.
    [[nodiscard]] bool hung_up() const;

    // Closes with a reset: what is still in the send buffer is thrown away instead of being
    // delivered whenever the path comes back.
    void abort();

  private:
    std::string host_;
    std::uint16_t port_;
    modbus_t* context_;
};

}  // namespace liftwarden::modbus
