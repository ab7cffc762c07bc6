#include "src/core/table.hpp"

#include "src/core/breakage.hpp"

#include <liftwarden/core/assert.hpp>

namespace liftwarden::core {
namespace {

Ruling send_if(bool allowed) {
    return allowed ? Ruling::send : Ruling::wait;
}

Ruling rule_call(const Scene& scene) {
    const bool ours = scene.by_owner || !scene.owned;
    switch (scene.phase) {
        case Phase::idle:
            return send_if(ours);
        case Phase::moving:
            return send_if(scene.by_owner && scene.calls_while_moving == CallsWhileMoving::allow);
        case Phase::door_open:
            return send_if(scene.by_owner || (!scene.owned && scene.open_counts_as_idle));
        case Phase::door_opening:  // a call now would reverse the door
        case Phase::door_closing:
        case Phase::offline:
            return Ruling::wait;
        case Phase::error:
            return Ruling::refuse;
    }
    return Ruling::wait;
}

Ruling rule_door(ActionKind action, const Scene& scene) {
    const bool closes = action == ActionKind::close_door;
    switch (scene.phase) {
        case Phase::idle:
        case Phase::door_open:
            return send_if(scene.by_owner || !scene.owned);
        case Phase::door_opening:
            return send_if(scene.by_owner && !closes);
        case Phase::door_closing:
            return send_if(scene.by_owner && (closes || scene.reversal_allowed));
        case Phase::moving:
        case Phase::offline:
            return Ruling::wait;
        case Phase::error:
            return Ruling::refuse;
    }
    return Ruling::wait;
}

}  // namespace

Ruling rule(ActionKind action, const Scene& scene) {
    LIFTWARDEN_ASSERT(action != ActionKind::release && action != ActionKind::query);
    if (scene.phase == Phase::error) {
        return Ruling::refuse;
    }
    if (broken(Breakage::ignore_door_closing) && scene.phase == Phase::door_closing) {
        return Ruling::send;
    }
    if (scene.everything_waits) {
        return Ruling::wait;
    }
    return is_door_command(action) ? rule_door(action, scene) : rule_call(scene);
}

}  // namespace liftwarden::core
