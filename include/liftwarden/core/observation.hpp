// What the PLC reports, decoded from registers by a driver but not yet judged.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::core {

enum class DoorState { closed, opening, open, closing };
enum class Travel { stopped, up, down };
enum class ServiceMode {
    normal,
    agv,
    fire,
    emergency_power,
    seismic,
    inspection,
    manual,
    out_of_service,
    unknown,
};
enum class Phase { idle, moving, door_opening, door_open, door_closing, error, offline };

[[nodiscard]] const char* to_string(DoorState state);
[[nodiscard]] const char* to_string(Travel travel);
[[nodiscard]] const char* to_string(ServiceMode mode);
[[nodiscard]] const char* to_string(Phase phase);

// One reading of the status registers. `undecodable` names the first door, direction or floor code
// that the map does not know, with its value; such a reading is treated as stale (quality unknown).
struct Observation {
    std::optional<FloorLabel> floor;
    Travel travel = Travel::stopped;
    std::optional<DoorState> front;
    std::optional<DoorState> rear;
    ServiceMode mode = ServiceMode::normal;  // not mapped: normal; unknown code: unknown
    std::optional<std::int64_t> fault;       // nullopt: no fault
    std::optional<FloorLabel> target;
    std::optional<bool> occupied;
    std::optional<bool> door_blocked;
    std::optional<std::string> undecodable;
    friend bool operator==(const Observation&, const Observation&) = default;

    [[nodiscard]] const std::optional<DoorState>& door(Side side) const {
        return side == Side::front ? front : rear;
    }
};

// What the PLC says about the last command it took.
enum class AckResult { none, accepted, refused, busy, unrecognised };
[[nodiscard]] const char* to_string(AckResult result);

struct Acknowledgement {
    Echo echo;
    AckResult result = AckResult::none;
    std::uint16_t raw_result = 0;
    friend bool operator==(const Acknowledgement&, const Acknowledgement&) = default;
};

// Everything one bus job read from one elevator. `at` is the moment before its first request left,
// so its age is never understated. `link` counts connections: another number than last time means
// the PLC may have restarted in between. A reading of ReadKind::acknowledgement has no observation.
struct Reading {
    TimePoint at{};
    std::uint64_t link = 0;
    std::optional<Observation> observation;
    Acknowledgement ack;
    std::optional<std::uint16_t> heartbeat;  // the heartbeat register read back, if mapped
    friend bool operator==(const Reading&, const Reading&) = default;
};

enum class ReadKind { full, acknowledgement };

// The order as a driver gets it: content with door side and floor resolved, plus the wire sequence.
struct WireCommand {
    Content content;
    WireSeq wire_seq;
    friend bool operator==(const WireCommand&, const WireCommand&) = default;
};

// A write has more than two outcomes. Only `refused`, `busy` and `not_written` prove that the PLC
// did not take the command.
struct WriteOutcome {
    enum class Kind {
        confirmed,    // the whole confirmation matched
        refused,      // exception 1, 2 or 3
        busy,         // exception 6: not taken, may be offered again
        unknown,      // no or wrong answer, broken link, exceptions 4, 0x0A, 0x0B and others
        not_written,  // nothing left this machine: too late, or the bus had been given back
    };
    Kind kind = Kind::unknown;
    std::optional<std::uint8_t> exception;
    std::string detail;
    friend bool operator==(const WriteOutcome&, const WriteOutcome&) = default;
};
[[nodiscard]] const char* to_string(WriteOutcome::Kind kind);

}  // namespace liftwarden::core
