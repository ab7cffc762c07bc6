#include "src/wire/result_text.hpp"

#include "src/wire/codec.hpp"
#include "src/wire/journal_fields.hpp"
#include "src/wire/json_value.hpp"
#include "src/wire/json_writer.hpp"
#include "src/wire/rfc3339.hpp"
#include "src/wire/words.hpp"

namespace liftwarden::wire {
namespace {

constexpr std::size_t result_bytes_max = 64 * 1024;
constexpr std::size_t result_depth_max = 8;

void write_finality(JsonWriter& out, const core::ResultMessage& message) {
    if (!message.query) {
        out.flag("final", core::is_final(message.status));
        if (message.status == core::Status::served || message.status == core::Status::not_served) {
            out.flag("follow_up", true);
        }
    }
    if (message.status == core::Status::unknown) {
        out.flag("needs_operator", true);
    }
}

void write_elapsed(JsonWriter& out, const core::Elapsed& elapsed) {
    out.key("elapsed_ms").begin_object();
    const auto part = [&out](std::string_view name, const std::optional<core::Duration>& value) {
        if (value) {
            out.count(name, core::to_ms(*value));
        }
    };
    part("queued", elapsed.queued);
    part("verify", elapsed.verify);
    part("ack", elapsed.ack);
    out.end_object();
}

}  // namespace

std::string render_result(const core::ResultMessage& message, core::WallTime at) {
    JsonWriter out(512);
    out.begin_object().member("type", message.query ? "query_result" : "result");
    out.key("seq");
    message.seq ? out.text(message.seq->str()) : out.null();
    out.member("elevator", message.elevator.str());
    out.member("source", message.to.str());
    out.member("status", to_word(message.status));
    write_finality(out, message);
    out.key("reason");
    message.reason != core::Reason::none ? out.text(to_word(message.reason)) : out.null();
    out.member("detail", message.detail).flag("duplicate", message.duplicate);
    out.key("of");
    if (message.of) {
        out.begin_object().member("seq", message.of->seq.str());
        out.member("source", message.of->source.str()).end_object();
    } else {
        out.null();
    }
    out.key("position");
    message.position ? out.number(*message.position) : out.null();
    out.key("wire_seq");
    message.wire_seq ? out.number(message.wire_seq->value()) : out.null();
    out.member("mode", to_word(message.mode)).count("epoch", message.epoch);
    out.member("at", format_rfc3339(at));
    out.member_or_null("msg_id", message.msg_id).member_or_null("issued_at", message.issued_at);
    out.member_or_null("task", message.task);
    write_elapsed(out, message.elapsed);
    return out.end_object().take();
}

core::Result<ReceivedResult> parse_result(std::string_view payload) {
    const auto tree = parse_json(payload, {result_bytes_max, result_depth_max});
    if (!tree) {
        return core::Error{core::ErrorClass::corrupt, "a result is refused: " + tree.error().text};
    }
    std::optional<core::Error> error;
    ReceivedResult result;
    std::optional<bool> is_final;
    std::optional<core::Reason> reason;
    Decoder io(*tree, "", error);
    io("type", result.type);
    io("seq", result.seq);
    io("elevator", result.elevator);
    io("source", result.source);
    io("status", result.status);
    io("final", is_final);
    io("reason", reason);
    io("detail", result.detail);
    io("duplicate", result.duplicate);
    io("of", result.of);
    result.is_final = is_final.value_or(false);
    result.reason = reason.value_or(core::Reason::none);
    if (error) {
        return *error;
    }
    return result;
}

}  // namespace liftwarden::wire
