// The journal as `liftwarden log` shows it.
#pragma once

#include "src/adapters/sqlite/log_query.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <string>

namespace liftwarden::app {

// The newest of what matches; the same with and without a daemon.
inline constexpr std::size_t log_entries_shown = 1000;

// Each entry as an object for programs: times RFC 3339, durations in `_ms`, what does not apply
// left out. A command has `status`; an event (alarm, reset, lock-out) has `event`.
[[nodiscard]] boost::json::array to_json(const sqlite::LogEntries& entries);

// One line an entry for people, made from the above. Colours if `fd` is a terminal. Any text is
// borne: what is missing shows as "-".
[[nodiscard]] std::string journal_lines(const boost::json::array& entries, int fd);

}  // namespace liftwarden::app
