// The log: lines of `event key=value ...` on stderr, written by a thread of their own.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace liftwarden::app {

enum class LogLevel { debug, info, warning, error };

// One key=value; fields whose value is empty are left out. Values are quoted where they hold blanks
// or quotes, and control characters are escaped, so that no sender can forge a line.
struct Field {
    std::string_view key;
    std::string value;
};
using Fields = std::initializer_list<Field>;

// Starts the log: asynchronous, a bounded ring whose oldest lines go first when stderr is slower
// than we are, so that a stalled journald never stalls the gateway. `journald` puts the syslog
// level <N> in front instead of time and level. Once per process; before it, lines go nowhere.
void start_log(bool journald, LogLevel least);
// Lines lost because the ring was full.
[[nodiscard]] std::size_t lost_log_lines();
// Writes what is queued and ends the log's thread; later lines go nowhere. Blocks for as long as
// stderr does.
void stop_log();

// True if stderr is connected to journald ($JOURNAL_STREAM names its device and inode).
[[nodiscard]] bool stderr_is_journald();

// Any thread.
void log(LogLevel level, std::string_view event, Fields fields = {});

// Straight to stderr, past the ring: for the line before _exit. Async-signal-safe it is not.
void last_words(std::string_view text) noexcept;

// `event key=value key="two words"`.
[[nodiscard]] std::string log_line(std::string_view event, Fields fields);

}  // namespace liftwarden::app
