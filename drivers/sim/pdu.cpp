#include "drivers/sim/pdu.hpp"

#include <liftwarden/core/assert.hpp>

namespace liftwarden::sim {

using ports::RegisterTable;

namespace {

// Limits of one request, from the protocol specification.
constexpr std::uint16_t read_bits_max = 2000;
constexpr std::uint16_t read_words_max = 125;
constexpr std::uint16_t write_bits_max = 1968;
constexpr std::uint16_t write_words_max = 123;

constexpr std::uint16_t coil_on = 0xFF00;

bool is_bits(RegisterTable table) {
    return table == RegisterTable::coil || table == RegisterTable::discrete;
}

std::uint8_t parse_read(std::span<const std::uint8_t> pdu, Request& request) {
    if (pdu.size() != 5) {
        return illegal_data_value;
    }
    request.count = word_at(pdu, 3);
    const std::uint16_t most = is_bits(request.table()) ? read_bits_max : read_words_max;
    return request.count >= 1 && request.count <= most ? 0 : illegal_data_value;
}

std::uint8_t parse_single(std::span<const std::uint8_t> pdu, Request& request) {
    if (pdu.size() != 5) {
        return illegal_data_value;
    }
    std::uint16_t value = word_at(pdu, 3);
    if (request.function == 5) {
        if (value != 0 && value != coil_on) {
            return illegal_data_value;
        }
        value = value == coil_on ? 1 : 0;
    }
    request.count = 1;
    request.values = {value};
    return 0;
}

std::uint8_t parse_multiple(std::span<const std::uint8_t> pdu, Request& request) {
    if (pdu.size() < 6) {
        return illegal_data_value;
    }
    request.count = word_at(pdu, 3);
    const bool bits = request.function == 15;
    const std::size_t bytes = bits ? (request.count + 7U) / 8U : request.count * 2U;
    const std::uint16_t most = bits ? write_bits_max : write_words_max;
    if (request.count < 1 || request.count > most || pdu[5] != bytes || pdu.size() != 6 + bytes) {
        return illegal_data_value;
    }
    for (std::size_t i = 0; i < request.count; ++i) {
        const auto bit = static_cast<std::uint16_t>((pdu[6 + i / (bits ? 8 : 1)] >> (i % 8)) & 1);
        request.values.push_back(bits ? bit : word_at(pdu, 6 + 2 * i));
    }
    return 0;
}

}  // namespace

RegisterTable Request::table() const {
    switch (function) {
        case 1:
        case 5:
        case 15:
            return RegisterTable::coil;
        case 2:
            return RegisterTable::discrete;
        case 4:
            return RegisterTable::input;
        default:
            return RegisterTable::holding;
    }
}

ParsedRequest parse_request(std::span<const std::uint8_t> pdu) {
    LIFTWARDEN_ASSERT(!pdu.empty());
    ParsedRequest parsed;
    Request& request = parsed.request;
    request.function = pdu[0];
    if (pdu.size() >= 3) {
        request.address = word_at(pdu, 1);
    }
    switch (request.function) {
        case 1:
        case 2:
        case 3:
        case 4:
            parsed.exception = parse_read(pdu, request);
            break;
        case 5:
        case 6:
            parsed.exception = parse_single(pdu, request);
            break;
        case 15:
        case 16:
            parsed.exception = parse_multiple(pdu, request);
            break;
        default:
            parsed.exception = illegal_function;
    }
    return parsed;
}

Bytes read_reply(const Request& request, std::span<const std::uint16_t> values) {
    LIFTWARDEN_ASSERT(values.size() == request.count);
    Bytes reply{request.function, 0};
    if (is_bits(request.table())) {
        reply.resize(2 + (values.size() + 7) / 8);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const unsigned bit = values[i] != 0 ? 1U << (i % 8) : 0U;
            reply[2 + i / 8] = static_cast<std::uint8_t>(reply[2 + i / 8] | bit);
        }
    } else {
        for (const std::uint16_t value : values) {
            append_word(reply, value);
        }
    }
    reply[1] = static_cast<std::uint8_t>(reply.size() - 2);
    return reply;
}

Bytes write_reply(const Request& request) {
    Bytes reply{request.function};
    append_word(reply, request.address);
    if (request.function == 5) {
        append_word(reply, request.values[0] != 0 ? coil_on : 0);
    } else {
        append_word(reply, request.function == 6 ? request.values[0] : request.count);
    }
    return reply;
}

Bytes exception_reply(std::uint8_t function, std::uint8_t code) {
    return {static_cast<std::uint8_t>(function | 0x80), code};
}

void append_word(Bytes& bytes, std::uint16_t word) {
    bytes.push_back(static_cast<std::uint8_t>(word >> 8));
    bytes.push_back(static_cast<std::uint8_t>(word & 0xFF));
}

std::uint16_t word_at(std::span<const std::uint8_t> bytes, std::size_t position) {
    return static_cast<std::uint16_t>(bytes[position] << 8 | bytes[position + 1]);
}

}  // namespace liftwarden::sim
