#include "drivers/mailbox/encode.hpp"

#include "drivers/mailbox/codes.hpp"

#include <algorithm>
#include <string>

namespace liftwarden::mailbox {
namespace {

using core::ActionKind;
using core::Content;
using ports::ElevatorMap;

// The command block is whole holding registers.
std::optional<std::uint16_t> to_word(std::optional<std::int64_t> number) {
    return number ? to_field(ports::RegisterSpec{}, *number) : std::nullopt;
}

const core::Floor* find_floor(const ElevatorMap& map, const Content& content) {
    const auto found =
        std::find_if(map.floors.begin(), map.floors.end(), [&content](const core::Floor& floor) {
            return content.floor == floor.label;
        });
    return found == map.floors.end() ? nullptr : &*found;
}

std::string action_word(const ElevatorMap& map, const Content& content) {
    if (content.action == ActionKind::hall_call && !code_of(map, "actions", "hall_call")) {
        const bool top = !map.floors.empty() && content.floor == map.floors.back().label;
        const auto fallback = top ? core::Direction::down : core::Direction::up;
        const bool up = content.direction.value_or(fallback) == core::Direction::up;
        return up ? "hall_call_up" : "hall_call_down";
    }
    return core::to_string(content.action);
}

std::optional<std::int64_t> mode_number(const ElevatorMap& map, core::OrderedMode mode) {
    const ports::RegisterSpec* spec = find_register(map, "mode");
    if (spec == nullptr) {
        return std::nullopt;
    }
    for (const auto& [number, word] : spec->values) {
        if (word == core::to_string(mode)) {
            return number;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> argument(const ElevatorMap& map,
                                     const Content& content,
                                     const core::Floor* floor) {
    switch (content.action) {
        case ActionKind::hall_call:
        case ActionKind::car_call:
            return floor != nullptr ? std::optional{floor->value} : std::nullopt;
        case ActionKind::hold_door:
            return content.seconds;
        case ActionKind::set_mode:
            return content.mode ? mode_number(map, *content.mode) : std::nullopt;
        case ActionKind::open_door:
        case ActionKind::close_door:
            return 0;
        case ActionKind::release:
        case ActionKind::query:
            break;
    }
    return std::nullopt;
}

std::optional<std::int64_t> door_number(const ElevatorMap& map,
                                        const Content& content,
                                        const core::Floor* floor) {
    if (content.action == ActionKind::set_mode) {
        return 0;
    }
    core::Side side = core::Side::front;
    if (content.door) {
        side = *content.door;
    } else if (floor != nullptr && !floor->doors.empty()) {
        side = floor->doors.front();
    }
    if (const auto number = code_of(map, "sides", core::to_string(side))) {
        return number;
    }
    // An elevator with one side need not name it.
    return side == core::Side::front ? std::optional<std::int64_t>{0} : std::nullopt;
}

}  // namespace

std::optional<CommandBlock> encode(const ElevatorMap& map, const core::WireCommand& command) {
    const core::Floor* floor = find_floor(map, command.content);
    const auto action = to_word(code_of(map, "actions", action_word(map, command.content)));
    const auto arg = to_word(argument(map, command.content, floor));
    const auto door = to_word(door_number(map, command.content, floor));
    if (!action || !arg || !door) {
        return std::nullopt;
    }
    return CommandBlock{*action, *arg, *door, command.wire_seq.value()};
}

}  // namespace liftwarden::mailbox
