// An elevator, limits and a context for the tests of command parsing.
#pragma once

#include "src/wire/command_text.hpp"

#include <catch2/catch.hpp>

#include <string_view>

namespace liftwarden::wire::test {

using namespace std::chrono_literals;

// One side everywhere, every action, directions carried; floors B1, 1, 2.
inline core::ElevatorConfig one_sided() {
    using core::ActionKind;
    core::ElevatorConfig elevator;
    elevator.id = core::ElevatorId("EL001");
    elevator.floors = {{core::FloorLabel("B1"), 0, {core::Side::front}},
                       {core::FloorLabel("1"), 1, {core::Side::front}},
                       {core::FloorLabel("2"), 2, {core::Side::front}}};
    elevator.actions = {ActionKind::hall_call,
                        ActionKind::car_call,
                        ActionKind::open_door,
                        ActionKind::close_door,
                        ActionKind::hold_door,
                        ActionKind::set_mode};
    elevator.directions = true;
    return elevator;
}

// As one_sided, but floor 1 has doors on both sides.
inline core::ElevatorConfig two_sided() {
    core::ElevatorConfig elevator = one_sided();
    elevator.floors[1].doors = {core::Side::front, core::Side::rear};
    return elevator;
}

// What a message meets; change the members, then parse.
struct Desk {
    core::ElevatorConfig elevator = one_sided();
    core::SourceId source{"node-a"};
    core::QueueLimits limits;
    Topics topics{"lift", "dc-east"};
    CommandContext context{elevator, source, limits, topics, false, {}, {}, {}, {}, false, {}};

    Desk() { context.wall = core::WallTime{1'777'732'321'251ms}; }  // 2026-05-02T14:32:01.251Z
    explicit Desk(core::ElevatorConfig other) : Desk() { elevator = std::move(other); }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    [[nodiscard]] ParsedCommand parse(std::string_view payload) const {
        return parse_command(context, payload);
    }
    [[nodiscard]] core::Command accept(std::string_view payload) const {
        const ParsedCommand parsed = parse(payload);
        if (const auto* refusal = std::get_if<Refusal>(&parsed.outcome)) {
            FAIL("refused " << payload << ": " << core::to_string(refusal->reason) << ": "
                            << refusal->detail);
        }
        return std::get<core::Command>(parsed.outcome);
    }
    [[nodiscard]] Refusal refuse(std::string_view payload) const {
        const ParsedCommand parsed = parse(payload);
        if (!std::holds_alternative<Refusal>(parsed.outcome)) {
            FAIL("accepted " << payload.substr(0, 200));
        }
        return std::get<Refusal>(parsed.outcome);
    }
};

}  // namespace liftwarden::wire::test
