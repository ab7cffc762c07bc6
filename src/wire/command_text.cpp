#include "src/wire/command_text.hpp"

#include "src/wire/command_content.hpp"
#include "src/wire/command_fields.hpp"
#include "src/wire/json_value.hpp"
#include "src/wire/rfc3339.hpp"
#include "src/wire/text.hpp"
#include "src/wire/ttl.hpp"

#include <limits>
#include <utility>

namespace liftwarden::wire {
namespace {

using core::ActionKind;
using core::Reason;

// A larger one is no identifier any more, and it would be journalled with each command.
constexpr std::size_t correlation_bytes_max = 1024;

void check_address(const CommandContext& context, CommandFields& fields) {
    const auto type = fields.string("type", Presence::optional);
    if (type && *type != "command") {
        fields.complain("type", "must be \"command\" if given, not " + quoted(*type));
    }
    const auto elevator = fields.string("elevator", Presence::optional);
    if (elevator && *elevator != context.elevator.id.str()) {
        fields.complain(
            "elevator",
            "is " + quoted(*elevator) + ", but the topic says " + context.elevator.id.str());
    }
    const auto source = fields.string("source", Presence::optional);
    if (source && *source != context.source.str()) {
        fields.refuse(
            Reason::source_mismatch,
            "field source is " + quoted(*source) + ", but the topic says " + context.source.str());
    }
}

// A claim without an owner claims nothing.
std::optional<core::LockClaim> read_lock(CommandFields& fields) {
    const JsonValue* lock = fields.object("lock");
    if (lock == nullptr) {
        return std::nullopt;
    }
    CommandFields inner(*lock, "lock.");
    auto owner = inner.name("owner");
    const auto token =
        inner.integer("token", Presence::optional, 0, std::numeric_limits<std::int64_t>::max());
    if (inner.failed()) {
        fields.refuse(inner.reason(), inner.detail());
    }
    if (!owner) {
        return std::nullopt;
    }
    return core::LockClaim{std::move(*owner), token};
}

core::Duration read_ttl(const CommandContext& context,
                        const core::Content& content,
                        CommandFields& fields,
                        std::optional<std::string>& issued_at_text) {
    TtlFacts facts;
    facts.asked = core::is_door_command(content.action) ? context.limits.default_ttl_door
                                                        : context.limits.default_ttl_call;
    const auto ttl_ms =
        fields.integer("ttl_ms", Presence::optional, core::to_ms(ttl_min), core::to_ms(ttl_max));
    if (ttl_ms) {
        facts.asked = std::chrono::milliseconds{*ttl_ms};
    }
    issued_at_text = fields.string("issued_at", Presence::optional);
    if (issued_at_text) {
        facts.issued_at = parse_rfc3339(*issued_at_text);
        if (!facts.issued_at) {
            fields.complain(
                "issued_at",
                "must be a time as in RFC 3339, such as 2026-05-02T14:32:01.251Z, not " +
                    quoted(*issued_at_text));
        }
    }
    facts.expiry = context.expiry;
    facts.wall = context.wall;
    facts.wall_synchronised = context.wall_synchronised;
    facts.away = context.away;
    return remaining_ttl(facts);
}

std::optional<core::ReplyTo> read_reply(const CommandContext& context, bool& ignored) {
    if (!context.response_topic) {
        return std::nullopt;
    }
    const std::string correlation = context.correlation.value_or("");
    if (!context.topics.is_reply(context.source, *context.response_topic) ||
        correlation.size() > correlation_bytes_max) {
        ignored = true;
        return std::nullopt;
    }
    return core::ReplyTo{*context.response_topic, correlation};
}

// What of a message can be given back with a refusal, as far as it is sound.
void read_echoes(const JsonValue& object, Refusal& refusal) {
    if (const JsonValue* seq = object.find("seq")) {
        refusal.seq = seq_of(*seq);
    }
    if (const JsonValue* msg_id = object.find("msg_id")) {
        refusal.msg_id = name_of(*msg_id);
    }
    if (const JsonValue* issued_at = object.find("issued_at");
        issued_at != nullptr && issued_at->kind == JsonValue::Kind::string &&
        parse_rfc3339(issued_at->text)) {
        refusal.issued_at = issued_at->text;
    }
    if (const JsonValue* task = object.find("task")) {
        refusal.task = name_of(*task);
    }
    const JsonValue* action = object.find("action");
    refusal.query = action != nullptr && action->kind == JsonValue::Kind::string &&
                    action->text == core::to_string(ActionKind::query);
}

std::variant<core::Command, Refusal> read_object(const CommandContext& context,
                                                 const JsonValue& object,
                                                 Refusal refusal) {
    CommandFields fields(object);
    core::Command command;
    check_address(context, fields);
    auto seq = fields.seq("seq");
    command.content = read_content(context.elevator, fields);
    command.task = fields.name("task");
    command.ride = fields.name("ride");
    command.msg_id = fields.name("msg_id");
    command.wait = fields.boolean("wait");
    command.lock = read_lock(fields);
    command.ttl = read_ttl(context, command.content, fields, command.issued_at);
    if (fields.failed()) {
        refusal.reason = fields.reason();
        refusal.detail = fields.detail();
        return refusal;
    }
    command.elevator = context.elevator.id;
    command.source = context.source;
    command.seq = std::move(*seq);
    command.reply = std::move(refusal.reply);
    return command;
}

Refusal because(Refusal refusal, Reason reason, std::string detail) {
    refusal.reason = reason;
    refusal.detail = std::move(detail);
    return refusal;
}

std::variant<core::Command, Refusal> read_payload(const CommandContext& context,
                                                  std::string_view payload,
                                                  Refusal refusal) {
    if (payload.size() > command_bytes_max) {
        return because(std::move(refusal),
                       Reason::too_large,
                       "the payload has " + std::to_string(payload.size()) + " bytes; at most " +
                           std::to_string(command_bytes_max) + " are allowed");
    }
    const auto object = parse_json(payload, {command_bytes_max, command_depth_max});
    if (object) {
        read_echoes(*object, refusal);
    }
    if (context.retained) {
        return because(std::move(refusal),
                       Reason::retained,
                       "the message was retained, and a command must not be: it would be "
                       "repeated at every connect");
    }
    if (!object) {
        return because(
            std::move(refusal), Reason::bad_json, "the payload is refused: " + object.error().text);
    }
    if (object->kind != JsonValue::Kind::object) {
        return because(std::move(refusal),
                       Reason::bad_json,
                       "the payload must be a JSON object, not " + object->shown());
    }
    return read_object(context, *object, std::move(refusal));
}

}  // namespace

ParsedCommand parse_command(const CommandContext& context, std::string_view payload) {
    ParsedCommand parsed;
    Refusal blank;
    blank.reply = read_reply(context, parsed.reply_ignored);
    parsed.outcome = read_payload(context, payload, std::move(blank));
    if (auto* refusal = std::get_if<Refusal>(&parsed.outcome)) {
        refusal->detail = sentence(std::move(refusal->detail));
    }
    return parsed;
}

}  // namespace liftwarden::wire
