// Modbus RTU frames of a server: unit, PDU, CRC; the frame's end follows from its content, or from
// the silence after it.
#pragma once

#include "drivers/sim/pdu.hpp"

#include <optional>
#include <span>

namespace liftwarden::sim {

inline constexpr std::size_t rtu_frame_min = 4;
inline constexpr std::size_t rtu_frame_max = 256;

// CRC-16 with polynomial 0xA001, as in the serial line specification; sent low byte first.
[[nodiscard]] std::uint16_t crc16(std::span<const std::uint8_t> bytes);
// True if the last two bytes are the CRC of those before.
[[nodiscard]] bool crc_fits(std::span<const std::uint8_t> frame);

// How long the request that begins with these bytes is, CRC included; nullopt if too little of it
// is there to say, or its function is not known.
[[nodiscard]] std::optional<std::size_t> request_size(std::span<const std::uint8_t> bytes);

[[nodiscard]] Bytes rtu_frame(std::uint8_t unit, std::span<const std::uint8_t> pdu);

}  // namespace liftwarden::sim
