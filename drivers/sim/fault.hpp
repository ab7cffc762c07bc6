// Faults on request: their names and their text form. README.md lists what each one does.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim {

enum class FaultKind {
    // last for a count or a time
    ack_lost,
    ack_late,
    refuse,
    busy,
    result,
    ignore_write,
    reply_lost,
    silence,
    slow,
    exception,
    exception_read,
    exception_write,
    drop_before_write,
    drop_after_write,
    stuck_door,
    door_code,
    // happen once
    drop_link,
    refuse_connections,
    reboot,
    foreign_write,
    emergency_stop,
    reset,
    mode,
    occupied,
    door_blocked,
    fault_code,
    place,
    clear,
};

// The name as in the text form, such as "ack-lost".
[[nodiscard]] const char* to_string(FaultKind kind);

// One order to misbehave. Which of the members mean something depends on the kind.
struct Fault {
    FaultKind kind = FaultKind::clear;
    std::string elevator;                   // id, or "*" for all
    std::optional<std::uint32_t> count;     // ends after so many times
    std::optional<core::Duration> time;     // ends after so long; neither: when cleared
    core::Duration delay{};                 // ack_late, slow
    std::optional<std::int64_t> number;     // a code; nullopt for "none"
    bool on = false;                        // occupied, door_blocked
    std::string word;                       // mode, floor, action
    std::string argument;                   // foreign_write
    std::optional<std::uint16_t> wire_seq;  // foreign_write; else the next one
    std::string text;                       // as written
};

// Reads `ELEVATOR:FAULT[:ARGUMENT...]`, such as `EL001:ack-late:1500ms:2`. An error (class
// permanent) quotes the text and says what was expected where.
[[nodiscard]] core::Result<Fault> parse_fault(const std::string& text);

// `200ms`, `3s`, `4min`; nullopt for anything else, and for more than a day.
[[nodiscard]] std::optional<core::Duration> parse_duration(const std::string& text);

// The grammar, a line a fault, for help texts.
[[nodiscard]] std::vector<std::string> fault_help();

}  // namespace liftwarden::sim
