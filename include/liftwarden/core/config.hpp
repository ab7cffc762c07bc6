// The figures the decisions depend on. Defaults are the contract's; config/ has ranges and units.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/lock.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace liftwarden::core {

struct QueueLimits {
    std::uint32_t depth = 64;          // commands waiting per elevator
    double source_share = 0.5;         // of depth, for one source
    Duration default_ttl_call = 5min;  // also set_mode and release
    Duration default_ttl_door = 10s;
    Duration coalesce_window = 5s;
    Duration repeat_window = 10min;
    friend bool operator==(const QueueLimits&, const QueueLimits&) = default;
};

struct Floor {
    FloorLabel label;
    std::int64_t value = 0;                // what the PLC calls it
    std::vector<Side> doors{Side::front};  // in map order; never empty
    friend bool operator==(const Floor&, const Floor&) = default;
};

enum class CallsWhileMoving { hold, allow };

// One elevator as the decisions see it; immutable while it runs.
struct ElevatorConfig {
    ElevatorId id;
    std::vector<Floor> floors;     // in travel order, bottom up
    std::set<ActionKind> actions;  // what the map can carry
    bool directions = false;       // hall calls carry a direction
    bool maps_mode = false;        // service mode is mapped
    bool maps_occupied = false;
    bool maps_heartbeat = false;
    Duration heartbeat_period = 2s;
    Duration poll = 200ms;
    Duration scan = 200ms;  // the PLC's own cycle
    Duration ack_timeout = 3s;
    Duration effect_timeout = 5s;
    Duration settle = 3s;
    Duration served_timeout = 120s;
    Duration stale_after = 1s;
    Duration owner_grace = 10s;
    Duration boarding_grace = 90s;
    Duration unowned_open = 15s;
    bool parks_open = false;
    Duration door_reversal_guard = 6s;
    CallsWhileMoving calls_while_moving = CallsWhileMoving::hold;
    bool require_agv_mode = false;
    std::int32_t hold_door_max = 60;  // seconds
    friend bool operator==(const ElevatorConfig&, const ElevatorConfig&) = default;

    // nullptr if the map has no such floor.
    [[nodiscard]] const Floor* find_floor(const FloorLabel& label) const;
    // True if any floor has two door sides, so that door commands must name one.
    [[nodiscard]] bool two_sided() const;
};

struct GatewayConfig {
    GatewayId id;
    std::string site;
    QueueLimits queue;
    std::map<SourceId, std::string> source_groups;  // source -> name of its group
    std::optional<LockRules> lock;                  // nullopt: no lock service, standalone
    std::vector<ElevatorConfig> elevators;
    friend bool operator==(const GatewayConfig&, const GatewayConfig&) = default;

    // The name a source counts under: its group, else itself.
    [[nodiscard]] std::string who(const SourceId& source) const;
};

// Bounds that no site needs to change.
inline constexpr Duration bus_wait_max = 100ms;     // holding a bus for a commit or for Redis
inline constexpr int slow_rounds_before_alarm = 3;  // grants given back before *_slow is raised
inline constexpr int verify_reads_max = 3;          // read-backs before a command is `unknown`
inline constexpr Duration verify_read_step = 2s;
inline constexpr Duration publish_period = 5s;  // state and session are renewed this often
inline constexpr Duration blindness_max = 3s;   // unreadable for so long, before the alarm
inline constexpr Duration boot_ttl_max = 600s;  // largest ttl_ms

}  // namespace liftwarden::core
