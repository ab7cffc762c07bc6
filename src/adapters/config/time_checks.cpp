// Times that do not fit together.
#include "src/adapters/config/checks.hpp"
#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

namespace liftwarden::config {
namespace {

using core::Duration;
using core::ElevatorConfig;

// One elevator with all that its times are compared with.
struct Subject {
    Report& report;
    const Draft& draft;
    const Entry& entry;
    const ElevatorConfig& core;
    const ports::BusSettings& bus;
    const Entry& bus_entry;
    WireTimes wire;
    Duration cycle{};
};

void check_acknowledgement(const Subject& s) {
    const Place place = first_given(s.entry, {"ack_timeout", "scan"});
    const std::string timeout = to_text(s.core.ack_timeout);
    const Duration on_the_wire = s.wire.command - s.wire.reading;
    if (s.core.ack_timeout < s.core.scan) {
        s.report.error(place,
                       fmt::format("ack_timeout {} is shorter than the PLC's scan of {}: nothing "
                                   "could ever be acknowledged in time",
                                   timeout,
                                   to_text(s.core.scan)));
    } else if (s.core.ack_timeout <= on_the_wire) {
        s.report.error(place,
                       fmt::format("ack_timeout {} is over before command and acknowledgement have "
                                   "been transmitted, which takes {}",
                                   timeout,
                                   to_text(on_the_wire)));
    } else if (s.core.ack_timeout < 2 * s.core.scan) {
        s.report.warning(place,
                         fmt::format("ack_timeout {} is shorter than two scans of {}: a command "
                                     "that comes just after the PLC looked may miss it",
                                     timeout,
                                     to_text(s.core.scan)));
    } else if (s.core.ack_timeout <= s.bus.response_timeout) {
        s.report.warning(place,
                         fmt::format("ack_timeout {} is not longer than the response_timeout {} of "
                                     "bus {}: one lost answer uses it up",
                                     timeout,
                                     to_text(s.bus.response_timeout),
                                     quoted(s.bus.id.str())));
    }
}

void check_effect(const Subject& s) {
    const Place place = first_given(s.entry, {"effect_timeout", "scan", "poll"});
    const std::string timeout = to_text(s.core.effect_timeout);
    if (s.core.effect_timeout < s.core.scan) {
        s.report.error(place,
                       fmt::format("effect_timeout {} is shorter than the PLC's scan of {}",
                                   timeout,
                                   to_text(s.core.scan)));
    } else if (s.core.effect_timeout < s.core.scan + s.cycle) {
        s.report.warning(place,
                         fmt::format("effect_timeout {} is shorter than a scan and a poll cycle "
                                     "together, {}: an effect may be seen too late",
                                     timeout,
                                     to_text(s.core.scan + s.cycle)));
    }
    if (s.core.served_timeout < s.core.effect_timeout) {
        s.report.error(first_given(s.entry, {"served_timeout", "effect_timeout"}),
                       fmt::format("served_timeout {} is shorter than effect_timeout {}",
                                   to_text(s.core.served_timeout),
                                   timeout));
    }
}

void check_staleness(const Subject& s) {
    const Place place = first_given(s.entry, {"stale_after"});
    const std::string text = fmt::format("stale_after {} against a poll cycle of {}: ",
                                         to_text(s.core.stale_after),
                                         to_text(s.cycle));
    // On TCP the cycle is an estimate, and only the period itself is certain.
    const Duration certain = s.bus.type == ports::BusType::tcp ? s.core.poll : s.cycle;
    if (s.core.stale_after <= certain) {
        s.report.error(place, text + "every state would be stale before the next reading");
    } else if (s.core.stale_after < 2 * s.cycle) {
        s.report.warning(place, text + "one lost reading makes the state stale");
    }
}

void check_response(const Subject& s) {
    const Entry* given = s.bus_entry.value.find("response_timeout");
    const Duration timeout = s.bus.response_timeout;
    if (timeout < s.core.scan) {
        s.report.warning(given != nullptr ? given->value.place : first_given(s.entry, {"scan"}),
                         fmt::format("response_timeout {} of bus {} is shorter than the scan of {} "
                                     "of elevator {}: a PLC that answers at the end of its scan "
                                     "seems silent",
                                     to_text(timeout),
                                     quoted(s.bus.id.str()),
                                     to_text(s.core.scan),
                                     quoted(s.core.id.str())));
    }
}

void check_heartbeat(const Subject& s) {
    if (s.core.maps_heartbeat && s.core.heartbeat_period < s.core.scan) {
        s.report.warning(place_of(s.entry, {"registers", "heartbeat"}),
                         fmt::format("the heartbeat period {} is shorter than the PLC's scan of {}",
                                     to_text(s.core.heartbeat_period),
                                     to_text(s.core.scan)));
    }
}

void check_ttl(const Subject& s, Duration ttl, const char* key, const char* kind) {
    if (ttl >= s.core.ack_timeout) {
        return;
    }
    const Entry* queue = s.draft.main->value.find("queue");
    const Entry* ttls = queue == nullptr ? nullptr : queue->value.find("default_ttl");
    const Entry* given = ttls == nullptr ? nullptr : ttls->value.find(key);
    s.report.warning(
        given != nullptr ? given->value.place : first_given(s.entry, {"ack_timeout"}),
        fmt::format("the default TTL {} of {} is shorter than the ack_timeout {} of elevator {}: "
                    "behind one slow command the next one expires",
                    to_text(ttl),
                    kind,
                    to_text(s.core.ack_timeout),
                    quoted(s.core.id.str())));
}

// The gateway wants the lease to outlast write and acknowledgement (core/lock: ack_timeout + 200
// ms).
void check_lease(const Subject& s) {
    using namespace std::chrono_literals;
    const auto& lock = s.draft.settings.lock;
    const Entry* section = s.draft.main->value.find("lock");
    if (!lock || section == nullptr || lock->rules.max_lease > s.core.ack_timeout + 200ms) {
        return;
    }
    const Entry* given = section->value.find("max_lease");
    s.report.error(
        given != nullptr ? given->value.place : first_given(s.entry, {"ack_timeout"}),
        fmt::format("max_lease {} does not outlast the ack_timeout {} of elevator {} and 200ms: "
                    "every command would be refused as lock_expiring",
                    to_text(lock->rules.max_lease),
                    to_text(s.core.ack_timeout),
                    quoted(s.core.id.str())));
}

}  // namespace

void check_times(Report& report, const Draft& draft, const BusLoads& loads) {
    for (std::size_t i = 0; i < draft.elevators.size(); ++i) {
        const ElevatorOrigin& origin = draft.elevators[i];
        const ports::ElevatorSettings& elevator = draft.settings.elevators[i];
        const auto load = loads.find(elevator.bus);
        if (!origin.sound || !origin.plan || load == loads.end()) {
            continue;
        }
        const BusOf bus = bus_of(draft, elevator);
        const Subject subject{report,
                              draft,
                              *origin.entry,
                              elevator.core,
                              *bus.settings,
                              *bus.origin->entry,
                              wire_times(*bus.settings, *origin.plan),
                              load->second.cycle(elevator.core.poll)};
        check_acknowledgement(subject);
        check_effect(subject);
        check_staleness(subject);
        check_response(subject);
        check_heartbeat(subject);
        check_lease(subject);
        check_ttl(subject, draft.settings.queue.default_ttl_call, "calls", "calls");
        check_ttl(subject, draft.settings.queue.default_ttl_door, "door_commands", "door commands");
    }
}

}  // namespace liftwarden::config
