// The frame around a protocol data unit on TCP.
#pragma once

#include "drivers/modbus/frames.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace liftwarden::modbus {

// Transaction id, protocol id 0, length, unit, then `pdu`.
[[nodiscard]] Bytes wrap(std::uint16_t transaction,
                         std::uint8_t unit,
                         std::span<const std::uint8_t> pdu);

// Puts the byte stream of one connection together into frames. A fresh one for every connection, so
// that nothing of an old one is carried over.
class FrameStream {
  public:
    struct Frame {
        std::uint16_t transaction = 0;
        std::uint8_t unit = 0;
        Bytes pdu;
    };

    void add(std::span<const std::uint8_t> bytes);

    // The next whole frame; nullopt: more bytes are needed, or the stream is broken.
    [[nodiscard]] std::optional<Frame> next();

    // Set once a header cannot be one: nothing that follows can be trusted.
    [[nodiscard]] const std::optional<std::string>& broken() const { return broken_; }

  private:
    Bytes pending_;
    std::optional<std::string> broken_;
};

}  // namespace liftwarden::modbus
