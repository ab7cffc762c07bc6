// The journal as people read it: who sent what, what became of it and why, and the alarms.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace liftwarden::sqlite {

// Which entries are wanted; all conditions together. `limit` is cut to `most_log_entries`.
struct LogFilter {
    std::optional<core::ElevatorId> elevator;
    std::optional<core::Seq> seq;
    std::optional<core::WallTime> since;
    std::size_t limit = 1000;
};
inline constexpr std::size_t most_log_entries = 10000;

// A command as it stands now.
struct LoggedCommand {
    core::CommandRow row;
    core::WallTime changed_at;  // of its present status
};

struct LogEntry {
    core::WallTime at;  // receipt of a command, or the moment of an alarm
    std::variant<LoggedCommand, core::Alarm> what;
};

// Newest last; with more than `limit` matches, the newest of them.
using LogEntries = std::vector<LogEntry>;
using LogReply = std::function<void(core::Result<LogEntries>)>;

// Reads the file itself, for the time when no daemon runs. It takes the journal's lock meanwhile
// and changes nothing. Errors: missing, held by a process (named where possible), not a journal, of
// a newer format, damaged. Any thread; blocks.
[[nodiscard]] core::Result<LogEntries> read_log(const std::string& path, const LogFilter& filter);

}  // namespace liftwarden::sqlite
