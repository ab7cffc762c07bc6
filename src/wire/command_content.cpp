#include "src/wire/command_content.hpp"

#include "src/wire/text.hpp"

namespace liftwarden::wire {
namespace {

using core::ActionKind;
using core::Reason;

// "B1, 1, 2", at most so many.
std::string list_floors(const core::ElevatorConfig& elevator) {
    constexpr std::size_t floors_shown_max = 20;
    std::string out;
    for (std::size_t i = 0; i < elevator.floors.size(); ++i) {
        if (i == floors_shown_max) {
            return out + ", ...";
        }
        out += (i == 0 ? "" : ", ") + elevator.floors[i].label.str();
    }
    return out;
}

// The only side of `floor`; without a floor, the only side there is in the whole building.
std::optional<core::Side> only_side(const core::ElevatorConfig& elevator,
                                    const core::Floor* floor) {
    if (floor != nullptr) {
        return floor->doors.size() == 1 ? std::optional(floor->doors.front()) : std::nullopt;
    }
    std::optional<core::Side> side;
    for (const core::Floor& each : elevator.floors) {
        for (const core::Side here : each.doors) {
            if (side && *side != here) {
                return std::nullopt;
            }
            side = here;
        }
    }
    return side;
}

bool floor_has(const core::Floor& floor, core::Side side) {
    for (const core::Side here : floor.doors) {
        if (here == side) {
            return true;
        }
    }
    return false;
}

// The fields that say what the elevator shall do.
class ContentReader {
  public:
    ContentReader(const core::ElevatorConfig& elevator, CommandFields& fields)
        : elevator_(elevator), fields_(fields) {}

    core::Content read() {
        read_action();
        if (fields_.failed()) {
            return content_;
        }
        if (core::is_call(content_.action)) {
            read_call();
        } else if (core::is_door_command(content_.action)) {
            read_door_command();
        } else if (content_.action == ActionKind::set_mode) {
            content_.mode = fields_.word<core::OrderedMode>("mode", Presence::required);
        }
        return content_;
    }

  private:
    void read_action() {
        const auto text = fields_.string("action", Presence::required);
        if (!text) {
            return;
        }
        const auto action = from_word<ActionKind>(*text);
        if (!action) {
            const auto meant = nearest_word<ActionKind>(*text);
            fields_.refuse(Reason::unsupported_action,
                           "there is no action " + quoted(*text) +
                               (meant ? std::string("; did you mean ") + to_word(*meant) + "?"
                                      : std::string{}));
            return;
        }
        content_.action = *action;
        const bool always = *action == ActionKind::release || *action == ActionKind::query;
        if (!always && !elevator_.actions.contains(*action)) {
            fields_.refuse(Reason::unsupported_action,
                           "the map of " + elevator_.id.str() + " has no " + *text);
        }
    }

    const core::Floor* read_floor(Presence presence) {
        const auto text = fields_.string("floor", presence);
        if (!text) {
            return nullptr;
        }
        content_.floor = core::FloorLabel(*text);
        const core::Floor* floor = elevator_.find_floor(*content_.floor);
        if (floor == nullptr) {
            fields_.refuse(Reason::unknown_floor,
                           elevator_.id.str() + " has no floor " + quoted(*text) +
                               "; its floors are " + list_floors(elevator_));
        }
        return floor;
    }

    void read_call() {
        const core::Floor* floor = read_floor(Presence::required);
        content_.door = fields_.word<core::Side>("door", Presence::optional);
        if (floor != nullptr && content_.door && !floor_has(*floor, *content_.door)) {
            fields_.complain("door",
                             std::string("is ") + to_word(*content_.door) + ", a side that floor " +
                                 floor->label.str() + " of " + elevator_.id.str() +
                                 " does not have");
        }
        if (floor != nullptr && !content_.door) {
            content_.door = only_side(elevator_, floor);
        }
        if (content_.action == ActionKind::hall_call) {
            content_.direction = fields_.word<core::Direction>("direction", Presence::optional);
            if (content_.direction && !elevator_.directions) {
                fields_.refuse(Reason::unsupported_action,
                               "the map of " + elevator_.id.str() +
                                   " has no hall_call with a direction, and direction is " +
                                   to_word(*content_.direction));
            }
        }
    }

    void read_door_command() {
        const core::Floor* floor = read_floor(Presence::optional);
        content_.door = fields_.word<core::Side>("door", Presence::optional);
        if (!content_.door && !elevator_.two_sided()) {
            content_.door = only_side(elevator_, floor);
        }
        if (!content_.door) {
            fields_.complain("door",
                             "is missing, and " + elevator_.id.str() +
                                 " has doors on both sides: it must be front or rear");
        }
        if (content_.action == ActionKind::hold_door) {
            const auto seconds =
                fields_.integer("seconds", Presence::required, 1, elevator_.hold_door_max);
            if (seconds) {
                content_.seconds = static_cast<std::int32_t>(*seconds);
            }
        }
    }

    const core::ElevatorConfig& elevator_;
    CommandFields& fields_;
    core::Content content_;
};

}  // namespace

core::Content read_content(const core::ElevatorConfig& elevator, CommandFields& fields) {
    return ContentReader(elevator, fields).read();
}

}  // namespace liftwarden::wire
