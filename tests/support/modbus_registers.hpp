#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace liftwarden::test {

using Bytes = std::vector<std::uint8_t>;

// The registers of a well-behaved Modbus unit, and a list of every write that took effect. Written
// from the protocol's specification, independently of the product. Any thread may use it.
class ModbusRegisters {
  public:
    struct Write {
        std::uint16_t address = 0;
        std::vector<std::uint16_t> values;
        friend bool operator==(const Write&, const Write&) = default;
    };

    // Carries out one protocol data unit and gives the reply's. Holding registers, input registers,
    // coils and discrete inputs are four tables; what was never set reads as its own address, so
    // that a value from another register shows.
    [[nodiscard]] Bytes answer(const Bytes& pdu);

    void set(char table, std::uint16_t address, std::uint16_t value);  // h, i, c or d
    [[nodiscard]] std::uint16_t get(char table, std::uint16_t address) const;
    [[nodiscard]] std::vector<Write> writes() const;

  private:
    Bytes read(char table, const Bytes& pdu, bool bits) const;
    Bytes write_many(const Bytes& pdu, bool bits);
    std::uint16_t value(char table, std::uint16_t address) const;

    mutable std::mutex mutex_;
    std::map<std::pair<char, std::uint16_t>, std::uint16_t> values_;
    std::vector<Write> writes_;
};

[[nodiscard]] Bytes exception_reply(const Bytes& request_pdu, std::uint8_t code);

}  // namespace liftwarden::test
