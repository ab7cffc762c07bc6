#include "src/adapters/config/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value_from.hpp>

namespace liftwarden::config {
namespace {

namespace json = boost::json;

std::int64_t ms(core::Duration duration) {
    return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

json::value bus_json(const BusSummary& bus) {
    return {{"id", bus.settings.id.str()},
            {"where", bus.where},
            {"elevators", bus.elevators},
            {"round_ms", ms(bus.round)},
            {"polling_share", bus.share},
            {"estimated", bus.estimated},
            {"response_timeout_ms", ms(bus.settings.response_timeout)}};
}

json::array floors_json(const std::vector<core::Floor>& floors) {
    json::array array;
    for (const core::Floor& floor : floors) {
        json::array doors;
        for (const core::Side side : floor.doors) {
            doors.emplace_back(core::to_string(side));
        }
        array.push_back(
            {{"label", floor.label.str()}, {"value", floor.value}, {"doors", std::move(doors)}});
    }
    return array;
}

json::array registers_json(const std::vector<RegisterSummary>& registers) {
    json::array array;
    for (const RegisterSummary& line : registers) {
        array.push_back({{"name", line.name},
                         {"zero_based", line.zero_based},
                         {"modicon", line.modicon},
                         {"functions", json::value_from(line.functions)},
                         {"meaning", line.meaning}});
    }
    return array;
}

json::value elevator_json(const ElevatorSummary& elevator) {
    const core::ElevatorConfig& core = elevator.settings.core;
    const ports::ElevatorMap& map = elevator.settings.map;
    return {{"id", core.id.str()},
            {"bus", elevator.settings.bus.str()},
            {"unit", map.unit},
            {"driver", map.driver},
            {"poll_ms", ms(core.poll)},
            {"poll_cycle_ms", ms(elevator.poll_cycle)},
            {"stale_after_ms", ms(core.stale_after)},
            {"scan_ms", ms(core.scan)},
            {"ack_timeout_ms", ms(core.ack_timeout)},
            {"reading_ms", ms(elevator.reading)},
            {"command_ms", ms(elevator.command)},
            {"floors", floors_json(map.floors)},
            {"registers", registers_json(elevator.registers)},
            {"codes", json::value_from(map.codes)}};
}

}  // namespace

json::value to_json(const std::vector<Problem>& problems) {
    json::array array;
    for (const Problem& problem : problems) {
        array.push_back({{"file", problem.file},
                         {"line", problem.line},
                         {"column", problem.column},
                         {"severity", to_string(problem.severity)},
                         {"text", problem.text}});
    }
    return array;
}

json::value to_json(const Summary& summary) {
    const ports::Settings& settings = summary.settings;
    json::array buses;
    for (const BusSummary& bus : summary.buses) {
        buses.push_back(bus_json(bus));
    }
    json::array elevators;
    for (const ElevatorSummary& elevator : summary.elevators) {
        elevators.push_back(elevator_json(elevator));
    }
    return {{"gateway", settings.gateway.str()},
            {"site", settings.site},
            {"arbitration", "standalone"},
            {"mqtt",
             {{"host", settings.mqtt.host},
              {"port", settings.mqtt.port},
              {"tls", settings.mqtt.tls},
              {"version", settings.mqtt.version == 5 ? "5" : "3.1.1"},
              {"prefix", settings.mqtt.prefix}}},
            {"buses", std::move(buses)},
            {"elevators", std::move(elevators)}};
}

}  // namespace liftwarden::config
