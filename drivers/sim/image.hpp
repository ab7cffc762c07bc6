#pragma once

#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace liftwarden::sim {

// The four tables of one Modbus unit. Only the addresses that the map names exist; everything else
// is an illegal data address, as on a PLC that defines just what it needs. Bits are 0 and 1. A
// value, one thread.
class RegisterImage {
  public:
    explicit RegisterImage(const ports::ElevatorMap& map);

    // nullopt if any of the addresses does not exist.
    [[nodiscard]] std::optional<std::vector<std::uint16_t>> read(ports::RegisterTable table,
                                                                 std::uint16_t address,
                                                                 std::uint16_t count) const;
    // False, and nothing written, if any of the addresses does not exist.
    [[nodiscard]] bool write(ports::RegisterTable table,
                             std::uint16_t address,
                             std::span<const std::uint16_t> values);
    // One register that the map names; 0 if it does not.
    [[nodiscard]] std::uint16_t get(ports::RegisterTable table, std::uint16_t address) const;
    // Puts a number where the spec says, leaving the other bits of the register alone.
    void put(const ports::RegisterSpec& spec, std::int64_t number);
    void clear();  // all to 0

  private:
    using Table = std::map<std::uint16_t, std::uint16_t>;
    [[nodiscard]] Table& table(ports::RegisterTable table);
    [[nodiscard]] const Table& table(ports::RegisterTable table) const;

    Table holding_;
    Table input_;
    Table coil_;
    Table discrete_;
};

}  // namespace liftwarden::sim
