#include "src/core/ownership.hpp"

#include "src/core/breakage.hpp"

#include <algorithm>

namespace liftwarden::core {
namespace {

void keep(std::optional<TimePoint>& since, bool holds, TimePoint now) {
    if (!holds) {
        since.reset();
    } else if (!since) {
        since = now;
    }
}

}  // namespace

void Standing::update(TimePoint now, const Observation* seen, Phase raw, Phase phase, bool owned) {
    // A sensor that flickers must not end a grace that ran while somebody was inside.
    const bool empty =
        seen != nullptr && (!seen->occupied.value_or(false) || broken(Breakage::free_occupied_car));
    const bool stopped =
        empty && seen->travel == Travel::stopped && raw != Phase::error && phase != Phase::moving;
    keep(stopped_since_, stopped, now);
    keep(closed_since_, stopped && raw == Phase::idle && phase == Phase::idle, now);
    keep(idle_since_, seen != nullptr && raw == Phase::idle, now);
    keep(unowned_open_since_, empty && raw == Phase::door_open && !owned, now);
}

std::optional<GraceEnd> grace_end(const Owner& owner,
                                  const Standing& standing,
                                  const Observation* seen,
                                  const ElevatorConfig& config) {
    const bool occupied =
        seen != nullptr && seen->occupied.value_or(false) && !broken(Breakage::free_occupied_car);
    if (seen == nullptr || occupied || !standing.stopped_since()) {
        return std::nullopt;
    }
    const int share = broken(Breakage::short_grace) ? 4 : 1;
    const bool done = !owner.last_call ||
                      (owner.last_call->action == ActionKind::car_call && owner.last_call_served);
    if (done && standing.closed_since()) {
        return GraceEnd{
            std::max(*standing.closed_since(), owner.last_activity) + config.owner_grace / share,
            false};
    }
    return GraceEnd{
        std::max(*standing.stopped_since(), owner.last_activity) + config.boarding_grace / share,
        true};
}

std::optional<TimePoint> open_counts_as_idle_at(const Standing& standing,
                                                const Observation* seen,
                                                const ElevatorConfig& config) {
    if (seen == nullptr || seen->occupied.value_or(false) || !standing.unowned_open_since()) {
        return std::nullopt;
    }
    return *standing.unowned_open_since() + (config.parks_open ? Duration{} : config.unowned_open);
}

}  // namespace liftwarden::core
