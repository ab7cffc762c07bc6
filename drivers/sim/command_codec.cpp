#include "drivers/sim/command_codec.hpp"

#include "drivers/sim/fields.hpp"

#include <charconv>
#include <optional>

namespace liftwarden::sim {
namespace {

using core::ActionKind;
using core::Content;
using ports::ElevatorMap;

core::Error refused(std::string text) {
    return {core::ErrorClass::refused, std::move(text)};
}

core::Error permanent(std::string text) {
    return {core::ErrorClass::permanent, std::move(text)};
}

bool same(std::int64_t number, std::uint16_t word) {
    return static_cast<std::uint16_t>(number & 0xFFFF) == word;
}

std::optional<std::string> word_in(const ElevatorMap& map,
                                   const std::string& section,
                                   std::uint16_t value) {
    const auto exact = word_of(map, section, value);
    return exact ? exact : word_of(map, section, static_cast<std::int16_t>(value));
}

// The action, and the direction that hall_call_up and hall_call_down carry.
bool set_action(Content& content, const std::string& word) {
    for (const ActionKind kind : {ActionKind::hall_call,
                                  ActionKind::car_call,
                                  ActionKind::open_door,
                                  ActionKind::close_door,
                                  ActionKind::hold_door,
                                  ActionKind::set_mode}) {
        if (word == core::to_string(kind)) {
            content.action = kind;
            return true;
        }
    }
    content.action = ActionKind::hall_call;
    content.direction = word == "hall_call_up" ? core::Direction::up : core::Direction::down;
    return word == "hall_call_up" || word == "hall_call_down";
}

std::optional<core::OrderedMode> mode_of(const ElevatorMap& map, std::uint16_t argument) {
    const ports::RegisterSpec* spec = find_register(map, "mode");
    for (const auto mode : {core::OrderedMode::agv, core::OrderedMode::normal}) {
        const auto number = spec != nullptr ? number_of(*spec, core::to_string(mode))
                                            : std::optional<std::int64_t>{};
        if (number && same(*number, argument)) {
            return mode;
        }
    }
    return std::nullopt;
}

std::optional<std::string> set_argument(const ElevatorMap& map,
                                        const CommandBlock& block,
                                        Content& content) {
    if (core::is_call(content.action)) {
        for (const core::Floor& floor : map.floors) {
            if (same(floor.value, block.argument)) {
                content.floor = floor.label;
                return std::nullopt;
            }
        }
        return "no floor has the value " + std::to_string(block.argument);
    }
    if (content.action == ActionKind::hold_door) {
        content.seconds = block.argument;
    } else if (content.action == ActionKind::set_mode) {
        content.mode = mode_of(map, block.argument);
        if (!content.mode) {
            return "no mode has the value " + std::to_string(block.argument);
        }
    }
    return std::nullopt;
}

std::optional<std::string> set_door(const ElevatorMap& map,
                                    const CommandBlock& block,
                                    Content& content) {
    if (content.action == ActionKind::set_mode) {
        return std::nullopt;
    }
    const auto word = word_in(map, "sides", block.door);
    if (word == "front" || word == "rear") {
        content.door = *word == "front" ? core::Side::front : core::Side::rear;
        return std::nullopt;
    }
    const bool named = map.codes.count("sides") != 0;
    if (core::is_door_command(content.action) && named) {
        return "no door has the value " + std::to_string(block.door);
    }
    return std::nullopt;
}

std::optional<std::int64_t> number(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole ? std::optional{value} : std::nullopt;
}

// A floor label, a mode's word, or a bare number, which a careless client may write as well.
std::optional<std::int64_t> argument_number(const ElevatorMap& map, const std::string& text) {
    if (text.empty()) {
        return 0;
    }
    for (const core::Floor& floor : map.floors) {
        if (floor.label.str() == text) {
            return floor.value;
        }
    }
    if (const ports::RegisterSpec* mode = find_register(map, "mode")) {
        if (const auto value = number_of(*mode, text)) {
            return value;
        }
    }
    return number(text);
}

}  // namespace

core::Result<Content> decode(const ElevatorMap& map, const CommandBlock& block) {
    Content content;
    const auto word = word_in(map, "actions", block.action);
    if (!word || !set_action(content, *word)) {
        return refused("no action has the number " + std::to_string(block.action));
    }
    if (auto problem = set_argument(map, block, content)) {
        return refused(std::move(*problem));
    }
    if (auto problem = set_door(map, block, content)) {
        return refused(std::move(*problem));
    }
    return content;
}

core::Result<CommandBlock> encode(const ElevatorMap& map,
                                  const std::string& action,
                                  const std::string& argument,
                                  std::uint16_t wire_seq) {
    const auto code = code_of(map, "actions", action);
    if (!code) {
        return permanent("the map has no action '" + action + "'");
    }
    const auto value = argument_number(map, argument);
    if (!value) {
        return permanent("'" + argument + "' is neither a floor nor a mode nor a number");
    }
    return CommandBlock{static_cast<std::uint16_t>(*code & 0xFFFF),
                        static_cast<std::uint16_t>(*value & 0xFFFF),
                        0,
                        wire_seq};
}

}  // namespace liftwarden::sim
