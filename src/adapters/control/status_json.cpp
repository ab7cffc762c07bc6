#include "src/adapters/control/status_json.hpp"

#include "src/wire/rfc3339.hpp"

#include <boost/json/array.hpp>

#include <optional>

namespace liftwarden::control {
namespace {

namespace json = boost::json;

json::value or_null(const std::string& text) {
    return text.empty() ? json::value(nullptr) : json::value(text);
}

template <class Name>
json::value name_or_null(const std::optional<Name>& name) {
    return name ? json::value(name->str()) : json::value(nullptr);
}

json::object doors(const std::optional<core::Observation>& seen) {
    json::object doors;
    for (const auto side : {core::Side::front, core::Side::rear}) {
        if (seen && seen->door(side)) {
            doors[core::to_string(side)] = core::to_string(*seen->door(side));
        }
    }
    return doors;
}

json::array queue(const std::vector<core::QueueEntry>& entries) {
    json::array queue;
    for (const auto& entry : entries) {
        queue.push_back(json::object{{"seq", entry.seq.str()},
                                     {"source", entry.source.str()},
                                     {"position", entry.position}});
    }
    return queue;
}

json::object to_json(const core::ElevatorStatus& status, core::TimePoint now) {
    const auto& state = status.state;
    const auto& seen = state.observation;
    json::object object{
        {"elevator", state.elevator.str()},
        {"phase", core::to_string(state.phase)},
        {"floor", seen ? name_or_null(seen->floor) : json::value(nullptr)},
        {"doors", doors(seen)},
        {"service_mode", seen ? json::value(core::to_string(seen->mode)) : json::value(nullptr)},
        {"fault", seen && seen->fault ? json::value(*seen->fault) : json::value(nullptr)},
        {"occupied", seen && seen->occupied ? json::value(*seen->occupied) : json::value(nullptr)},
        {"channel", core::to_string(state.channel)},
        {"quality", core::to_string(state.quality)},
        {"age_ms",
         state.observed_at ? json::value(core::to_ms(now - *state.observed_at))
                           : json::value(nullptr)},
        {"mode", core::to_string(status.session.mode)},
        {"epoch", status.session.epoch},
        {"owner",
         status.session.owner ? json::value(core::describe(*status.session.owner))
                              : json::value(nullptr)},
        {"queue", queue(status.session.queue)}};
    object["in_flight"] = status.in_flight ? json::value{{"seq", status.in_flight->seq.str()},
                                                         {"source", status.in_flight->source.str()}}
                                           : json::value(nullptr);
    const bool locked = status.lock_out != core::LockOut::none;
    object["lock_out"] =
        locked ? json::value(core::to_string(status.lock_out)) : json::value(nullptr);
    object["lock_out_detail"] = or_null(status.lock_out_detail);
    return object;
}

json::object to_json(const ports::BusStatus& status) {
    json::array units;
    for (const auto& unit : status.units) {
        units.push_back(json::object{{"elevator", unit.elevator.str()},
                                     {"reads", unit.reads},
                                     {"faults", unit.faults},
                                     {"suspended", unit.suspended},
                                     {"last_fault", or_null(unit.last_fault)}});
    }
    return {{"bus", status.bus.str()},
            {"connected", status.connected},
            {"links", status.links},
            {"transactions", status.transactions},
            {"faults", status.faults},
            {"units", std::move(units)}};
}

json::object broker(const StatusReport& report) {
    const auto& status = report.broker;
    return {{"address", report.broker_address},
            {"online", status.online},
            {"connects", status.connects},
            {"received", status.received},
            {"published", status.published},
            {"dropped", status.dropped + report.results_dropped},
            {"last_error", or_null(status.last_error)}};
}

json::object journal(const StatusReport& report) {
    const auto& status = report.journal;
    return {{"commands", status.commands},
            {"outbox", status.outbox},
            {"outbox_window", report.outbox_window},
            {"commits", status.commits},
            {"file_bytes", status.file_bytes},
            {"accepting", status.accepting},
            {"reserve", status.reserve}};
}

json::value lock_service(const std::optional<ports::LockServiceStatus>& status) {
    if (!status) {
        return nullptr;
    }
    return {{"address", status->address},
            {"health", core::to_string(status->health)},
            {"probes", status->probes},
            {"checks", status->checks},
            {"unanswered", status->unanswered},
            {"last_error", or_null(status->last_error)}};
}

}  // namespace

json::object to_json(const StatusReport& report) {
    json::array buses;
    for (const auto& bus : report.buses) {
        buses.push_back(to_json(bus));
    }
    json::array elevators;
    for (const auto& elevator : report.elevators) {
        elevators.push_back(to_json(elevator, report.now));
    }
    json::array stalled;
    for (const auto& name : report.stalled) {
        stalled.push_back(json::value(name));
    }
    return {{"gateway", report.gateway.str()},
            {"site", report.site},
            {"version", report.version},
            {"boot_id", report.boot_id},
            {"at", wire::format_rfc3339(report.wall)},
            {"uptime_ms", core::to_ms(report.uptime)},
            {"broker", broker(report)},
            {"inbound",
             {{"commands", report.inbound.commands},
              {"refused", report.inbound.refused},
              {"unanswered", report.inbound.unanswered},
              {"ignored", report.inbound.ignored}}},
            {"journal", journal(report)},
            {"lock_service", lock_service(report.locks)},
            {"buses", std::move(buses)},
            {"elevators", std::move(elevators)},
            {"stalled", std::move(stalled)}};
}

}  // namespace liftwarden::control
