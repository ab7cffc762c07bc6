#include "drivers/modbus/mbap.hpp"

#include <fmt/format.h>

namespace liftwarden::modbus {
namespace {

constexpr std::size_t header_size = 7;  // with the unit
constexpr std::size_t prefix_size = 6;  // what `length` does not count
constexpr std::size_t length_min = 2;   // unit and function
constexpr std::size_t length_max = 254;

std::uint16_t word_at(const Bytes& bytes, std::size_t at) {
    return static_cast<std::uint16_t>((bytes[at] << 8U) | bytes[at + 1]);
}

void put(Bytes& out, std::size_t word) {
    out.push_back(static_cast<std::uint8_t>((word >> 8U) & 0xFFU));
    out.push_back(static_cast<std::uint8_t>(word & 0xFFU));
}

}  // namespace

Bytes wrap(std::uint16_t transaction, std::uint8_t unit, std::span<const std::uint8_t> pdu) {
    Bytes frame;
    frame.reserve(header_size + pdu.size());
    put(frame, transaction);
    put(frame, 0);
    put(frame, pdu.size() + 1);
    frame.push_back(unit);
    frame.insert(frame.end(), pdu.begin(), pdu.end());
    return frame;
}

void FrameStream::add(std::span<const std::uint8_t> bytes) {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

std::optional<FrameStream::Frame> FrameStream::next() {
    if (broken_ || pending_.size() < prefix_size) {
        return std::nullopt;
    }
    if (const std::uint16_t protocol = word_at(pending_, 2); protocol != 0) {
        broken_ = fmt::format("protocol id {}, not 0", protocol);
        return std::nullopt;
    }
    const std::size_t length = word_at(pending_, 4);
    if (length < length_min || length > length_max) {
        broken_ = fmt::format("frame length {}, not {}..{}", length, length_min, length_max);
        return std::nullopt;
    }
    if (pending_.size() < prefix_size + length) {
        return std::nullopt;
    }
    const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(prefix_size + length);
    Frame frame{
        word_at(pending_, 0), pending_[prefix_size], Bytes(pending_.begin() + header_size, end)};
    pending_.erase(pending_.begin(), end);
    return frame;
}

}  // namespace liftwarden::modbus
