#include "tests/support/modbus_registers.hpp"

#include <cstddef>

namespace liftwarden::test {
namespace {

std::uint16_t word(const Bytes& bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes.at(at) * 256U + bytes.at(at + 1));
}

void append(Bytes& bytes, unsigned value) {
    bytes.push_back(static_cast<std::uint8_t>(value / 256U % 256U));
    bytes.push_back(static_cast<std::uint8_t>(value % 256U));
}

}  // namespace

Bytes exception_reply(const Bytes& request_pdu, std::uint8_t code) {
    return {static_cast<std::uint8_t>(request_pdu.at(0) | 0x80U), code};
}

Bytes ModbusRegisters::answer(const Bytes& pdu) {
    const std::lock_guard lock(mutex_);
    switch (pdu.at(0)) {
        case 1:
            return read('c', pdu, true);
        case 2:
            return read('d', pdu, true);
        case 3:
            return read('h', pdu, false);
        case 4:
            return read('i', pdu, false);
        case 5:
        case 6: {
            const bool coil = pdu[0] == 5;
            const std::uint16_t stored = coil ? (pdu.at(3) != 0 ? 1 : 0) : word(pdu, 3);
            values_[{coil ? 'c' : 'h', word(pdu, 1)}] = stored;
            writes_.push_back({word(pdu, 1), {stored}});
            return pdu;
        }
        case 15:
            return write_many(pdu, true);
        case 16:
            return write_many(pdu, false);
        default:
            return exception_reply(pdu, 1);
    }
}

void ModbusRegisters::set(char table, std::uint16_t address, std::uint16_t value) {
    const std::lock_guard lock(mutex_);
    values_[{table, address}] = value;
}

std::uint16_t ModbusRegisters::get(char table, std::uint16_t address) const {
    const std::lock_guard lock(mutex_);
    return value(table, address);
}

std::vector<ModbusRegisters::Write> ModbusRegisters::writes() const {
    const std::lock_guard lock(mutex_);
    return writes_;
}

Bytes ModbusRegisters::read(char table, const Bytes& pdu, bool bits) const {
    const std::size_t count = word(pdu, 3);
    Bytes reply{pdu[0], static_cast<std::uint8_t>(bits ? (count + 7) / 8 : count * 2)};
    if (bits) {
        reply.resize(2 + (count + 7) / 8, 0);
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t read = value(table, static_cast<std::uint16_t>(word(pdu, 1) + i));
        if (!bits) {
            append(reply, read);
        } else if (read != 0) {
            reply[2 + i / 8] = static_cast<std::uint8_t>(reply[2 + i / 8] | (1U << i % 8));
        }
    }
    return reply;
}

Bytes ModbusRegisters::write_many(const Bytes& pdu, bool bits) {
    Write write{word(pdu, 1), {}};
    for (std::size_t i = 0; i < word(pdu, 3); ++i) {
        const auto stored =
            bits
                ? static_cast<std::uint16_t>(static_cast<unsigned>(pdu.at(6 + i / 8)) >> i % 8 & 1U)
                : word(pdu, 6 + 2 * i);
        values_[{bits ? 'c' : 'h', static_cast<std::uint16_t>(write.address + i)}] = stored;
        write.values.push_back(stored);
    }
    writes_.push_back(write);
    return {pdu.begin(), pdu.begin() + 5};
}

std::uint16_t ModbusRegisters::value(char table, std::uint16_t address) const {
    const auto found = values_.find({table, address});
    return found == values_.end() ? address : found->second;
}

}  // namespace liftwarden::test
