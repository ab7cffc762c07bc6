// What happens in a run, as a list that can be printed, played, and played again with omissions.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/observation.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim_test {

// Where in a command's way the process can die.
enum class Stage {
    accepted_durable,  // its row is durable, nobody has been told
    intent_durable,    // and the write has not been ordered
    write_ordered,     // but nothing has left
    written,           // and nobody knows how it went
    outcome_ordered,   // but is not durable
    outcome_durable,   // but has not been published
};
inline constexpr std::uint64_t stages = 6;

enum class WriteFault {
    lost,        // never arrives; the outcome is unknown
    reply_lost,  // arrives; the outcome is unknown
    late,        // arrives after the gateway has given up on it
    refused,     // exception 2
    busy,        // exception 6
    too_late,    // given back before the write
};
inline constexpr std::uint64_t write_faults = 6;

// How the PLC treats the next command it takes.
enum class PlcManner { refuses, busy, odd_result, slow };
inline constexpr std::uint64_t plc_manners = 4;

enum class Kind {
    publish,
    broker_redelivers,
    crash,
    reboot,
    crash_at,
    terminate,
    ledger_lost,
    stall,
    write_fault,
    reads_lost,
    grant_closed,
    link_cut,
    slow_reads,
    plc_manner,
    plc_restart,
    plc_replaced,
    mode,
    fault,
    occupied,
    undecodable,
    passenger,
    door_held,
    foreign_write,
    claim,
    journal_slow,
    journal_stuck,
    journal_full,
    wall_step,
    operator_looks,
    lock_outage,  // number 1: the server comes back without its memory
    lock_slow,
    lock_stolen,
    lock_forbidden,
    lock_misconfigured,
    lock_failover,
};

// One thing that happens to the gateway's world. `number` means what the kind says: a Stage, a
// WriteFault, a floor, a count.
struct Input {
    core::Duration at{};  // since the start of the run
    Kind kind = Kind::publish;
    std::size_t elevator = 0;
    core::Duration lasts{};
    std::uint64_t number = 0;
    std::optional<core::Command> command;
    std::optional<core::Duration> expiry;  // of a message in the broker
};

[[nodiscard]] std::string describe(const Input& input);

struct Script {
    std::uint64_t seed = 0;
    core::GatewayConfig config;
    bool wall_synchronised = true;
    bool issued_at = false;     // commands say when they were sent
    std::vector<Input> inputs;  // in order of time
};

inline constexpr core::Duration busy_time = std::chrono::seconds{90};

[[nodiscard]] Script make_script(std::uint64_t seed);

}  // namespace liftwarden::sim_test
