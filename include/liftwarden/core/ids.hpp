// Strong types for everything that names something, so that a floor never stands in for a source.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace liftwarden::core {

// A name with a type. Value semantics; ordered and hashable; an empty text means "none" only where
// the user of the type says so.
template <class Tag>
class Name {
  public:
    Name() = default;
    explicit Name(std::string text) : text_(std::move(text)) {}
    [[nodiscard]] const std::string& str() const { return text_; }
    [[nodiscard]] bool empty() const { return text_.empty(); }
    friend auto operator<=>(const Name&, const Name&) = default;

  private:
    std::string text_;
};

// A number with a type.
template <class Tag, class Rep>
class Number {
  public:
    constexpr Number() = default;
    constexpr explicit Number(Rep value) : value_(value) {}
    [[nodiscard]] constexpr Rep value() const { return value_; }
    friend constexpr auto operator<=>(const Number&, const Number&) = default;

  private:
    Rep value_{};
};

using ElevatorId = Name<struct ElevatorTag>;
using SourceId = Name<struct SourceTag>;
using Seq = Name<struct SeqTag>;           // sequence ID of a command; integers as decimal text
using FloorLabel = Name<struct FloorTag>;  // as written in the map, never an index
using GatewayId = Name<struct GatewayTag>;
using BusId = Name<struct BusTag>;

using WireSeq = Number<struct WireSeqTag, std::uint16_t>;      // 0 means "no command"
using Echo = Number<struct EchoTag, std::uint16_t>;            // the wire_seq the PLC shows
using GrantId = Number<struct GrantTag, std::uint64_t>;        // one hold of a bus; never reused
using Ticket = Number<struct TicketTag, std::uint64_t>;        // one journal commit
using DeliveryId = Number<struct DeliveryTag, std::uint64_t>;  // one MQTT message awaiting its ack
using RequestId = Number<struct RequestTag, std::uint64_t>;    // one request on the control socket

}  // namespace liftwarden::core

template <class Tag>
struct std::hash<liftwarden::core::Name<Tag>> {
    std::size_t operator()(const liftwarden::core::Name<Tag>& name) const noexcept {
        return std::hash<std::string>{}(name.str());
    }
};
