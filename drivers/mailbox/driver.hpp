#pragma once

#include "drivers/mailbox/plan.hpp"

#include <liftwarden/ports/elevator_driver.hpp>
#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>

namespace liftwarden::mailbox {

// Speaks to a controller that offers a command block and an echo block, entirely by its map. Holds
// the map and the read plan and nothing else, so any thread may use it, one bus at a time.
class MailboxDriver final : public ports::ElevatorDriver {
  public:
    // `map` must have passed check(): asserted where it would matter.
    explicit MailboxDriver(ports::ElevatorMap map);

    [[nodiscard]] ports::BusResult<core::Reading> read(ports::RegisterBus& bus,
                                                       core::ReadKind kind,
                                                       const ports::Clock& clock) const override;
    // One write of four registers (function 16), never split.
    [[nodiscard]] core::WriteOutcome write(ports::RegisterBus& bus,
                                           const core::WireCommand& command) const override;
    // Function 6, or 16 where the map says so.
    [[nodiscard]] core::WriteOutcome heartbeat(ports::RegisterBus& bus,
                                               std::uint16_t value) const override;

  private:
    ports::ElevatorMap map_;
    ReadPlan plan_;
};

}  // namespace liftwarden::mailbox
