#pragma once

#include "drivers/sim/endpoint.hpp"
#include "drivers/sim/file_descriptor.hpp"
#include "drivers/sim/pdu.hpp"

#include <liftwarden/ports/settings.hpp>

#include <deque>
#include <memory>

namespace liftwarden::sim {

struct SerialLine {
    std::string device;
    int baud = 19200;
    ports::Parity parity = ports::Parity::even;
    int stop_bits = 1;
};

// Modbus RTU on a serial port or a pseudo-terminal, for several units. Requests to other units are
// not answered, nor is what has a bad CRC. When the device goes away it is opened again as soon as
// it is back. What breaks a connection on TCP is silence here.
class RtuEndpoint : public Endpoint {
  public:
    // A device that cannot be opened now is an error; one that vanishes later is not.
    [[nodiscard]] static core::Result<std::unique_ptr<RtuEndpoint>> open(SerialLine line,
                                                                         Units units,
                                                                         Log& log,
                                                                         bool log_frames);

    void release(core::TimePoint now) override;
    void transmit() override;
    void watch(std::vector<pollfd>& polls) override;
    void receive(std::span<const pollfd> polls, core::TimePoint now) override;
    [[nodiscard]] std::optional<core::TimePoint> deadline() const override;
    void drop(core::TimePoint now) override;
    void refuse(core::TimePoint now, core::TimePoint until) override;
    [[nodiscard]] std::string describe() const override { return line_.device; }

  private:
    struct Reply {
        core::TimePoint due{};
        Bytes frame;
        boost::json::object line;
    };

    RtuEndpoint(SerialLine line, Units units, Log& log, bool log_frames);
    [[nodiscard]] std::optional<std::string> open_device();
    void lose_device(core::TimePoint now, const std::string& why);
    void take_complete_frames(core::TimePoint now);
    void take_frame(std::span<const std::uint8_t> frame, core::TimePoint now);
    void end_of_frame(core::TimePoint now);

    SerialLine line_;
    Units units_;
    Log& log_;
    bool log_frames_;
    core::Duration silence_;
    FileDescriptor fd_;
    Bytes received_;
    core::TimePoint received_at_{};
    std::deque<Reply> replies_;
    Bytes unsent_;
    std::optional<core::TimePoint> deaf_until_;
    std::optional<core::TimePoint> reopen_at_;
};

}  // namespace liftwarden::sim
