// How long things take on the wire. Reckoned, not measured: what a line needs at the least.
#pragma once

#include <liftwarden/core/time.hpp>
#include <liftwarden/ports/settings.hpp>

#include <cstdint>

namespace liftwarden::config {

// What one request with its answer is taken to cost on TCP, where the controller's answer decides
// and not the line: a middling small PLC. The real figure may be a tenth or, with a PLC that
// answers once a scan, ten times that.
inline constexpr core::Duration tcp_transaction_estimate = std::chrono::milliseconds{10};

// One read with its answer. On RTU 11 bits a byte, as Modbus has it for every parity; 3.5
// characters of silence after request and answer (1.75 ms above 19200 baud, MODBUS over Serial Line
// V1.02, 2.5.1.1); and the bus's turnaround. The controller's own thinking time is not in it.
[[nodiscard]] core::Duration read_time(const ports::BusSettings& bus,
                                       const ports::ReadRequest& request);

// One write of `registers` holding registers (function 16) with its answer.
[[nodiscard]] core::Duration write_time(const ports::BusSettings& bus, std::uint16_t registers);

// What one elevator asks of its bus.
struct WireTimes {
    core::Duration reading{};  // one full reading
    core::Duration command{};  // fresh reading, write, one reading of the acknowledgement
    core::Duration longest{};  // its longest single transaction
};
[[nodiscard]] WireTimes wire_times(const ports::BusSettings& bus, const ports::PollPlan& plan);

// What all elevators of one bus ask of it.
struct BusLoad {
    core::Duration round{};    // one full reading of each
    core::Duration longest{};  // longest single transaction
    double share = 0;         // of the bus's time that polling and heartbeats need; above 1 it does
                              // not fit
    bool heartbeats = false;  // some are written
    void add(const WireTimes& times, core::Duration poll);
    void add_heartbeat(const ports::BusSettings& bus, core::Duration period);
    // Both, as this elevator does it.
    void add(const ports::BusSettings& bus,
             const ports::PollPlan& plan,
             const core::ElevatorConfig& elevator);
    // How old a state gets between two readings: the poll period, or the round if that is longer.
    [[nodiscard]] core::Duration cycle(core::Duration poll) const;
};

// "polling needs", or "polling and heartbeats need".
[[nodiscard]] const char* what_needs(const BusLoad& load);

// The contract's default: max(1 s, 3 poll cycles), in whole milliseconds.
[[nodiscard]] core::Duration default_stale_after(core::Duration cycle);

}  // namespace liftwarden::config
