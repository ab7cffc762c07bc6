// The few packets of MQTT 5 that the tests' own client needs, written from the standard. It shares
// no code with the client library under test, and shows every flag as it stands on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::test {

// Of a PUBLISH or a will; sizes are the sender's business.
struct MqttProperties {
    std::optional<std::uint32_t> expiry_s;
    std::optional<std::string> response_topic;
    std::optional<std::string> correlation;
};

namespace wire {

enum class Packet : std::uint8_t {
    connect = 1,
    connack = 2,
    publish = 3,
    puback = 4,
    subscribe = 8,
    suback = 9,
    pingreq = 12,
    pingresp = 13,
    disconnect = 14,
};

// Builds the part after the fixed header.
class Writer {
  public:
    Writer& u8(unsigned value);
    Writer& u16(unsigned value);
    Writer& u32(std::uint32_t value);
    Writer& text(const std::string& value);  // length and bytes
    Writer& raw(const std::string& bytes);
    Writer& length(std::size_t value);  // variable byte integer
    Writer& properties(const MqttProperties& properties);
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

// Reads the same; throws std::out_of_range at the end of the data.
class Reader {
  public:
    explicit Reader(const std::string& bytes) : bytes_(bytes) {}
    std::uint8_t u8();
    std::uint16_t u16();
    std::uint32_t u32();
    std::size_t length();
    std::string text();
    MqttProperties properties();  // those above; others are passed over
    [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
    [[nodiscard]] std::string rest();

  private:
    std::string take(std::size_t count);
    void skip_property(std::uint8_t id);

    const std::string& bytes_;
    std::size_t at_ = 0;
};

// A whole packet from its body; `flags` are the low four bits of the first byte.
[[nodiscard]] std::string packet(Packet type, unsigned flags, const std::string& body);

}  // namespace wire
}  // namespace liftwarden::test
