// `liftwarden send`
#include "src/adapters/mqtt/mqtt_broker.hpp"
#include "src/adapters/system/secret_file.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "src/app/cli.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/result_queue.hpp"
#include "src/app/terminal.hpp"
#include "src/wire/command_text.hpp"
#include "src/wire/result_text.hpp"
#include "src/wire/topics.hpp"

#include <unistd.h>

#include <iostream>
#include <utility>

namespace liftwarden::app {
namespace {

using namespace std::chrono_literals;

// How long the broker has to let us in, and the gateway to answer at all.
constexpr core::Duration first_answer_max = 5s;
// After an answer, beyond the command's own TTL: sent in the last moment, then acknowledged or not.
constexpr core::Duration final_answer_max = 60s;

mqtt::MqttOptions client_options(const SendArguments& arguments,
                                 const ports::Settings& settings,
                                 const wire::Topics& topics,
                                 const std::string& client_id) {
    mqtt::MqttOptions options;
    options.settings = settings.mqtt;
    options.settings.client_id = client_id;
    options.settings.session_expiry = core::Duration::zero();
    if (arguments.username) {
        options.settings.username = arguments.username;
        options.settings.password_file.reset();
    }
    if (arguments.password_file) {
        options.settings.password_file = arguments.password_file;
    }
    const auto& command = arguments.command;
    options.subscriptions.push_back({topics.result(command.elevator, command.source), false});
    options.read_secret = system::read_secret_file;
    options.log = [](mqtt::LogLevel, const std::string&) {};
    return options;
}

void print(const ports::InboundMessage& message, const wire::ReceivedResult& result, bool json) {
    if (json) {
        std::cout << message.payload << std::endl;
        return;
    }
    using core::Status;
    Colour colour = Colour::none;
    if (result.status == Status::acked || result.status == Status::coalesced) {
        colour = Colour::green;
    } else if (result.is_final || result.status == Status::unknown) {
        colour = Colour::red;
    }
    std::cout << coloured(core::to_string(result.status), colour, STDOUT_FILENO);
    if (result.reason != core::Reason::none) {
        std::cout << " (" << core::to_string(result.reason) << ")";
    }
    if (result.of) {
        std::cout << " behind " << result.of->source.str() << "/" << result.of->seq.str();
    }
    std::cout << (result.duplicate ? " [repeat]" : "") << (result.detail.empty() ? "" : ": ")
              << result.detail << std::endl;
}

// The exit code if this result ends the matter.
std::optional<int> verdict(const wire::ReceivedResult& result) {
    if (result.type == "query_result") {
        return result.reason == core::Reason::none ? exit_ok : exit_failed;
    }
    if (result.status == core::Status::unknown) {
        return exit_failed;  // only an operator can tell how it ends
    }
    if (!result.is_final) {
        return std::nullopt;
    }
    const bool good =
        result.status == core::Status::acked || result.status == core::Status::coalesced;
    return good ? exit_ok : exit_failed;
}

int follow(ResultQueue& results, const SendArguments& arguments) {
    core::Duration patience = first_answer_max;
    bool answered = false;
    while (auto message = results.next(patience)) {
        const auto result = wire::parse_result(message->payload);
        const bool ours = result && (!result->seq || *result->seq == arguments.command.seq);
        if (!ours) {
            continue;
        }
        answered = true;
        patience = arguments.command.ttl + final_answer_max;
        print(*message, *result, arguments.json);
        if (const auto code = verdict(*result)) {
            return *code;
        }
    }
    complain(answered ? "no final outcome came" : "no answer within 5 s: is the gateway running?");
    return answered ? exit_failed : exit_unreachable;
}

void fill_in(core::Command& command, const ports::Settings& settings, const ports::Clock& clock) {
    const auto unique =
        std::to_string(::getpid()) + ":" + std::to_string(clock.now().time_since_epoch().count());
    if (command.seq.empty()) {
        command.seq = core::Seq{"cli:" + unique};
    }
    if (command.ttl == core::Duration::zero()) {
        command.ttl = core::is_door_command(command.content.action)
                          ? settings.queue.default_ttl_door
                          : settings.queue.default_ttl_call;
    }
}

}  // namespace

int send_command(SendArguments arguments) {
    const auto settings = settings_or_complain(arguments.config);
    if (!settings) {
        return exit_config;
    }
    const system::SystemClock clock;
    core::Command& command = arguments.command;
    fill_in(command, *settings, clock);
    if (!wire::is_topic_id(command.elevator.str()) || !wire::is_topic_id(command.source.str())) {
        complain("elevator and source are 1 to 64 of A-Z a-z 0-9 . _ : -");
        return exit_usage;
    }
    if (const auto unknown = unknown_elevator(command.elevator, *settings, arguments.config)) {
        complain(*unknown);
        return exit_usage;
    }
    const wire::Topics topics{settings->mqtt.prefix, settings->site};
    const std::string client_id = "liftwarden-send-" + std::to_string(::getpid());
    ResultQueue results;
    mqtt::MqttBroker broker{
        client_options(arguments, *settings, topics, client_id), results, clock};
    broker.start();
    if (!results.wait_online(first_answer_max)) {
        complain("broker " + settings->mqtt.host + ":" + std::to_string(settings->mqtt.port) +
                 " not reached: " + broker.status().last_error);
        return exit_unreachable;
    }
    ports::OutboundMessage message;
    message.topic = topics.dispatch(command.elevator, command.source);
    message.payload = wire::render_command(command);
    message.expiry = std::chrono::ceil<std::chrono::seconds>(command.ttl);
    broker.publish(std::move(message), [](bool) {});
    if (!arguments.json) {
        std::cout << "seq " << command.seq.str() << ": " << core::describe(command.content)
                  << " to " << command.elevator.str() << std::endl;
    }
    const int code = follow(results, arguments);
    broker.stop();
    return code;
}

}  // namespace liftwarden::app
