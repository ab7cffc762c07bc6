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

// The configuration for a subcommand that needs it: prints every problem; nullopt if it cannot be
// used.
[[nodiscard]] std::optional<ports::Settings> settings_or_complain(const std::string& path);

// "liftwarden: text" on stderr.
void complain(std::string_view text);

}  // namespace liftwarden::app
