// `liftwarden run`
#include "src/adapters/config/load.hpp"
#include "src/adapters/system/signals.hpp"
#include "src/app/cli.hpp"
#include "src/app/daemon.hpp"
#include "src/app/drivers.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/log.hpp"
#include "src/app/terminal.hpp"

#include <memory>

namespace liftwarden::app {
namespace {

// What SIGHUP does so far: says whether the file is sound and whether it has changed.
void look_at_changes(const std::string& path, const ports::Settings& running) {
    const auto loaded = config::load(path, driver_schemas());
    for (const auto& problem : loaded.problems) {
        log(loaded.ok() ? LogLevel::warning : LogLevel::error,
            "configuration",
            {{"problem", config::to_string(problem)}});
    }
    if (!loaded.ok()) {
        log(LogLevel::error, "reload_refused", {{"why", "the file has errors; nothing changed"}});
    } else if (loaded.settings == running) {
        log(LogLevel::info, "reload", {{"result", "the configuration has not changed"}});
    } else {
        log(LogLevel::warning,
            "reload",
            {{"result", "valid and changed; restart the service to apply it"}});
    }
}

}  // namespace

int run_command(const RunArguments& arguments) {
    system::block_signals();
    const auto loaded = config::load(arguments.config, driver_schemas());
    print_problems(loaded.problems);
    if (!loaded.ok()) {
        complain(arguments.config + " cannot be used");
        return exit_config;
    }
    start_log(stderr_is_journald(), arguments.verbose ? LogLevel::debug : LogLevel::info);
    int code = exit_ok;
    {
        Daemon daemon{loaded.settings, [&] { look_at_changes(arguments.config, loaded.settings); }};
        if (const auto failure = daemon.start()) {
            log(LogLevel::error, "cannot_start", {{"why", failure->text}});
            code = failure->exit_code;
        } else {
            code = daemon.run();
        }
    }
    stop_log();
    return code;
}

}  // namespace liftwarden::app
