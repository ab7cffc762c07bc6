#pragma once

#include <liftwarden/core/observation.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/register_bus.hpp>

#include <cstdint>

namespace liftwarden::ports {

// Turns one elevator's commands into register accesses and its registers into readings. Holds the
// map and no other state that outlives a call; used only by the worker of its bus.
class ElevatorDriver {
  public:
    virtual ~ElevatorDriver() = default;
    // All of one reading, in as few transactions as the map allows, or the first fault.
    [[nodiscard]] virtual BusResult<core::Reading> read(RegisterBus& bus,
                                                        core::ReadKind kind,
                                                        const Clock& clock) const = 0;
    // One request; the outcome is the bus's.
    [[nodiscard]] virtual core::WriteOutcome write(RegisterBus& bus,
                                                   const core::WireCommand& command) const = 0;
    // not_written if the map has no heartbeat register.
    [[nodiscard]] virtual core::WriteOutcome heartbeat(RegisterBus& bus,
                                                       std::uint16_t value) const = 0;
};

}  // namespace liftwarden::ports
