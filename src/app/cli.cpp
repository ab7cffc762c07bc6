#include "src/app/cli.hpp"

#include "src/adapters/config/scalars.hpp"
#include "src/adapters/control/protocol.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/terminal.hpp"
#include "src/wire/words.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <exception>
#include <functional>
#include <iostream>

namespace liftwarden::app {
namespace {

constexpr auto default_config = "/etc/liftwarden/liftwarden.yaml";

void add_config(CLI::App& command, std::string& config) {
    config = default_config;
    command.add_option("-c,--config", config, "configuration file")->capture_default_str();
}

// An option whose text is read by `parse`, which gives something like an optional.
template <class Parse>
void add_word(CLI::App& command,
              const std::string& name,
              const std::string& help,
              const std::string& expected,
              Parse parse) {
    command.add_option_function<std::string>(
        name,
        [=](const std::string& text) {
            if (!parse(text)) {
                throw CLI::ValidationError(name, "'" + text + "' is not " + expected);
            }
        },
        help);
}

// The same for the words of an enumeration.
template <class Enum>
void add_enum(CLI::App& command,
              const std::string& name,
              const std::string& help,
              std::optional<Enum>& target) {
    std::string words;
    for (const Enum value : wire::enumerators<Enum>) {
        words += (words.empty() ? "" : ", ") + std::string{wire::to_word(value)};
    }
    add_word(command, name, help + ": " + words, "one of " + words, [&target](const auto& text) {
        target = wire::from_word<Enum>(text);
        return target.has_value();
    });
}

void add_duration(CLI::App& command,
                  const std::string& name,
                  const std::string& help,
                  std::function<void(core::Duration)> take) {
    add_word(command, name, help, "a duration such as 200ms or 3s", [take](const auto& text) {
        const auto duration = config::parse_duration(text);
        if (duration) {
            take(*duration);
        }
        return duration.has_value();
    });
}

// Every subcommand's options live as long as the parser.
struct Arguments {
    RunArguments run;
    CheckArguments check;
    SimArguments sim;
    SendArguments send;
    StatusArguments status;
    ResetArguments reset;
    LogArguments log;
    std::optional<core::ActionKind> action;
};

void add_run(CLI::App& app, RunArguments& run) {
    auto* command = app.add_subcommand("run", "the gateway itself, in the foreground");
    add_config(*command, run.config);
    command->add_flag("-v,--verbose", run.verbose, "log details");
}

void add_check(CLI::App& app, CheckArguments& check) {
    auto* command = app.add_subcommand("check", "validate configurations and say what they mean");
    command->add_option("FILE", check.files, "configuration files")->required();
    command->add_flag("--json", check.json, "for programs");
}

void add_sim(CLI::App& app, SimArguments& sim) {
    auto* command = app.add_subcommand("sim", "simulated elevator PLCs, built from the same map");
    add_config(*command, sim.config);
    auto* tcp = command->add_option("--tcp", sim.tcp, "serve all elevators on this port (0: any)");
    command->add_option("--rtu", sim.rtu, "serve all elevators on this device")->excludes(tcp);
    add_duration(*command, "--scan", "PLC cycle instead of the map's", [&sim](core::Duration d) {
        sim.scan = d;
    });
    command->add_option("--input", sim.input, "latch: a later write in a scan overwrites; queue")
        ->check(CLI::IsMember({"latch", "queue"}))
        ->capture_default_str();
    command->add_flag("--unprotected", sim.unprotected, "execute repeated wire sequences too");
    command->add_option("--fault", sim.faults, "fault in effect from the start (may repeat)");
    command->add_option("--log", sim.log, "ground truth, one JSON object a line; - is stdout")
        ->capture_default_str();
    command->add_option("--control", sim.control, "socket for faults while it runs");
}

void add_send(CLI::App& app, SendArguments& send, std::optional<core::ActionKind>& action) {
    auto* command = app.add_subcommand("send", "publish one command and print its results");
    auto& order = send.command;
    add_config(*command, send.config);
    command
        ->add_option_function<std::string>(
            "ELEVATOR",
            [&order](const std::string& id) { order.elevator = core::ElevatorId{id}; },
            "its id")
        ->required();
    add_enum(*command, "ACTION", "what", action);
    command->get_option("ACTION")->required();
    command->add_option_function<std::string>(
        "FLOOR",
        [&order](const std::string& floor) { order.content.floor = core::FloorLabel{floor}; },
        "label of the map");
    add_enum(*command, "--direction", "of a hall call", order.content.direction);
    add_enum(*command, "--door", "side", order.content.door);
    command->add_option("--seconds", order.content.seconds, "of hold_door");
    add_enum(*command, "--mode", "of set_mode", order.content.mode);
    command->add_option_function<std::string>(
        "--seq",
        [&order](const std::string& seq) { order.seq = core::Seq{seq}; },
        "sequence ID (default: a new one)");
    order.source = core::SourceId{"cli"};
    command->add_option_function<std::string>(
        "--source",
        [&order](const std::string& source) { order.source = core::SourceId{source}; },
        "publish as this source (default: cli)");
    command->add_option("--task", order.task, "trip the command belongs to");
    add_duration(*command, "--ttl", "time to live", [&order](core::Duration d) { order.ttl = d; });
    command->add_flag_callback(
        "--no-wait", [&order] { order.wait = false; }, "refuse elevator_busy instead of waiting");
    command->add_option("--username", send.username, "broker login instead of the gateway's");
    command->add_option("--password-file", send.password_file, "likewise");
    command->add_flag("--json", send.json, "results as they come, one a line");
}

void add_status(CLI::App& app, StatusArguments& status) {
    auto* command = app.add_subcommand("status", "what the running gateway sees and does");
    add_config(*command, status.config);
    command->add_flag("--json", status.json, "for programs");
}

void add_reset(CLI::App& app, ResetArguments& reset) {
    auto* command = app.add_subcommand("reset", "end a lock-out after a person looked");
    add_config(*command, reset.config);
    command
        ->add_option_function<std::string>(
            "ELEVATOR",
            [&reset](const std::string& id) { reset.elevator = core::ElevatorId{id}; },
            "its id")
        ->required();
    add_word(*command,
             "--took-effect",
             "whether the unresolved command did: yes, no, unknown",
             "yes, no or unknown",
             [&reset](const std::string& text) {
                 reset.took_effect = control::took_effect_from(text);
                 return reset.took_effect.has_value();
             });
    command->add_flag("--force", reset.force, "even with another gateway or a rider in the way");
    command->add_flag("--fence", reset.fence, "only lower the fencing mark; ends no lock-out");
    command->add_flag("--json", reset.json, "for programs");
}

void add_log(CLI::App& app, LogArguments& log) {
    auto* command = app.add_subcommand("log", "the journal: who sent what and what became of it");
    add_config(*command, log.config);
    command->add_option_function<std::string>(
        "ELEVATOR",
        [&log](const std::string& id) { log.elevator = core::ElevatorId{id}; },
        "only this one");
    command->add_option_function<std::string>(
        "--seq",
        [&log](const std::string& seq) { log.seq = core::Seq{seq}; },
        "only this sequence ID");
    add_duration(*command, "--since", "only what came since then, e.g. 1h", [&log](auto ago) {
        log.since = ago;
    });
    command->add_flag("--json", log.json, "for programs, an object a line");
}

// The parser would say only that a subcommand is missing.
std::optional<std::string> unknown_command(const CLI::App& app, const std::string& word) {
    if (word.rfind('-', 0) == 0) {
        return std::nullopt;
    }
    std::string known;
    for (const auto* command : app.get_subcommands({})) {
        if (command->get_name() == word) {
            return std::nullopt;
        }
        known += (known.empty() ? "" : ", ") + command->get_name();
    }
    return "there is no command '" + word + "'; the commands are " + known;
}

int dispatch(const CLI::App& app, Arguments& arguments) {
    const std::string name = app.get_subcommands().front()->get_name();
    if (name == "run") {
        return run_command(arguments.run);
    }
    if (name == "check") {
        return check_command(arguments.check);
    }
    if (name == "sim") {
        return sim_command(arguments.sim);
    }
    if (name == "send") {
        arguments.send.command.content.action = *arguments.action;
        return send_command(std::move(arguments.send));
    }
    if (name == "status") {
        return status_command(arguments.status);
    }
    if (name == "log") {
        return log_command(arguments.log);
    }
    return reset_command(arguments.reset);
}

}  // namespace

int main_cli(int argc, char** argv) {
    CLI::App app{"Gateway between dispatch nodes and elevator PLCs", "liftwarden"};
    app.set_version_flag("--version", LIFTWARDEN_VERSION);
    app.require_subcommand(1);
    Arguments arguments;
    add_run(app, arguments.run);
    add_check(app, arguments.check);
    add_sim(app, arguments.sim);
    add_send(app, arguments.send, arguments.action);
    add_status(app, arguments.status);
    add_reset(app, arguments.reset);
    add_log(app, arguments.log);
    if (argc > 1) {
        if (const auto unknown = unknown_command(app, argv[1])) {
            complain(*unknown);
            return exit_usage;
        }
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_ok : exit_usage;
    }
    try {
        return dispatch(app, arguments);
    } catch (const std::exception& error) {
        complain(error.what());
        return exit_failed;
    }
}

}  // namespace liftwarden::app
