#include "src/adapters/control/protocol.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace liftwarden::control {
namespace {

namespace json = boost::json;

core::Error bad(std::string text) {
    return {core::ErrorClass::permanent, std::move(text)};
}

core::Result<json::object> parse_object(std::string_view line) {
    json::parse_options options;
    options.max_depth = 8;
    json::error_code error;
    auto value = json::parse(json::string_view{line.data(), line.size()}, error, {}, options);
    if (error) {
        return bad("not JSON: " + error.message());
    }
    if (!value.is_object()) {
        return bad("not a JSON object");
    }
    return std::move(value.as_object());
}

// Empty if the key is missing or no string.
std::string text_of(const json::object& object, const char* key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_string() ? std::string{value->as_string()} : std::string{};
}

bool flag_of(const json::object& object, const char* key) {
    const auto* value = object.if_contains(key);
    return value != nullptr && value->is_bool() && value->as_bool();
}

core::Result<Request> parse_reset(const json::object& object) {
    ResetRequest request;
    request.elevator = core::ElevatorId{text_of(object, "elevator")};
    if (request.elevator.empty()) {
        return bad("reset needs \"elevator\"");
    }
    const auto word = text_of(object, "took_effect");
    const auto took_effect = took_effect_from(word);
    if (!took_effect) {
        return bad("reset needs \"took_effect\": yes, no or unknown, not \"" + word + "\"");
    }
    request.took_effect = *took_effect;
    for (const char* flag : {"force", "fence"}) {
        if (object.contains(flag) && !object.at(flag).is_bool()) {
            return bad(std::string("\"") + flag + "\" is true or false");
        }
    }
    request.force = flag_of(object, "force");
    request.fence = flag_of(object, "fence");
    return Request{request};
}

template <class Name>
std::optional<Name> name_of(const json::object& object, const char* key) {
    const auto text = text_of(object, key);
    return text.empty() ? std::nullopt : std::optional<Name>{Name{text}};
}

core::Result<Request> parse_log(const json::object& object) {
    LogRequest request;
    request.elevator = name_of<core::ElevatorId>(object, "elevator");
    request.seq = name_of<core::Seq>(object, "seq");
    if (const auto* since = object.if_contains("since_ms")) {
        if (!since->is_int64()) {
            return bad("\"since_ms\" is a whole number of milliseconds since 1970");
        }
        request.since = core::WallTime{std::chrono::milliseconds{since->get_int64()}};
    }
    return Request{std::move(request)};
}

json::object to_json(const LogRequest& request) {
    json::object object{{"op", "log"}};
    if (request.elevator) {
        object["elevator"] = request.elevator->str();
    }
    if (request.seq) {
        object["seq"] = request.seq->str();
    }
    if (request.since) {
        object["since_ms"] = request.since->time_since_epoch().count();
    }
    return object;
}

json::object to_json(const StatusRequest&) {
    return {{"op", "status"}};
}

json::object to_json(const ResetRequest& request) {
    return {{"op", "reset"},
            {"elevator", request.elevator.str()},
            {"took_effect", to_string(request.took_effect)},
            {"force", request.force},
            {"fence", request.fence}};
}

}  // namespace

const char* to_string(core::TookEffect took_effect) {
    switch (took_effect) {
        case core::TookEffect::yes:
            return "yes";
        case core::TookEffect::no:
            return "no";
        case core::TookEffect::unknown:
            return "unknown";
    }
    return "unknown";
}

std::optional<core::TookEffect> took_effect_from(std::string_view text) {
    using core::TookEffect;
    for (const auto value : {TookEffect::yes, TookEffect::no, TookEffect::unknown}) {
        if (text == to_string(value)) {
            return value;
        }
    }
    return std::nullopt;
}

core::Result<Request> parse_request(std::string_view line) {
    auto object = parse_object(line);
    if (!object) {
        return object.error();
    }
    const auto op = text_of(*object, "op");
    if (op == "status") {
        return Request{StatusRequest{}};
    }
    if (op == "reset") {
        return parse_reset(*object);
    }
    if (op == "log") {
        return parse_log(*object);
    }
    return bad("unknown \"op\": \"" + op + "\"");
}

core::Result<Reply> parse_reply(std::string_view line) {
    auto object = parse_object(line);
    if (!object) {
        return object.error();
    }
    Reply reply{flag_of(*object, "ok"), text_of(*object, "text"), std::nullopt};
    if (auto* data = object->if_contains("data"); data != nullptr && data->is_object()) {
        reply.data = std::move(data->as_object());
    }
    return reply;
}

std::string render(const Request& request) {
    return json::serialize(std::visit([](const auto& kind) { return to_json(kind); }, request)) +
           "\n";
}

std::string render(const Reply& reply) {
    json::object object{{"ok", reply.ok}, {"text", reply.text}};
    if (reply.data) {
        object["data"] = *reply.data;
    }
    return json::serialize(object) + "\n";
}

}  // namespace liftwarden::control
