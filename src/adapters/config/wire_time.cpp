#include "src/adapters/config/wire_time.hpp"

#include <algorithm>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;
using core::Duration;
using ports::BusSettings;

constexpr std::int64_t bits_per_byte = 11;

Duration line_time(const BusSettings& bus, std::int64_t bits) {
    return Duration{bits * 1'000'000'000 / bus.baud};
}

Duration silence(const BusSettings& bus) {
    constexpr Duration fixed = 1750us;
    return bus.baud > 19200 ? fixed : line_time(bus, bits_per_byte * 7) / 2;
}

// Bytes as on RTU, with address and checksum.
Duration transaction_time(const BusSettings& bus, std::int64_t request, std::int64_t answer) {
    if (bus.type == ports::BusType::tcp) {
        return tcp_transaction_estimate + bus.turnaround;
    }
    return line_time(bus, (request + answer) * bits_per_byte) + 2 * silence(bus) + bus.turnaround;
}

}  // namespace

Duration read_time(const BusSettings& bus, const ports::ReadRequest& request) {
    const bool bits = request.table == ports::RegisterTable::coil ||
                      request.table == ports::RegisterTable::discrete;
    const std::int64_t data = bits ? (request.count + 7) / 8 : 2 * request.count;
    return transaction_time(bus, 8, 5 + data);
}

Duration write_time(const BusSettings& bus, std::uint16_t registers) {
    return transaction_time(bus, 9 + 2 * registers, 8);
}

WireTimes wire_times(const BusSettings& bus, const ports::PollPlan& plan) {
    WireTimes times;
    for (const ports::ReadRequest& request : plan.reads) {
        const Duration time = read_time(bus, request);
        times.reading += time;
        times.longest = std::max(times.longest, time);
    }
    ports::ReadRequest ack;
    ack.count = plan.ack_registers;
    const Duration write = write_time(bus, plan.command_registers);
    const Duration ack_time = plan.ack_registers > 0 ? read_time(bus, ack) : Duration::zero();
    times.command = times.reading + write + ack_time;
    times.longest = std::max(times.longest, write);
    return times;
}

void BusLoad::add(const WireTimes& times, Duration poll) {
    round += times.reading;
    longest = std::max(longest, times.longest);
    share += std::chrono::duration<double>(times.reading) / std::chrono::duration<double>(poll);
}

void BusLoad::add_heartbeat(const BusSettings& bus, Duration period) {
    share +=
        std::chrono::duration<double>(write_time(bus, 1)) / std::chrono::duration<double>(period);
    heartbeats = true;
}

void BusLoad::add(const BusSettings& bus,
                  const ports::PollPlan& plan,
                  const core::ElevatorConfig& elevator) {
    add(wire_times(bus, plan), elevator.poll);
    if (elevator.maps_heartbeat) {
        add_heartbeat(bus, elevator.heartbeat_period);
    }
}

const char* what_needs(const BusLoad& load) {
    return load.heartbeats ? "polling and heartbeats need" : "polling needs";
}

Duration BusLoad::cycle(Duration poll) const {
    return std::max(poll, round);
}

Duration default_stale_after(Duration cycle) {
    return std::chrono::ceil<std::chrono::milliseconds>(std::max<Duration>(1s, 3 * cycle));
}

}  // namespace liftwarden::config
