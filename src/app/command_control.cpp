// `liftwarden status` and `liftwarden reset`: questions to the running daemon.
#include "src/adapters/control/client.hpp"
#include "src/app/cli.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/status_table.hpp"
#include "src/app/terminal.hpp"

#include <boost/json/serialize.hpp>
#include <unistd.h>

#include <iostream>
#include <string>

namespace liftwarden::app {
namespace {

constexpr core::Duration answer_max = std::chrono::seconds{15};

// The daemon's reply; on failure complains and sets the exit code.
std::optional<control::Reply> ask(const std::string& config,
                                  const control::Request& request,
                                  int& code) {
    const auto paths = daemon_paths_or_complain(config);
    if (!paths) {
        code = exit_config;
        return std::nullopt;
    }
    auto reply = control::call(paths->settings.control.socket, request, answer_max);
    if (!reply) {
        complain(reply.error().text);
        code = exit_unreachable;
        return std::nullopt;
    }
    return *std::move(reply);
}

std::optional<core::TookEffect> ask_operator(const core::ElevatorId& elevator) {
    std::cout << "Look at elevator " << elevator.str()
              << " first. Did the unresolved command take effect? [yes/no/unknown] " << std::flush;
    std::string line;
    while (std::getline(std::cin, line)) {
        if (const auto answer = control::took_effect_from(line)) {
            return answer;
        }
        std::cout << "yes, no or unknown? " << std::flush;
    }
    return std::nullopt;
}

}  // namespace

int status_command(const StatusArguments& arguments) {
    int code = exit_ok;
    const auto reply = ask(arguments.config, control::StatusRequest{}, code);
    if (!reply) {
        return code;
    }
    if (!reply->ok || !reply->data) {
        complain(reply->text);
        return exit_failed;
    }
    if (arguments.json) {
        std::cout << boost::json::serialize(*reply->data) << '\n';
    } else {
        std::cout << status_table(*reply->data, STDOUT_FILENO);
    }
    return exit_ok;
}

int reset_command(const ResetArguments& arguments) {
    auto took_effect = arguments.took_effect;
    if (arguments.fence) {
        took_effect = core::TookEffect::unknown;  // no command is meant
    }
    if (!took_effect && ::isatty(STDIN_FILENO) != 0) {
        took_effect = ask_operator(arguments.elevator);
    }
    if (!took_effect) {
        complain("say whether the command took effect: --took-effect yes|no|unknown");
        return exit_usage;
    }
    int code = exit_ok;
    const auto reply = ask(
        arguments.config,
        control::ResetRequest{arguments.elevator, *took_effect, arguments.force, arguments.fence},
        code);
    if (!reply) {
        return code;
    }
    if (arguments.json) {
        const boost::json::object object{{"ok", reply->ok}, {"text", reply->text}};
        std::cout << boost::json::serialize(object) << '\n';
    } else {
        std::cout << coloured(reply->text, reply->ok ? Colour::green : Colour::red, STDOUT_FILENO)
                  << '\n';
    }
    return reply->ok ? exit_ok : exit_failed;
}

}  // namespace liftwarden::app
