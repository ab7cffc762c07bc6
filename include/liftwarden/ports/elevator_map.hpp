// A map as the configuration gives it to a driver, and the schema by which a driver says what its
// maps may contain. The config adapter knows YAML and nothing of any driver; a driver knows its
// keys and nothing of YAML.
#pragma once

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/time.hpp>
#include <liftwarden/ports/register_bus.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace liftwarden::ports {

// Bits first..last of one register, bit 0 the least significant.
struct BitRange {
    std::uint8_t first = 0;
    std::uint8_t last = 15;
    friend bool operator==(const BitRange&, const BitRange&) = default;
};

// Where one thing stands, and how its number is to be read.
struct RegisterSpec {
    RegisterTable table = RegisterTable::holding;
    std::uint16_t address = 0;  // 0-based
    std::optional<BitRange> bits;
    std::map<std::int64_t, std::string> values;  // number -> word of the schema's vocabulary
    std::optional<std::int64_t> none;            // the number that means "nothing"
    std::optional<core::Duration> period;
    std::optional<std::uint8_t> function;  // Modbus function for writes; else the driver's
    friend bool operator==(const RegisterSpec&, const RegisterSpec&) = default;
};

// What the map of one elevator says to its driver.
struct ElevatorMap {
    std::string driver;
    std::uint8_t unit = 1;
    std::vector<core::Floor> floors;
    std::map<std::string, RegisterSpec> registers;
    // Further sections, such as actions, results, sides: word -> number.
    std::map<std::string, std::map<std::string, std::int64_t>> codes;
    friend bool operator==(const ElevatorMap&, const ElevatorMap&) = default;
};

// One key below `registers:`.
struct RegisterKey {
    std::string name;
    std::string help;  // one line: meaning and unit
    bool required = false;
    std::vector<RegisterTable> tables;    // where it may stand
    std::uint16_t count = 1;              // registers it covers
    std::vector<std::string> vocabulary;  // words `values` may use; empty: takes no `values`
    bool values_required = false;
    bool takes_bits = false;
    bool takes_none = false;
    bool takes_period = false;
    std::vector<std::uint8_t> functions;  // Modbus functions it may be written with
};

// One further section. `word_first` true: `hall_call: 1`; false: `1: accepted`.
struct CodeSection {
    std::string name;
    std::string help;
    bool required = false;
    bool word_first = true;
    std::vector<std::string> vocabulary;
    std::int64_t least = 0;
    std::int64_t most = 65535;
};

// A fault that only the driver can see; `path` leads to the place, such as {"registers", "ack"}.
struct MapProblem {
    std::vector<std::string> path;
    std::string text;
    bool warning = false;
    friend bool operator==(const MapProblem&, const MapProblem&) = default;
};

// What a driver adds to the core's view of an elevator.
struct MapCapabilities {
    std::set<core::ActionKind> actions;
    bool directions = false;
    bool maps_mode = false;
    bool maps_occupied = false;
    bool maps_heartbeat = false;
    core::Duration heartbeat_period = std::chrono::seconds{2};
};

// One Modbus read of a poll, for the wire-time prediction of `check`.
struct PollPlan {
    std::vector<ReadRequest> reads;       // one full reading
    std::uint16_t command_registers = 0;  // written per command
    std::uint16_t ack_registers = 0;      // read per acknowledgement
};

struct DriverSchema {
    std::string name;
    std::vector<RegisterKey> registers;
    std::vector<CodeSection> sections;
    std::function<std::vector<MapProblem>(const ElevatorMap&)> check;
    std::function<MapCapabilities(const ElevatorMap&)> capabilities;
    std::function<PollPlan(const ElevatorMap&)> plan;
};

}  // namespace liftwarden::ports
