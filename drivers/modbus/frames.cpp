#include "drivers/modbus/frames.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::modbus {
namespace {

using ports::ReadRequest;
using ports::RegisterTable;
using ports::WriteRequest;

constexpr std::uint8_t write_coil = 5;
constexpr std::uint8_t write_register = 6;
constexpr std::uint8_t write_coils = 15;
constexpr std::uint8_t write_registers = 16;
constexpr std::uint8_t exception_flag = 0x80;

std::uint8_t read_function(RegisterTable table) {
    switch (table) {
        case RegisterTable::coil:
            return 1;
        case RegisterTable::discrete:
            return 2;
        case RegisterTable::holding:
            return 3;
        case RegisterTable::input:
            return 4;
    }
    return 0;
}

bool is_bits(RegisterTable table) {
    return table == RegisterTable::coil || table == RegisterTable::discrete;
}

void put(Bytes& out, std::uint32_t word) {
    out.push_back(static_cast<std::uint8_t>((word >> 8U) & 0xFFU));
    out.push_back(static_cast<std::uint8_t>(word & 0xFFU));
}

std::uint16_t word_at(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>((bytes[at] << 8U) | bytes[at + 1]);
}

std::size_t data_bytes(const ReadRequest& request) {
    return is_bits(request.table) ? (request.count + std::size_t{7}) / 8
                                  : std::size_t{request.count} * 2;
}

std::uint32_t single_value(const WriteRequest& request) {
    if (request.function == write_coil) {
        return request.values.front() != 0 ? 0xFF00U : 0U;
    }
    return request.values.front();
}

bool is_single(const WriteRequest& request) {
    return request.function == write_coil || request.function == write_register;
}

bool encodable(const WriteRequest& request) {
    const std::size_t count = request.values.size();
    std::size_t most = 1;
    if (request.function == write_coils) {
        most = 1968;
    } else if (request.function == write_registers) {
        most = 123;
    } else if (!is_single(request)) {
        return false;
    }
    return count >= 1 && count <= most && request.address + count <= 65536;
}

// The confirmation of a write is known to the last bit beforehand.
Bytes confirmation(const WriteRequest& request) {
    Bytes pdu{request.function};
    put(pdu, request.address);
    put(pdu,
        is_single(request) ? single_value(request)
                           : static_cast<std::uint32_t>(request.values.size()));
    return pdu;
}

ReplyCheck mismatch(std::string detail) {
    return {ReplyCheck::Kind::mismatch, 0, std::move(detail), {}};
}

// Function and exception, which are the same for every request. nullopt: a reply of that function.
std::optional<ReplyCheck> check_function(std::uint8_t function, std::span<const std::uint8_t> pdu) {
    if (pdu.empty()) {
        return mismatch("empty reply");
    }
    if (pdu[0] == function) {
        return std::nullopt;
    }
    if (pdu[0] != (function | exception_flag)) {
        return mismatch(fmt::format("reply of function {} to a request of {}", pdu[0], function));
    }
    if (pdu.size() != exception_size) {
        return mismatch(fmt::format("exception reply of {} bytes", pdu.size()));
    }
    return ReplyCheck{ReplyCheck::Kind::exception, pdu[1], describe_exception(pdu[1]), {}};
}

std::vector<std::uint16_t> unpack_bits(std::span<const std::uint8_t> data, std::size_t count) {
    std::vector<std::uint16_t> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(
            static_cast<std::uint16_t>((static_cast<unsigned>(data[i / 8]) >> (i % 8)) & 1U));
    }
    return values;
}

std::vector<std::uint16_t> unpack_registers(std::span<const std::uint8_t> data) {
    std::vector<std::uint16_t> values;
    values.reserve(data.size() / 2);
    for (std::size_t i = 0; i + 1 < data.size(); i += 2) {
        values.push_back(word_at(data, i));
    }
    return values;
}

const char* exception_words(std::uint8_t code) {
    switch (code) {
        case 1:
            return "function not supported";
        case 2:
            return "no such address";
        case 3:
            return "value not allowed";
        case 4:
            return "device failure";
        case 5:
            return "accepted, still working";
        case 6:
            return "busy";
        case 0x0A:
            return "gateway path unavailable";
        case 0x0B:
            return "gateway target does not answer";
        default:
            return "unknown code";
    }
}

}  // namespace

std::optional<Bytes> encode(const ReadRequest& request) {
    const std::uint32_t most = is_bits(request.table) ? 2000 : 125;
    if (request.count == 0 || request.count > most ||
        std::uint32_t{request.address} + request.count > 65536) {
        return std::nullopt;
    }
    Bytes pdu{read_function(request.table)};
    put(pdu, request.address);
    put(pdu, request.count);
    return pdu;
}

std::optional<Bytes> encode(const WriteRequest& request) {
    if (!encodable(request)) {
        return std::nullopt;
    }
    Bytes pdu{request.function};
    put(pdu, request.address);
    if (is_single(request)) {
        put(pdu, single_value(request));
        return pdu;
    }
    put(pdu, static_cast<std::uint32_t>(request.values.size()));
    if (request.function == write_registers) {
        pdu.push_back(static_cast<std::uint8_t>(request.values.size() * 2));
        for (const std::uint16_t value : request.values) {
            put(pdu, value);
        }
        return pdu;
    }
    Bytes packed((request.values.size() + 7) / 8, 0);
    for (std::size_t i = 0; i < request.values.size(); ++i) {
        if (request.values[i] != 0) {
            packed[i / 8] = static_cast<std::uint8_t>(packed[i / 8] | (1U << (i % 8)));
        }
    }
    pdu.push_back(static_cast<std::uint8_t>(packed.size()));
    pdu.insert(pdu.end(), packed.begin(), packed.end());
    return pdu;
}

std::size_t reply_size(const ReadRequest& request) {
    return 2 + data_bytes(request);
}

std::size_t reply_size(const WriteRequest&) {
    return 5;
}

ReplyCheck check_reply(const ReadRequest& request, std::span<const std::uint8_t> pdu) {
    if (const auto early = check_function(read_function(request.table), pdu)) {
        return *early;
    }
    if (pdu.size() != reply_size(request)) {
        return mismatch(fmt::format("reply of {} bytes, not {}", pdu.size(), reply_size(request)));
    }
    if (pdu[1] != data_bytes(request)) {
        return mismatch(fmt::format("byte count {}, not {}", pdu[1], data_bytes(request)));
    }
    const auto data = pdu.subspan(2);
    return {ReplyCheck::Kind::good,
            0,
            {},
            is_bits(request.table) ? unpack_bits(data, request.count) : unpack_registers(data)};
}

ReplyCheck check_reply(const WriteRequest& request, std::span<const std::uint8_t> pdu) {
    if (const auto early = check_function(request.function, pdu)) {
        return *early;
    }
    if (pdu.size() != reply_size(request)) {
        return mismatch(fmt::format("reply of {} bytes, not {}", pdu.size(), reply_size(request)));
    }
    const Bytes expected = confirmation(request);
    if (word_at(pdu, 1) != word_at(expected, 1)) {
        return mismatch(
            fmt::format("echoed address {}, not {}", word_at(pdu, 1), word_at(expected, 1)));
    }
    if (word_at(pdu, 3) != word_at(expected, 3)) {
        return mismatch(fmt::format("echoed {} {}, not {}",
                                    is_single(request) ? "value" : "quantity",
                                    word_at(pdu, 3),
                                    word_at(expected, 3)));
    }
    return {ReplyCheck::Kind::good, 0, {}, {}};
}

std::string describe_exception(std::uint8_t code) {
    return fmt::format("exception 0x{:02X} ({})", code, exception_words(code));
}

core::WriteOutcome outcome_of_exception(std::uint8_t code) {
    using Kind = core::WriteOutcome::Kind;
    Kind kind = Kind::unknown;
    if (code >= 1 && code <= 3) {
        kind = Kind::refused;
    } else if (code == 5) {
        kind = Kind::confirmed;
    } else if (code == 6) {
        kind = Kind::busy;
    }
    return {kind, code, describe_exception(code)};
}

bool is_unit_unreachable(std::uint8_t exception) {
    return exception == 0x0A || exception == 0x0B;
}

}  // namespace liftwarden::modbus
