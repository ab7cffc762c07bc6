#include "src/app/journal_view.hpp"

#include "src/app/json_read.hpp"
#include "src/app/terminal.hpp"
#include "src/wire/rfc3339.hpp"
#include "src/wire/words.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace liftwarden::app {
namespace {

namespace json = boost::json;

void put(json::object& object, const char* key, const std::optional<std::string>& value) {
    if (value && !value->empty()) {
        object[key] = *value;
    }
}

template <class Name>
void put_name(json::object& object, const char* key, const std::optional<Name>& name) {
    if (name) {
        put(object, key, name->str());
    }
}

template <class Word>
void put_word(json::object& object, const char* key, const std::optional<Word>& word) {
    if (word) {
        object[key] = core::to_string(*word);
    }
}

void put_ms(json::object& object, const char* key, const std::optional<core::Duration>& time) {
    if (time) {
        object[key] = core::to_ms(*time);
    }
}

// Who sent what.
void put_order(json::object& object, const core::CommandRow& row) {
    const core::Command& command = row.command;
    const core::Content& content = command.content;
    object["seq"] = command.seq.str();
    object["source"] = command.source.str();
    object["party"] = core::describe(row.party);
    object["action"] = core::to_string(content.action);
    put_name(object, "floor", content.floor);
    put_word(object, "direction", content.direction);
    put_word(object, "door", content.door);
    if (content.seconds) {
        object["seconds"] = *content.seconds;
    }
    put_word(object, "service_mode", content.mode);
    object["ttl_ms"] = core::to_ms(command.ttl);
    put(object, "msg_id", command.msg_id);
    put(object, "issued_at", command.issued_at);
    if (command.lock) {
        object["lock"] = json::object{{"owner", command.lock->owner}};
        if (command.lock->token) {
            object["lock"].get_object()["token"] = *command.lock->token;
        }
    }
}

json::object to_json(core::WallTime at, const sqlite::LoggedCommand& logged) {
    const core::CommandRow& row = logged.row;
    json::object object{{"at", wire::format_rfc3339(at)}, {"elevator", row.command.elevator.str()}};
    put_order(object, row);
    object["status"] = core::to_string(row.status);
    object["status_at"] = wire::format_rfc3339(logged.changed_at);
    if (row.reason != core::Reason::none) {
        object["reason"] = core::to_string(row.reason);
    }
    put(object, "detail", row.detail);
    if (row.of) {
        object["of"] = json::object{{"source", row.of->source.str()}, {"seq", row.of->seq.str()}};
    }
    if (row.wire_seq) {
        object["wire_seq"] = row.wire_seq->value();
        object["resent"] = row.resent;
    }
    put_ms(object, "queued_ms", row.elapsed.queued);
    put_ms(object, "verify_ms", row.elapsed.verify);
    put_ms(object, "ack_ms", row.elapsed.ack);
    return object;
}

json::object to_json(core::WallTime at, const core::Alarm& alarm) {
    json::object object{{"at", wire::format_rfc3339(at)},
                        {"elevator", alarm.elevator.str()},
                        {"event", alarm.kind},
                        {"alarm", alarm.alarm}};
    put_name(object, "source", alarm.source);
    put_name(object, "seq", alarm.seq);
    put(object, "detail", alarm.detail);
    return object;
}

Colour colour_of(const json::object& entry) {
    if (flag_at(entry, "alarm")) {
        return Colour::red;
    }
    const auto status = text_at(entry, "status");
    if (status == "unknown" || status == "failed") {
        return Colour::red;
    }
    const bool refused = status == "rejected" || status == "expired" || status == "not_served";
    return refused ? Colour::yellow : Colour::none;
}

// "label value" for each that is there.
std::string facts(const json::object& entry,
                  std::initializer_list<std::pair<const char*, const char*>> wanted) {
    std::string out;
    for (const auto& [key, label] : wanted) {
        if (entry.contains(key)) {
            out += fmt::format("{}{}{}", out.empty() ? "" : " ", label, text_at(entry, key));
        }
    }
    return out;
}

std::string line(const json::object& entry) {
    const bool is_event = entry.contains("event");
    std::string out = fmt::format("{}  {}  {:<10}",
                                  text_at(entry, "at"),
                                  text_at(entry, "elevator"),
                                  is_event ? "event" : text_at(entry, "status"));
    const auto add = [&out](const std::string& text) { out += text.empty() ? text : "  " + text; };
    if (is_event) {
        add(text_at(entry, "event"));
        add(facts(entry, {{"source", "from "}, {"seq", "seq "}}));
    } else {
        add(facts(entry,
                  {{"action", ""},
                   {"floor", ""},
                   {"direction", ""},
                   {"door", ""},
                   {"seconds", ""},
                   {"service_mode", ""}}));
        add(facts(entry, {{"seq", "seq "}, {"party", "by "}}));
        add(facts(entry,
                  {{"wire_seq", "wire_seq "}, {"queued_ms", "queued_ms "}, {"ack_ms", "ack_ms "}}));
        add(facts(entry, {{"reason", ""}}));
        if (flag_at(entry, "resent")) {
            add("resent once");
        }
        add(facts(object_at(entry, "of"), {{"source", "of "}, {"seq", ""}}));
    }
    const auto detail = facts(entry, {{"detail", ""}});
    return out + (detail.empty() ? "" : ": " + detail);
}

}  // namespace

json::array to_json(const sqlite::LogEntries& entries) {
    json::array out;
    out.reserve(entries.size());
    for (const auto& entry : entries) {
        out.push_back(
            std::visit([&entry](const auto& what) { return to_json(entry.at, what); }, entry.what));
    }
    return out;
}

std::string journal_lines(const json::array& entries, int fd) {
    std::string out;
    for (const auto& entry : entries) {
        if (entry.is_object()) {
            out += coloured(line(entry.get_object()), colour_of(entry.get_object()), fd) + "\n";
        }
    }
    return out;
}

}  // namespace liftwarden::app
