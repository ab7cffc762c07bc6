// What a valid configuration means, for a person who compares it with the PLC's documentation.
#pragma once

#include "src/adapters/config/draft.hpp"

#include <liftwarden/core/time.hpp>
#include <liftwarden/ports/settings.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace liftwarden::config {

struct RegisterSummary {
    std::string name;
    std::string zero_based;      // "holding:100..103"
    std::string modicon;         // "40101..40104"
    std::vector<int> functions;  // Modbus functions used on it: reading, then writing
    std::string meaning;         // its numbers in words, else the driver's description
};

struct ElevatorSummary {
    ports::ElevatorSettings settings;
    std::vector<RegisterSummary> registers;  // in the order of the driver's schema
    core::Duration reading{};                // one full reading on the wire
    core::Duration command{};                // a command with its reading and acknowledgement
    core::Duration poll_cycle{};
};

struct BusSummary {
    ports::BusSettings settings;
    std::string where;  // "tcp 10.0.0.5 port 502", "rtu /dev/... 19200 8E1"
    std::uint32_t elevators = 0;
    core::Duration round{};  // one full reading of every elevator
    double share = 0;        // of the bus's time that polling and heartbeats need
    std::string need;        // "polling needs", or with heartbeats
    bool estimated = false;  // times on TCP depend on the PLC, not on the line
};

// A plain value; holds no reference to what it was made from.
struct Summary {
    ports::Settings settings;
    std::vector<BusSummary> buses;
    std::vector<ElevatorSummary> elevators;
};

// `settings` must be those of a Loaded that is ok(), `drivers` those it was loaded with.
[[nodiscard]] Summary summarise(const ports::Settings& settings, const Drivers& drivers);

// For people: several lines, each ended.
[[nodiscard]] std::string to_text(const Summary& summary);

}  // namespace liftwarden::config
