// Output for people.
#pragma once

#include "src/adapters/config/problem.hpp"

#include <liftwarden/ports/settings.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::app {

enum class Colour { none, green, yellow, red, bold };

// The text in that colour if `fd` is a terminal (and NO_COLOR is not set), else as it is.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour, int fd);

// One problem a line on stderr.
void print_problems(const std::vector<config::Problem>& problems);

// The configuration for a subcommand that needs it all, without the files that it names: prints
// every problem; nullopt if it cannot be used.
[[nodiscard]] std::optional<ports::Settings> settings_or_complain(const std::string& path);

// For a subcommand that asks the running daemon: socket and journal count even where something else
// in the file is wrong, which may have been written after the daemon was started. Nullopt, and said
// why: the file cannot be read at all.
struct DaemonPaths {
    ports::Settings settings;
    bool sound = false;  // all of the file can be relied on, the elevators too
};
[[nodiscard]] std::optional<DaemonPaths> daemon_paths_or_complain(const std::string& path);

// What to say if the file at `path` has no such elevator; nullopt: it has.
[[nodiscard]] std::optional<std::string> unknown_elevator(const core::ElevatorId& elevator,
                                                          const ports::Settings& settings,
                                                          const std::string& path);

// "liftwarden: text" on stderr.
void complain(std::string_view text);

}  // namespace liftwarden::app
