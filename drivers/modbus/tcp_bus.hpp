#pragma once

#include "drivers/modbus/frames.hpp"
#include "drivers/modbus/mbap.hpp"
#include "drivers/modbus/tcp_socket.hpp"
#include "drivers/modbus/waiter.hpp"

#include <liftwarden/ports/register_bus.hpp>
#include <liftwarden/ports/settings.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace liftwarden::modbus {

// A Modbus TCP endpoint. One connection for all its units, one request in flight. Every reply is
// compared whole with its request; a reply with another transaction id is thrown away while the
// wait goes on; after any fault but a well-formed exception the connection is reset, so that
// neither an old request can still be delivered nor an old reply be read. A refused or broken
// connection is retried with back-off: until then every transaction fails at once with
// not_connected. Belongs to one thread, stop() excepted.
class TcpBus final : public ports::RegisterBus {
  public:
    // Uses host, port, response_timeout, connect_timeout and turnaround (rest between
    // transactions). Does not connect yet.
    explicit TcpBus(const ports::BusSettings& settings);

    [[nodiscard]] ports::BusResult<std::vector<std::uint16_t>> read(
        const ports::ReadRequest& request) override;
    // Never sends twice. If the connection turns out to have been closed, nothing is written: the
    // controller may have restarted since it was last read.
    [[nodiscard]] core::WriteOutcome write(const ports::WriteRequest& request) override;
    void abort() override;
    [[nodiscard]] std::uint64_t link() const override { return links_; }
    void settle() override;
    void stop() override { waiter_.stop(); }

  private:
    // A reply's protocol data unit, or why there is none. `sent`: at least one byte may have left.
    struct Failure {
        ports::BusFault fault;
        bool sent = false;
    };
    using Exchange = std::variant<Bytes, Failure>;

    // What to do about a connection that was closed while nobody used it, as many servers do.
    enum class IdleClose { reconnect, fail };

    Exchange exchange(std::uint8_t unit, const Bytes& pdu, IdleClose idle_close);
    std::optional<Failure> ensure_connected(IdleClose idle_close);
    std::optional<Failure> send(const Bytes& frame, IoClock::time_point deadline);
    Exchange receive(std::uint16_t transaction, std::uint8_t unit, IoClock::time_point deadline);
    std::optional<Failure> receive_some(IoClock::time_point deadline);
    void answered();
    void give_up();

    ports::BusSettings settings_;
    Waiter waiter_;
    TcpSocket socket_;
    FrameStream stream_;
    std::uint16_t transaction_ = 0;
    std::uint64_t links_ = 0;
    int failures_ = 0;  // connections in a row that failed or broke without one good reply
    std::string last_failure_;
    IoClock::time_point retry_at_{};
    IoClock::time_point rest_until_{};
};

}  // namespace liftwarden::modbus
