// Modbus protocol data units of a server: what TCP and RTU frames have in common.
#pragma once

#include <liftwarden/ports/register_bus.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace liftwarden::sim {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::size_t pdu_max = 253;

// Exception codes of the protocol specification that the simulator itself gives.
inline constexpr std::uint8_t illegal_function = 0x01;
inline constexpr std::uint8_t illegal_data_address = 0x02;
inline constexpr std::uint8_t illegal_data_value = 0x03;
inline constexpr std::uint8_t gateway_target_silent = 0x0B;

// A request after parsing. For reads `values` is empty; for writes it holds `count` registers, or
// bits as 0 and 1.
struct Request {
    std::uint8_t function = 0;
    std::uint16_t address = 0;
    std::uint16_t count = 0;
    std::vector<std::uint16_t> values;

    [[nodiscard]] bool is_write() const { return function == 5 || function == 6 || function > 14; }
    [[nodiscard]] ports::RegisterTable table() const;
};

// `exception` is 0, or the code that the request deserves whatever the registers are; then only
// `request.function` is certain.
struct ParsedRequest {
    Request request;
    std::uint8_t exception = 0;
};

// Functions 1 to 6, 15 and 16. `pdu` starts with the function code and is not empty.
[[nodiscard]] ParsedRequest parse_request(std::span<const std::uint8_t> pdu);

// Replies. `values` are the request's count of registers or bits.
[[nodiscard]] Bytes read_reply(const Request& request, std::span<const std::uint16_t> values);
[[nodiscard]] Bytes write_reply(const Request& request);
[[nodiscard]] Bytes exception_reply(std::uint8_t function, std::uint8_t code);

// Big-endian, as everything in Modbus but the CRC.
void append_word(Bytes& bytes, std::uint16_t word);
[[nodiscard]] std::uint16_t word_at(std::span<const std::uint8_t> bytes, std::size_t position);

}  // namespace liftwarden::sim
