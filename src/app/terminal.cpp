#include "src/app/terminal.hpp"

#include "src/adapters/config/load.hpp"
#include "src/app/drivers.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <utility>

namespace liftwarden::app {

std::string coloured(std::string_view text, Colour colour, int fd) {
    const char* code = "";
    switch (colour) {
        case Colour::none:
            break;
        case Colour::green:
            code = "\033[32m";
            break;
        case Colour::yellow:
            code = "\033[33m";
            break;
        case Colour::red:
            code = "\033[31m";
            break;
        case Colour::bold:
            code = "\033[1m";
            break;
    }
    if (*code == '\0' || ::isatty(fd) == 0 || std::getenv("NO_COLOR") != nullptr) {
        return std::string{text};
    }
    return code + std::string{text} + "\033[0m";
}

void print_problems(const std::vector<config::Problem>& problems) {
    for (const auto& problem : problems) {
        const auto colour =
            problem.severity == config::Severity::error ? Colour::red : Colour::yellow;
        std::cerr << coloured(config::to_string(problem), colour, STDERR_FILENO) << '\n';
    }
}

std::optional<ports::Settings> settings_or_complain(const std::string& path) {
    auto loaded = config::load(path, driver_schemas(), config::NamedFiles::ignore);
    if (!loaded.ok()) {
        print_problems(loaded.problems);
        complain(path + " cannot be used");
        return std::nullopt;
    }
    return std::move(loaded.settings);
}

std::optional<DaemonPaths> daemon_paths_or_complain(const std::string& path) {
    auto loaded = config::load(path, driver_schemas(), config::NamedFiles::ignore);
    const bool sound = loaded.ok();
    if (!sound) {
        print_problems(loaded.problems);
    }
    if (!loaded.readable) {
        complain(path + " cannot be used");
        return std::nullopt;
    }
    if (!sound) {
        complain("warning: " + path + " has errors; asking at " + loaded.settings.control.socket);
    }
    return DaemonPaths{std::move(loaded.settings), sound};
}

std::optional<std::string> unknown_elevator(const core::ElevatorId& elevator,
                                            const ports::Settings& settings,
                                            const std::string& path) {
    std::string known;
    for (const auto& one : settings.elevators) {
        if (one.core.id == elevator) {
            return std::nullopt;
        }
        known += (known.empty() ? "" : ", ") + one.core.id.str();
    }
    return "there is no elevator " + elevator.str() + " in " + path + "; it has " + known;
}

void complain(std::string_view text) {
    std::cerr << "liftwarden: " << text << '\n';
}

}  // namespace liftwarden::app
