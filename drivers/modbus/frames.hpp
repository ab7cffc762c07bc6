// The part of Modbus that TCP and serial lines share: the protocol data unit, function code first.
// Pure, so that it can be fuzzed and tested byte by byte.
#pragma once

#include <liftwarden/core/observation.hpp>
#include <liftwarden/ports/register_bus.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace liftwarden::modbus {

using Bytes = std::vector<std::uint8_t>;

// The request as it goes on the wire; nullopt if the protocol cannot carry it: no or too many
// registers (125 read, 123 written) or bits (2000, 1968), beyond address 65535, a function that
// writes nothing or takes one value only.
[[nodiscard]] std::optional<Bytes> encode(const ports::ReadRequest& request);
[[nodiscard]] std::optional<Bytes> encode(const ports::WriteRequest& request);

// Length of the whole confirmation, without which a serial line cannot tell where it ends. An
// exception is always exception_size long.
[[nodiscard]] std::size_t reply_size(const ports::ReadRequest& request);
[[nodiscard]] std::size_t reply_size(const ports::WriteRequest& request);
inline constexpr std::size_t exception_size = 2;

// What a reply is worth for one request. `values` are set for a read only.
struct ReplyCheck {
    enum class Kind { good, exception, mismatch };
    Kind kind = Kind::mismatch;
    std::uint8_t exception = 0;
    std::string detail;  // what does not match
    std::vector<std::uint16_t> values;
};

// Compares everything a reply can be compared by: function, byte count and length of a read; the
// whole echo of a write, address and value or quantity. A reply with anything else in it is a
// mismatch, also an exception of the wrong length.
[[nodiscard]] ReplyCheck check_reply(const ports::ReadRequest& request,
                                     std::span<const std::uint8_t> pdu);
[[nodiscard]] ReplyCheck check_reply(const ports::WriteRequest& request,
                                     std::span<const std::uint8_t> pdu);

// "exception 0x0B (gateway target does not answer)".
[[nodiscard]] std::string describe_exception(std::uint8_t code);

// What an exception says about a write. 1 to 3: refused. 5: taken, and still at work, so it counts
// as confirmed and the acknowledgement registers decide. 6: not taken, may be offered again. All
// others leave open what happened.
[[nodiscard]] core::WriteOutcome outcome_of_exception(std::uint8_t code);

// True for the codes by which a gateway says that the unit behind it cannot be reached.
[[nodiscard]] bool is_unit_unreachable(std::uint8_t exception);

}  // namespace liftwarden::modbus
