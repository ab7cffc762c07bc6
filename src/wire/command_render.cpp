#include "src/wire/command_text.hpp"
#include "src/wire/json_writer.hpp"
#include "src/wire/words.hpp"

namespace liftwarden::wire {

core::ResultMessage to_result(const Refusal& refusal,
                              const core::ElevatorId& elevator,
                              const core::SourceId& source,
                              core::ArbitrationMode mode,
                              std::uint64_t epoch) {
    core::ResultMessage message;
    message.elevator = elevator;
    message.to = source;
    message.seq = refusal.seq;
    message.status = core::Status::rejected;
    message.reason = refusal.reason;
    message.detail = refusal.detail;
    message.query = refusal.query;
    message.mode = mode;
    message.epoch = epoch;
    message.msg_id = refusal.msg_id;
    message.issued_at = refusal.issued_at;
    message.task = refusal.task;
    message.reply = refusal.reply;
    return message;
}

std::string render_command(const core::Command& command) {
    const core::Content& content = command.content;
    JsonWriter out(256);
    out.begin_object();
    out.member("seq", command.seq.str()).member("action", to_word(content.action));
    const auto optional_text = [&out](std::string_view name, const auto& value) {
        if (value) {
            out.member(name, *value);
        }
    };
    const auto optional_word = [&out](std::string_view name, const auto& value) {
        if (value) {
            out.member(name, to_word(*value));
        }
    };
    if (content.floor) {
        out.member("floor", content.floor->str());
    }
    optional_word("direction", content.direction);
    optional_word("door", content.door);
    if (content.seconds) {
        out.count("seconds", *content.seconds);
    }
    optional_word("mode", content.mode);
    out.count("ttl_ms", core::to_ms(command.ttl));
    if (command.wait) {
        out.flag("wait", *command.wait);
    }
    optional_text("task", command.task);
    optional_text("ride", command.ride);
    optional_text("msg_id", command.msg_id);
    optional_text("issued_at", command.issued_at);
    if (command.lock) {
        out.key("lock").begin_object().member("owner", command.lock->owner);
        if (command.lock->token) {
            out.count("token", *command.lock->token);
        }
        out.end_object();
    }
    return out.end_object().take();
}

}  // namespace liftwarden::wire
