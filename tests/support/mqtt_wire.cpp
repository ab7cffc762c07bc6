#include "tests/support/mqtt_wire.hpp"

#include <stdexcept>

namespace liftwarden::test::wire {
namespace {

// Property identifiers, MQTT 5 section 2.2.2.2.
constexpr std::uint8_t message_expiry = 2;
constexpr std::uint8_t response_topic = 8;
constexpr std::uint8_t correlation_data = 9;

}  // namespace

Writer& Writer::u8(unsigned value) {
    bytes_.push_back(static_cast<char>(value & 0xFFU));
    return *this;
}

Writer& Writer::u16(unsigned value) {
    return u8(value >> 8U).u8(value);
}

Writer& Writer::u32(std::uint32_t value) {
    return u16(value >> 16U).u16(value & 0xFFFFU);
}

Writer& Writer::text(const std::string& value) {
    return u16(static_cast<unsigned>(value.size())).raw(value);
}

Writer& Writer::raw(const std::string& bytes) {
    bytes_ += bytes;
    return *this;
}

Writer& Writer::length(std::size_t value) {
    do {
        const unsigned digit = static_cast<unsigned>(value % 128);
        value /= 128;
        u8(value > 0 ? digit | 0x80U : digit);
    } while (value > 0);
    return *this;
}

Writer& Writer::properties(const MqttProperties& properties) {
    Writer all;
    if (properties.expiry_s) {
        all.u8(message_expiry).u32(*properties.expiry_s);
    }
    if (properties.response_topic) {
        all.u8(response_topic).text(*properties.response_topic);
    }
    if (properties.correlation) {
        all.u8(correlation_data).text(*properties.correlation);
    }
    return length(all.bytes().size()).raw(all.bytes());
}

std::string Reader::take(std::size_t count) {
    if (count > bytes_.size() - at_) {
        throw std::out_of_range("packet too short");
    }
    const std::string part = bytes_.substr(at_, count);
    at_ += count;
    return part;
}

std::uint8_t Reader::u8() {
    return static_cast<std::uint8_t>(take(1)[0]);
}

std::uint16_t Reader::u16() {
    const unsigned high = u8();
    return static_cast<std::uint16_t>(high << 8U | u8());
}

std::uint32_t Reader::u32() {
    const std::uint32_t high = u16();
    return high << 16U | u16();
}

std::size_t Reader::length() {
    std::size_t value = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
        const std::uint8_t byte = u8();
        value |= static_cast<std::size_t>(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) {
            return value;
        }
    }
    throw std::out_of_range("length longer than four bytes");
}

std::string Reader::text() {
    return take(u16());
}

std::string Reader::rest() {
    return take(bytes_.size() - at_);
}

void Reader::skip_property(std::uint8_t id) {
    switch (id) {
        case 1:
        case 23:
        case 25:
        case 36:
        case 37:
        case 40:
        case 41:
        case 42:
            u8();
            return;
        case 19:
        case 33:
        case 34:
        case 35:
            u16();
            return;
        case 17:
        case 24:
        case 39:
            u32();
            return;
        case 11:
            length();
            return;
        case 38:
            text();
            text();
            return;
        default:
            text();
    }
}

MqttProperties Reader::properties() {
    MqttProperties found;
    const std::size_t size = length();
    const std::size_t end = at_ + size;
    while (at_ < end) {
        switch (const std::uint8_t id = u8(); id) {
            case message_expiry:
                found.expiry_s = u32();
                break;
            case response_topic:
                found.response_topic = text();
                break;
            case correlation_data:
                found.correlation = text();
                break;
            default:
                skip_property(id);
        }
    }
    return found;
}

std::string packet(Packet type, unsigned flags, const std::string& body) {
    return Writer{}
        .u8(static_cast<unsigned>(type) << 4U | flags)
        .length(body.size())
        .raw(body)
        .bytes();
}

}  // namespace liftwarden::test::wire
