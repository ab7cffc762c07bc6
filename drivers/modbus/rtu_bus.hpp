#pragma once

#include "drivers/modbus/rtu_line.hpp"

#include <liftwarden/ports/register_bus.hpp>
#include <liftwarden/ports/settings.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace liftwarden::modbus {

// A serial Modbus line (RTU), several units, one request at a time. Every reply is compared whole
// with its request, wherever in the received bytes it stands; 3.5 characters of silence are kept
// around every frame; after a time-out the rules of LateReplies hold, so that a late answer is
// never taken for the answer to another question: a unit that is left alone fails at once, not
// after another time-out. A device that is unplugged is opened again under the same path, with
// back-off, once it is back. Unit 0 (broadcast) is never used: nobody answers it. Belongs to one
// thread, stop() excepted.
class RtuBus final : public ports::RegisterBus {
  public:
    // Uses device, baud, parity, stop_bits, response_timeout (from the first byte of a request to
    // the last of its answer), quiet_after_timeout and turnaround. Does not open yet.
    explicit RtuBus(const ports::BusSettings& settings) : line_(settings) {}

    [[nodiscard]] ports::BusResult<std::vector<std::uint16_t>> read(
        const ports::ReadRequest& request) override;
    [[nodiscard]] core::WriteOutcome write(const ports::WriteRequest& request) override;
    void abort() override { line_.close(); }
    void settle() override;
    // Number of times the device was opened.
    [[nodiscard]] std::uint64_t link() const override { return line_.opened(); }
    void stop() override { line_.stop(); }

  private:
    using Failure = RtuLine::Failure;
    using Exchange = RtuLine::Exchange;

    // Everything that must be true before the request may go out, then the exchange. `harmless`:
    // a read of this unit that may be asked as well, for want of a better one.
    Exchange transact(const ReplyKind& kind,
                      const Bytes& pdu,
                      const std::optional<ports::ReadRequest>& harmless);
    std::optional<Failure> prepare(const ReplyKind& kind,
                                   const std::optional<ports::ReadRequest>& harmless);
    Exchange exchange(const ReplyKind& kind, const Bytes& pdu, IoClock::duration patience);
    // Asks the unit something whose answer cannot be mistaken for what may still come.
    std::optional<Failure> probe(std::uint8_t unit,
                                 const std::optional<ports::ReadRequest>& harmless);
    Exchange ask_for_echo(std::uint8_t unit);
    // Lets the line show whether it echoes, by something that was read before.
    std::optional<Failure> learn_echo(std::uint8_t unit);
    void remember(const ports::ReadRequest& request);

    RtuLine line_;
    std::map<std::uint8_t, std::vector<ports::ReadRequest>> known_reads_;  // answered before
    std::uint16_t nonce_ = 0;
};

}  // namespace liftwarden::modbus
