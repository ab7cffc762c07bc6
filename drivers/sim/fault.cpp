#include "drivers/sim/fault.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace liftwarden::sim {
namespace {

enum class Slot {
    none,
    limit,
    delay,
    code,
    code_or_none,
    duration,
    on_off,
    word,
    argument,
    wire_seq
};

// How many arguments must be there, what each one is, and what ends the fault if nothing is said.
struct Grammar {
    FaultKind kind;
    const char* name;
    std::array<Slot, 3> slots;
    std::size_t required;
    bool once;  // ends after one time unless told otherwise; else it lasts until cleared
};

using enum FaultKind;
constexpr Slot none = Slot::none;
constexpr Slot limit = Slot::limit;

constexpr std::array grammars{
    Grammar{ack_lost, "ack-lost", {limit, none, none}, 0, true},
    Grammar{ack_late, "ack-late", {Slot::delay, limit, none}, 1, true},
    Grammar{refuse, "refuse", {limit, none, none}, 0, true},
    Grammar{busy, "busy", {limit, none, none}, 0, true},
    Grammar{result, "result", {Slot::code, limit, none}, 1, true},
    Grammar{ignore_write, "ignore-write", {limit, none, none}, 0, true},
    Grammar{reply_lost, "reply-lost", {limit, none, none}, 0, true},
    Grammar{silence, "silence", {limit, none, none}, 0, false},
    Grammar{slow, "slow", {Slot::delay, limit, none}, 1, false},
    Grammar{exception, "exception", {Slot::code, limit, none}, 1, true},
    Grammar{exception_read, "exception-read", {Slot::code, limit, none}, 1, true},
    Grammar{exception_write, "exception-write", {Slot::code, limit, none}, 1, true},
    Grammar{drop_before_write, "drop-before-write", {limit, none, none}, 0, true},
    Grammar{drop_after_write, "drop-after-write", {limit, none, none}, 0, true},
    Grammar{stuck_door, "stuck-door", {Slot::duration, none, none}, 0, false},
    Grammar{door_code, "door-code", {Slot::code, Slot::duration, none}, 1, false},
    Grammar{drop_link, "drop-link", {none, none, none}, 0, true},
    Grammar{refuse_connections, "refuse-connections", {Slot::duration, none, none}, 1, true},
    Grammar{reboot, "reboot", {Slot::duration, none, none}, 0, true},
    Grammar{foreign_write, "foreign-write", {Slot::word, Slot::argument, Slot::wire_seq}, 1, true},
    Grammar{emergency_stop, "emergency-stop", {none, none, none}, 0, true},
    Grammar{reset, "reset", {none, none, none}, 0, true},
    Grammar{mode, "mode", {Slot::word, none, none}, 1, true},
    Grammar{occupied, "occupied", {Slot::on_off, none, none}, 1, true},
    Grammar{door_blocked, "door-blocked", {Slot::on_off, none, none}, 1, true},
    Grammar{fault_code, "fault-code", {Slot::code_or_none, none, none}, 1, true},
    Grammar{place, "place", {Slot::word, none, none}, 1, true},
    Grammar{clear, "clear", {none, none, none}, 0, true},
};

const char* describe(Slot slot) {
    switch (slot) {
        case Slot::none:
            return "nothing";
        case Slot::limit:
            return "COUNT, DURATION or always";
        case Slot::delay:
        case Slot::duration:
            return "DURATION such as 500ms, 3s, 1min";
        case Slot::code:
            return "CODE 0..65535";
        case Slot::code_or_none:
            return "CODE 0..65535 or none";
        case Slot::on_off:
            return "on or off";
        case Slot::word:
            return "WORD";
        case Slot::argument:
            return "FLOOR, MODE or SECONDS";
        case Slot::wire_seq:
            return "WIRE_SEQ 0..65535";
    }
    return "";
}

std::optional<std::uint32_t> parse_number(const std::string& text, std::uint32_t most) {
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    const bool good = !text.empty() && error == std::errc{} && stop == end && value <= most;
    return good ? std::optional{value} : std::nullopt;
}

bool fill_limit(Fault& fault, const std::string& text) {
    fault.count.reset();
    if (text == "always") {
        return true;
    }
    if (const auto count = parse_number(text, 1'000'000); count && *count > 0) {
        fault.count = count;
        return true;
    }
    fault.time = parse_duration(text);
    return fault.time.has_value();
}

bool fill_duration(Fault& fault, const std::string& text) {
    fault.time = parse_duration(text);
    return fault.time.has_value();
}

bool fill_code(Fault& fault, const std::string& text) {
    const auto code = parse_number(text, 65535);
    if (code) {
        fault.number = *code;
    }
    return code.has_value();
}

// False if the text is not what the slot takes.
bool fill(Fault& fault, Slot slot, const std::string& text) {
    switch (slot) {
        case Slot::none:
            return false;
        case Slot::limit:
            return fill_limit(fault, text);
        case Slot::duration:
            return fill_duration(fault, text);
        case Slot::delay: {
            const auto delay = parse_duration(text);
            fault.delay = delay.value_or(core::Duration{});
            return delay.has_value();
        }
        case Slot::code:
            return fill_code(fault, text);
        case Slot::code_or_none:
            return text == "none" || fill_code(fault, text);
        case Slot::on_off:
            fault.on = text == "on";
            return text == "on" || text == "off";
        case Slot::word:
            fault.word = text;
            return !text.empty();
        case Slot::argument:
            fault.argument = text;
            return true;
        case Slot::wire_seq: {
            const auto seq = parse_number(text, 65535);
            fault.wire_seq = static_cast<std::uint16_t>(seq.value_or(0));
            return seq.has_value();
        }
    }
    return false;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == ':') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

std::string usage(const Grammar& grammar) {
    std::string line = std::string("ELEVATOR:") + grammar.name;
    std::size_t position = 0;
    for (const Slot slot : grammar.slots) {
        if (slot != Slot::none) {
            const std::string part = std::string(":<") + describe(slot) + ">";
            line += position < grammar.required ? part : "[" + part + "]";
        }
        ++position;
    }
    return line;
}

core::Error error(const std::string& text, const std::string& why) {
    return {core::ErrorClass::permanent, "fault '" + text + "': " + why};
}

}  // namespace

const char* to_string(FaultKind kind) {
    const auto found = std::find_if(
        grammars.begin(), grammars.end(), [kind](const Grammar& g) { return g.kind == kind; });
    return found == grammars.end() ? "?" : found->name;
}

std::optional<core::Duration> parse_duration(const std::string& text) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_number(text.substr(0, digits), 86'400'000);
    if (!number) {
        return std::nullopt;
    }
    const std::string unit = text.substr(digits);
    core::Duration duration{};
    if (unit == "ms") {
        duration = std::chrono::milliseconds{*number};
    } else if (unit == "s") {
        duration = std::chrono::seconds{*number};
    } else if (unit == "min") {
        duration = std::chrono::minutes{*number};
    } else {
        return std::nullopt;
    }
    return duration <= std::chrono::hours{24} ? std::optional{duration} : std::nullopt;
}

core::Result<Fault> parse_fault(const std::string& text) {
    const std::vector<std::string> parts = split(text);
    if (parts.size() < 2 || parts[0].empty()) {
        return error(text, "expected ELEVATOR:FAULT, with * for all elevators");
    }
    const auto grammar = std::find_if(grammars.begin(), grammars.end(), [&parts](const Grammar& g) {
        return parts[1] == g.name;
    });
    if (grammar == grammars.end()) {
        return error(text, "there is no fault '" + parts[1] + "'");
    }
    Fault fault;
    fault.kind = grammar->kind;
    fault.elevator = parts[0];
    fault.text = text;
    if (grammar->once) {
        fault.count = 1;
    }
    const std::size_t given = parts.size() - 2;
    if (given < grammar->required || given > grammar->slots.size()) {
        return error(text, "expected " + usage(*grammar));
    }
    for (std::size_t i = 0; i < given; ++i) {
        if (!fill(fault, grammar->slots[i], parts[i + 2])) {
            return error(text,
                         "'" + parts[i + 2] + "' where " + describe(grammar->slots[i]) +
                             " was expected; write " + usage(*grammar));
        }
    }
    return fault;
}

std::vector<std::string> fault_help() {
    std::vector<std::string> lines;
    std::transform(grammars.begin(), grammars.end(), std::back_inserter(lines), usage);
    return lines;
}

}  // namespace liftwarden::sim
