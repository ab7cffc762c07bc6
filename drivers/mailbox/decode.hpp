#pragma once

#include <liftwarden/core/observation.hpp>
#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace liftwarden::mailbox {

// The registers of one reading, kept as they were read.
class Snapshot {
  public:
    // `words` belongs to `request`, in address order.
    void add(const ports::ReadRequest& request, std::vector<std::uint16_t> words);
    // nullopt if that register was not read.
    [[nodiscard]] std::optional<std::uint16_t> at(ports::RegisterTable table,
                                                  std::uint16_t address) const;

  private:
    struct Block {
        ports::RegisterTable table;
        std::uint16_t address;
        std::vector<std::uint16_t> words;
    };
    std::vector<Block> blocks_;
};

// What the registers say in the words of the map. A door, direction or floor code that the map does
// not know makes the observation undecodable; an unknown mode code reads as `unknown`, which
// refuses all commands; an unknown target as none; an unknown code of occupied or door_blocked as
// set.
[[nodiscard]] core::Observation decode_state(const ports::ElevatorMap& map,
                                             const Snapshot& snapshot);

// A result of 0 is "none" while the echo is 0 too, as after the controller's power-up. Any other
// number that the map does not name is unrecognised, which proves nothing.
[[nodiscard]] core::Acknowledgement decode_ack(const ports::ElevatorMap& map,
                                               const Snapshot& snapshot);

}  // namespace liftwarden::mailbox
