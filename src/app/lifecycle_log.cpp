#include "src/app/lifecycle_log.hpp"

#include "src/app/log.hpp"

#include <string>

namespace liftwarden::app {
namespace {

std::string milliseconds(const std::optional<core::Duration>& duration) {
    return duration ? std::to_string(core::to_ms(*duration)) : "";
}

}  // namespace

void log_result(const core::ResultMessage& message) {
    log(LogLevel::info,
        message.query ? "query_result" : "result",
        {{"elevator", message.elevator.str()},
         {"seq", message.seq ? message.seq->str() : ""},
         {"source", message.to.str()},
         {"status", core::to_string(message.status)},
         {"reason", message.reason == core::Reason::none ? "" : core::to_string(message.reason)},
         {"duplicate", message.duplicate ? "true" : ""},
         {"of", message.of ? message.of->source.str() + "/" + message.of->seq.str() : ""},
         {"wire_seq", message.wire_seq ? std::to_string(message.wire_seq->value()) : ""},
         {"position", message.position ? std::to_string(*message.position) : ""},
         {"queued_ms", milliseconds(message.elapsed.queued)},
         {"ack_ms", milliseconds(message.elapsed.ack)},
         {"detail", message.detail}});
}

void log_write(const core::WriteCommand& action) {
    log(LogLevel::info,
        "write",
        {{"elevator", action.elevator.str()},
         {"wire_seq", std::to_string(action.command.wire_seq.value())},
         {"order", core::describe(action.command.content)}});
}

void log_alarm(const core::Alarm& alarm) {
    log(alarm.alarm ? LogLevel::warning : LogLevel::info,
        "event",
        {{"kind", alarm.kind},
         {"elevator", alarm.elevator.str()},
         {"seq", alarm.seq ? alarm.seq->str() : ""},
         {"source", alarm.source ? alarm.source->str() : ""},
         {"detail", alarm.detail}});
}

}  // namespace liftwarden::app
