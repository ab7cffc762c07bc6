// Register addresses and bit ranges in the notations that engineers use.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace liftwarden::config {

struct Address {
    ports::RegisterTable table = ports::RegisterTable::holding;
    std::uint16_t number = 0;  // 0-based, as on the wire
    friend bool operator==(const Address&, const Address&) = default;
};

// `holding:100` (0-based), or a Modicon number of five or six digits (1-based): 40101 and 400101
// are the same register. Tables by first digit: 0 coil, 1 discrete, 3 input, 4 holding. The error
// is a whole clause that follows the offending text.
[[nodiscard]] core::Result<Address> parse_address(std::string_view text);

// Set if a 0-based address looks like a Modicon number that was given a table name as well
// (`holding:40101`): legal, but seldom meant.
[[nodiscard]] std::optional<std::string> doubt_about(const Address& address);

// `0..3` or a single bit `7`; 0 is the least significant bit, 15 the most.
[[nodiscard]] core::Result<ports::BitRange> parse_bits(std::string_view text);

// "holding:100", or "holding:100..103" for more than one.
[[nodiscard]] std::string zero_based_text(const Address& address, std::uint16_t count = 1);

// "40101", or "40101..40104"; six digits where five do not reach.
[[nodiscard]] std::string modicon_text(const Address& address, std::uint16_t count = 1);

// "bits 0..3" or "bit 7".
[[nodiscard]] std::string bits_text(const ports::BitRange& bits);

}  // namespace liftwarden::config
