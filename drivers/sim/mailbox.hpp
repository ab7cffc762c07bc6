#pragma once

#include "drivers/sim/command_codec.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace liftwarden::sim {

// How writes reach the program of the PLC, which looks once a scan. `latch`: it sees what is in the
// registers then; of two writes between two scans the later one wins. `queue`: every write is kept
// and taken in order, one a scan, as the PLC of the incident did.
enum class InputKind { latch, queue };
[[nodiscard]] const char* to_string(InputKind kind);
[[nodiscard]] std::optional<InputKind> input_kind_from(const std::string& text);

// True if `seq` is 1..32767 ahead of `last`, counting 1..65535 in a ring. Both must not be 0.
[[nodiscard]] bool is_newer(std::uint16_t last, std::uint16_t seq);

// The input side of the PLC's half of the mailbox: what was written, and whether a wire_seq may be
// executed. Without protection everything written is. A value, one thread.
class MailboxInput {
  public:
    enum class Judgement { fresh, duplicate, old, empty };
    static constexpr std::size_t queue_max = 64;  // the oldest is kept, the newest lost

    MailboxInput(InputKind kind, bool protect) : kind_(kind), protect_(protect) {}

    // A client wrote the block. False if the queue is full and the write is lost.
    bool written(const CommandBlock& block);
    // What the scan finds, if anything was written since the one before.
    [[nodiscard]] std::optional<CommandBlock> take();

    [[nodiscard]] Judgement judge(std::uint16_t wire_seq) const;
    // Executed, refused or busy: from now on the last one.
    void seen(std::uint16_t wire_seq);
    [[nodiscard]] std::uint16_t last() const { return last_; }
    // `found` is the wire_seq in the registers at power-up; it counts as seen, and the next one
    // that differs is executed however far away it is, because nothing is known of what was before.
    void power_up(std::uint16_t found);

  private:
    InputKind kind_;
    bool protect_;
    std::deque<CommandBlock> writes_;
    std::uint16_t last_ = 0;
    bool since_power_up_ = false;  // something has been seen since power-up
};

}  // namespace liftwarden::sim
