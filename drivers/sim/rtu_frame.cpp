#include "drivers/sim/rtu_frame.hpp"

#include <algorithm>

namespace liftwarden::sim {

std::uint16_t crc16(std::span<const std::uint8_t> bytes) {
    unsigned crc = 0xFFFF;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1U) != 0 ? (crc >> 1) ^ 0xA001U : crc >> 1;
        }
    }
    return static_cast<std::uint16_t>(crc);
}

bool crc_fits(std::span<const std::uint8_t> frame) {
    if (frame.size() < rtu_frame_min) {
        return false;
    }
    const std::uint16_t crc = crc16(frame.first(frame.size() - 2));
    return frame[frame.size() - 2] == (crc & 0xFF) && frame[frame.size() - 1] == crc >> 8;
}

std::optional<std::size_t> request_size(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < 2) {
        return std::nullopt;
    }
    const std::uint8_t function = bytes[1];
    if (function >= 1 && function <= 6) {
        return 8;
    }
    if ((function == 15 || function == 16) && bytes.size() >= 7) {
        return std::size_t{9} + bytes[6];
    }
    return std::nullopt;
}

Bytes rtu_frame(std::uint8_t unit, std::span<const std::uint8_t> pdu) {
    Bytes frame(1 + pdu.size(), unit);
    std::copy(pdu.begin(), pdu.end(), frame.begin() + 1);
    const std::uint16_t crc = crc16(frame);
    frame.push_back(static_cast<std::uint8_t>(crc & 0xFF));
    frame.push_back(static_cast<std::uint8_t>(crc >> 8));
    return frame;
}

}  // namespace liftwarden::sim
