#pragma once

#include "drivers/modbus/late_replies.hpp"
#include "drivers/modbus/rtu_frames.hpp"
#include "drivers/modbus/serial_port.hpp"
#include "drivers/modbus/waiter.hpp"

#include <liftwarden/ports/register_bus.hpp>
#include <liftwarden/ports/settings.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace liftwarden::modbus {

// The serial line below RtuBus: opens the device, keeps the silences, sends one frame and finds its
// reply. Knows nothing of registers. Belongs to one thread, stop() excepted.
class RtuLine {
  public:
    // `sent`: at least one byte may have left.
    struct Failure {
        ports::BusFault fault;
        bool sent = false;
    };
    using Exchange = std::variant<Bytes, Failure>;

    explicit RtuLine(const ports::BusSettings& settings);

    // Opens the device if need be, at most once per back-off time.
    [[nodiscard]] std::optional<Failure> open();
    // Waits until nobody may talk any more, taking in late replies. Noise that lasts `patience`
    // longer than what there is to wait for is a failure.
    [[nodiscard]] std::optional<Failure> wait_for_quiet(IoClock::duration patience);
    // Sends one request and waits for its reply, to one deadline whatever comes meanwhile. The
    // line must be quiet.
    [[nodiscard]] Exchange exchange(const ReplyKind& kind, const Bytes& pdu);
    void close();
    void stop() { waiter_.stop(); }

    [[nodiscard]] bool is_open() const { return port_.is_open(); }
    // Unknown until something was read since the device was opened.
    [[nodiscard]] LocalEcho echo() const { return echo_; }
    [[nodiscard]] IoClock::duration response_timeout() const { return settings_.response_timeout; }
    [[nodiscard]] LateReplies& late() { return late_; }
    [[nodiscard]] std::uint64_t opened() const { return opened_; }

    // Time that `bytes` take on the line.
    [[nodiscard]] static IoClock::duration line_time(const ports::BusSettings& settings,
                                                     std::size_t bytes);

  private:
    [[nodiscard]] std::optional<Failure> send(const Bytes& frame, IoClock::time_point deadline);
    [[nodiscard]] Exchange receive(ReplySearch& search,
                                   const ReplyKind& kind,
                                   IoClock::time_point deadline);
    [[nodiscard]] std::optional<Failure> take_bytes(ReplySearch& search);
    void learn_echo(const ReplySearch& search, const ReplyKind& kind);
    [[nodiscard]] Failure broken(const std::string& why, bool sent);
    void give_up();

    ports::BusSettings settings_;
    IoClock::duration silence_;
    Waiter waiter_;
    SerialPort port_;
    LateReplies late_;
    LocalEcho echo_ = LocalEcho::unknown;
    std::uint64_t opened_ = 0;
    int failures_ = 0;  // in a row without one good reply
    std::string last_failure_;
    IoClock::time_point retry_at_{};
    IoClock::time_point line_free_at_{};  // end of the silence after the last byte
};

}  // namespace liftwarden::modbus
