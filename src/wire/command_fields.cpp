#include "src/wire/command_fields.hpp"

#include "src/wire/text.hpp"
#include "src/wire/topics.hpp"

namespace liftwarden::wire {

std::optional<core::Seq> seq_of(const JsonValue& value) {
    if (value.kind == JsonValue::Kind::string && is_topic_id(value.text)) {
        return core::Seq(value.text);
    }
    const auto number = value.as_int64();
    if (!number || *number < 0) {
        return std::nullopt;
    }
    return core::Seq(std::to_string(*number));
}

std::optional<std::string> name_of(const JsonValue& value) {
    if (value.kind != JsonValue::Kind::string || value.text.empty() ||
        value.text.size() > name_bytes_max || has_control(value.text)) {
        return std::nullopt;
    }
    return value.text;
}

void CommandFields::refuse(core::Reason reason, std::string detail) {
    if (!failed()) {
        reason_ = reason;
        detail_ = std::move(detail);
    }
}

void CommandFields::complain(std::string_view field,
                             const std::string& rule,
                             const JsonValue& value) {
    complain(field, rule + ", not " + value.shown());
}

void CommandFields::complain(std::string_view field, const std::string& rule) {
    // Names of fields stay as they are written, wherever the sentence begins.
    refuse(core::Reason::bad_field, "field " + path_ + std::string(field) + " " + rule);
}

const JsonValue* CommandFields::find(std::string_view name, Presence presence) {
    const JsonValue* value = object_.find(name);
    // Results write what is absent as null, and some nodes send back what they got.
    if (value != nullptr && value->kind == JsonValue::Kind::null &&
        presence == Presence::optional) {
        return nullptr;
    }
    if (value == nullptr && presence == Presence::required) {
        complain(name, "is missing");
    }
    return value;
}

std::optional<core::Seq> CommandFields::seq(std::string_view name) {
    const JsonValue* value = find(name, Presence::required);
    if (value == nullptr) {
        return std::nullopt;
    }
    auto seq = seq_of(*value);
    if (!seq) {
        complain(name,
                 "must be 1 to 64 characters of A-Z a-z 0-9 . _ : - or an integer from 0 to 2^63-1",
                 *value);
    }
    return seq;
}

std::optional<std::string> CommandFields::string(std::string_view name, Presence presence) {
    const JsonValue* value = find(name, presence);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (value->kind != JsonValue::Kind::string) {
        complain(name, "must be a string", *value);
        return std::nullopt;
    }
    return value->text;
}

std::optional<std::string> CommandFields::name(std::string_view name) {
    const JsonValue* value = find(name, Presence::optional);
    if (value == nullptr) {
        return std::nullopt;
    }
    auto text = name_of(*value);
    if (!text) {
        complain(name,
                 "must be a string of 1 to " + std::to_string(name_bytes_max) +
                     " bytes without control characters",
                 *value);
    }
    return text;
}

std::optional<bool> CommandFields::boolean(std::string_view name) {
    const JsonValue* value = find(name, Presence::optional);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (value->kind != JsonValue::Kind::boolean) {
        complain(name, "must be true or false", *value);
        return std::nullopt;
    }
    return value->text == "true";
}

std::optional<std::int64_t> CommandFields::integer(std::string_view name,
                                                   Presence presence,
                                                   std::int64_t least,
                                                   std::int64_t most) {
    const JsonValue* value = find(name, presence);
    if (value == nullptr) {
        return std::nullopt;
    }
    const auto number = value->as_int64();
    if (!number || *number < least || *number > most) {
        complain(
            name,
            "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most),
            *value);
        return std::nullopt;
    }
    return number;
}

const JsonValue* CommandFields::object(std::string_view name) {
    const JsonValue* value = find(name, Presence::optional);
    if (value != nullptr && value->kind != JsonValue::Kind::object) {
        complain(name, "must be an object", *value);
        return nullptr;
    }
    return value;
}

}  // namespace liftwarden::wire
