#include "src/core/coalesce.hpp"

namespace liftwarden::core {
namespace {

bool same_order(const Content& a, const Content& b, const ElevatorConfig& config) {
    return a.action == b.action && a.floor == b.floor && a.direction == b.direction &&
           side_of(a, config) == side_of(b, config);
}

// A call's effect is gone when the car stands elsewhere with nothing assumed, or its door has
// closed at the floor again. While the car is on its way, or stands there with the door moving or
// open, it is not.
bool call_effect_holds(const LastAcked& last,
                       const Effects& effects,
                       const Observation& seen,
                       Phase raw) {
    if (effects.assumed(last.command)) {
        return true;
    }
    return seen.floor == last.content.floor && raw != Phase::idle && raw != Phase::moving;
}

}  // namespace

bool coalesces(const CommandRow& row,
               const std::optional<LastAcked>& last,
               const std::optional<Owner>& owner,
               const Effects& effects,
               const Observation& seen,
               Phase raw,
               TimePoint now,
               Duration window,
               const ElevatorConfig& config) {
    const ActionKind action = row.command.content.action;
    if (!last || !(is_call(action) || is_door_command(action)) || action == ActionKind::hold_door) {
        return false;
    }
    const bool sender_stands = (owner && owner->party == last->party) || row.party == last->party;
    if (!same_order(row.command.content, last->content, config) || !sender_stands ||
        now - last->acked_at > window) {
        return false;
    }
    if (is_call(action)) {
        return call_effect_holds(*last, effects, seen, raw);
    }
    const bool opens = action == ActionKind::open_door;
    return effects.awaits_sign(last->command) ||
           door_is(seen,
                   side_of(row.command.content, config),
                   opens ? DoorState::opening : DoorState::closing);
}

}  // namespace liftwarden::core
