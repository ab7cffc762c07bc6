// What the gateway publishes about an elevator, as JSON.
#pragma once

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/time.hpp>

#include <string>

namespace liftwarden::wire {

// The `state` topic. `now` gives the age of what was observed; `at` is when it is published, so an
// observation's own time is `at` minus `age_ms`. Without any observation what the PLC would say is
// null, and the service mode unknown.
[[nodiscard]] std::string render_state(const core::StateView& view,
                                       const core::GatewayId& gateway,
                                       core::TimePoint now,
                                       core::WallTime at);

// The `session` topic. Without rides in the view, what belongs to a ride is null.
[[nodiscard]] std::string render_session(const core::SessionView& view,
                                         const core::GatewayId& gateway,
                                         core::WallTime at);

// The `event` topic; an alarm of the gateway itself has `elevator: null`.
[[nodiscard]] std::string render_event(const core::Alarm& alarm,
                                       const core::GatewayId& gateway,
                                       core::WallTime at);

}  // namespace liftwarden::wire
