#pragma once

#include "drivers/modbus/late_replies.hpp"
#include "drivers/modbus/rtu_frames.hpp"
#include "drivers/modbus/serial_port.hpp"
#include "drivers/modbus/waiter.hpp"

#include <liftwarden/ports/register_bus.hpp>
#include <liftwarden/ports/settings.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace liftwarden::modbus {

// A serial Modbus line (RTU), several units, one request at a time. Every reply is compared whole
// with its request, wherever in the received bytes it stands; 3.5 characters of silence are kept
// around every frame; after a time-out the rules of LateReplies hold, so that a late answer is
// never taken for the answer to another question. A device that is unplugged is opened again under
// the same path, with back-off, once it is back. Unit 0 (broadcast) is never used: nobody answers
// it. Belongs to one thread, stop() excepted.
class RtuBus final : public ports::RegisterBus {
  public:
    // Uses device, baud, parity, stop_bits, response_timeout (to which the time of the
    // transmission is added), quiet_after_timeout and turnaround. Does not open yet.
    explicit RtuBus(const ports::BusSettings& settings);

    [[nodiscard]] ports::BusResult<std::vector<std::uint16_t>> read(
        const ports::ReadRequest& request) override;
    [[nodiscard]] core::WriteOutcome write(const ports::WriteRequest& request) override;
    void abort() override;
    // Number of times the device was opened.
    [[nodiscard]] std::uint64_t link() const override { return links_; }
    void stop() override { waiter_.stop(); }

    // Time that `bytes` take on the line.
    [[nodiscard]] static IoClock::duration line_time(const ports::BusSettings& settings,
                                                     std::size_t bytes);

  private:
    struct Failure {
        ports::BusFault fault;
        bool sent = false;
    };
    using Exchange = std::variant<Bytes, Failure>;

    // Everything that must be true before the request may go out, then the exchange.
    Exchange transact(const ReplyKind& kind, const Bytes& pdu);
    std::optional<Failure> ensure_open();
    std::optional<Failure> wait_for_quiet_line();
    // Asks the unit something whose answer cannot be mistaken.
    std::optional<Failure> probe(std::uint8_t unit);
    Exchange exchange(const ReplyKind& kind, const Bytes& pdu);
    // Reads until `deadline` or until the search has the reply.
    Exchange receive(ReplySearch& search, const ReplyKind& kind, IoClock::time_point deadline);
    std::optional<Failure> receive_some(ReplySearch& search, IoClock::time_point deadline);
    std::optional<Failure> send(const Bytes& frame, IoClock::time_point deadline);
    void learn_echo(const ReplySearch& search, const ReplyKind& kind);
    void remember(const ports::ReadRequest& request);
    Failure broken(std::string why, bool sent);
    void give_up();

    ports::BusSettings settings_;
    Waiter waiter_;
    SerialPort port_;
    LateReplies late_;
    LocalEcho echo_ = LocalEcho::unknown;
    std::map<std::uint8_t, std::vector<ports::ReadRequest>> known_reads_;  // answered before
    std::uint16_t nonce_ = 0;
    std::uint64_t links_ = 0;
    int failures_ = 0;
    std::string last_failure_;
    IoClock::time_point retry_at_{};
    IoClock::time_point line_free_at_{};  // end of the silence after the last byte
};

}  // namespace liftwarden::modbus
