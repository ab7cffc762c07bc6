#include "src/wire/view_text.hpp"

#include "src/wire/json_writer.hpp"
#include "src/wire/rfc3339.hpp"
#include "src/wire/words.hpp"

#include <algorithm>

namespace liftwarden::wire {
namespace {

template <class Tag>
void write_name(JsonWriter& out,
                std::string_view member,
                const std::optional<core::Name<Tag>>& value) {
    out.key(member);
    value ? out.text(value->str()) : out.null();
}

void write_observation(JsonWriter& out, const core::Observation& seen) {
    out.member("service_mode", to_word(seen.mode));
    write_name(out, "floor", seen.floor);
    out.member("direction", to_word(seen.travel));
    write_name(out, "target", seen.target);
    out.key("doors").begin_object();
    if (seen.front) {
        out.member("front", to_word(*seen.front));
    }
    if (seen.rear) {
        out.member("rear", to_word(*seen.rear));
    }
    out.end_object();
    out.key("occupied");
    seen.occupied ? out.boolean(*seen.occupied) : out.null();
    out.key("fault");
    seen.fault ? out.number(*seen.fault) : out.null();
}

void write_nothing_observed(JsonWriter& out) {
    out.member("service_mode", to_word(core::ServiceMode::unknown));
    out.key("floor").null().key("direction").null().key("target").null();
    out.key("doors").begin_object().end_object();
    out.key("occupied").null().key("fault").null();
}

void write_queue(JsonWriter& out, const std::vector<core::QueueEntry>& queue) {
    out.key("queue").begin_array();
    for (const core::QueueEntry& entry : queue) {
        out.begin_object().member("seq", entry.seq.str()).member("source", entry.source.str());
        out.count("position", entry.position).key("estimated_wait_ms").null().end_object();
    }
    out.end_array();
}

}  // namespace

std::string render_state(const core::StateView& view,
                         const core::GatewayId& gateway,
                         core::TimePoint now,
                         core::WallTime at) {
    JsonWriter out(512);
    out.begin_object().member("gateway", gateway.str()).member("elevator", view.elevator.str());
    out.member("phase", to_word(view.phase));
    if (view.observation) {
        write_observation(out, *view.observation);
    } else {
        write_nothing_observed(out);
    }
    out.member("channel", to_word(view.channel)).member("quality", to_word(view.quality));
    out.key("age_ms");
    if (view.observed_at) {
        out.number(std::max<std::int64_t>(core::to_ms(now - *view.observed_at), 0));
    } else {
        out.null();
    }
    out.count("queue", view.queue).member("at", format_rfc3339(at));
    return out.end_object().take();
}

std::string render_session(const core::SessionView& view,
                           const core::GatewayId& gateway,
                           core::WallTime at) {
    JsonWriter out(512);
    out.begin_object().member("gateway", gateway.str()).member("elevator", view.elevator.str());
    out.member("mode", to_word(view.mode)).count("epoch", view.epoch);
    out.key("owner");
    if (view.owner) {
        out.begin_object().member("source", view.owner->who).key("party").begin_object();
        out.member("kind", to_word(view.owner->kind)).member("name", view.owner->name);
        out.end_object().end_object();
    } else {
        out.null();
    }
    out.key("ride_id").null().key("robot_id").null().key("ride_state").null().key("permit").null();
    write_queue(out, view.queue);
    out.member("at", format_rfc3339(at));
    return out.end_object().take();
}

std::string render_event(const core::Alarm& alarm,
                         const core::GatewayId& gateway,
                         core::WallTime at) {
    JsonWriter out(384);
    out.begin_object().member("gateway", gateway.str()).key("elevator");
    alarm.elevator.empty() ? out.null() : out.text(alarm.elevator.str());
    out.member("kind", alarm.kind).flag("alarm", alarm.alarm).member("detail", alarm.detail);
    write_name(out, "source", alarm.source);
    write_name(out, "seq", alarm.seq);
    out.member("at", format_rfc3339(at));
    return out.end_object().take();
}

}  // namespace liftwarden::wire
