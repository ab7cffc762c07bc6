// How a simulator comes to be: what it checks, and what it opens.
#include "drivers/sim/fields.hpp"
#include "drivers/sim/rtu_endpoint.hpp"
#include "drivers/sim/simulator.hpp"
#include "drivers/sim/tcp_endpoint.hpp"

#include <algorithm>
#include <set>

namespace liftwarden::sim {
namespace {

std::optional<std::string> problem_of(const SimElevator& elevator) {
    const std::string who = "elevator " + elevator.id.str() + ": ";
    if (elevator.id.empty() || elevator.id.str().find(':') != std::string::npos) {
        return who + "the id must not be empty or hold a colon";
    }
    if (elevator.map.floors.empty()) {
        return who + "the map has no floors";
    }
    for (const core::Floor& floor : elevator.map.floors) {
        if (floor.doors.empty()) {
            return who + "floor " + floor.label.str() + " has no door";
        }
    }
    const auto* command = find_register(elevator.map, "command");
    if (command == nullptr || command->table != ports::RegisterTable::holding ||
        command->address > 0xFFFF - command_block_size + 1) {
        return who + "the map needs the register `command`, four holding registers";
    }
    const auto* ack = find_register(elevator.map, "ack");
    if (ack == nullptr || is_bit(ack->table) || ack->address > 0xFFFF - ack_block_size + 1) {
        return who + "the map needs the register `ack`, two holding or input registers";
    }
    return std::nullopt;
}

PlcConfig plc_config(SimElevator elevator, const SimOptions& options) {
    PlcConfig config;
    config.id = std::move(elevator.id);
    config.map = std::move(elevator.map);
    config.scan = options.scan.value_or(elevator.scan);
    config.input = options.input;
    config.protect = options.protect;
    config.car = options.car;
    return config;
}

}  // namespace

core::Result<std::unique_ptr<Simulator>> Simulator::create(std::vector<SimElevator> elevators,
                                                           SimOptions options,
                                                           const ports::Clock& clock) {
    auto log = Log::open(options.log, clock);
    if (!log) {
        return log.error();
    }
    std::unique_ptr<Simulator> simulator{new Simulator(std::move(*log), clock)};
    if (auto problem = simulator->build(std::move(elevators), options)) {
        return core::Error{core::ErrorClass::permanent, std::move(*problem)};
    }
    return simulator;
}

std::optional<std::string> Simulator::build(std::vector<SimElevator> elevators,
                                            const SimOptions& options) {
    std::vector<Units> units(options.endpoints.size());
    const core::TimePoint now = clock_.now();
    for (SimElevator& elevator : elevators) {
        if (auto problem = problem_of(elevator)) {
            return problem;
        }
        const auto place = std::find_if(
            options.endpoints.begin(), options.endpoints.end(), [&elevator](const SimEndpoint& e) {
                return !e.bus || *e.bus == elevator.bus;
            });
        if (place == options.endpoints.end()) {
            return "elevator " + elevator.id.str() + ": no endpoint serves its bus " +
                   elevator.bus.str();
        }
        const auto index = static_cast<std::size_t>(place - options.endpoints.begin());
        const std::uint8_t unit = elevator.map.unit;
        auto plc = std::make_unique<Plc>(plc_config(std::move(elevator), options), now);
        if (!units[index].emplace(unit, plc.get()).second) {
            return "elevator " + plc->id().str() + ": unit " + std::to_string(unit) +
                   " is taken on the same endpoint";
        }
        sites_.push_back({std::move(plc), index});
    }
    for (std::size_t i = 0; i < options.endpoints.size(); ++i) {
        if (auto problem = open_endpoint(options.endpoints[i], units[i], options.log_frames)) {
            return problem;
        }
    }
    for (const std::string& fault : options.faults) {
        if (const std::string answer = apply(fault); answer.starts_with("error: ")) {
            return answer.substr(7);
        }
    }
    if (options.control.empty()) {
        return std::nullopt;
    }
    auto control = ControlServer::listen(options.control,
                                         [this](const std::string& line) { return execute(line); });
    if (!control) {
        return control.error().text;
    }
    control_ = std::move(*control);
    return std::nullopt;
}

std::optional<std::string> Simulator::open_endpoint(const SimEndpoint& endpoint,
                                                    Units units,
                                                    bool log_frames) {
    if (endpoint.type == ports::BusType::rtu) {
        auto opened =
            RtuEndpoint::open({endpoint.device, endpoint.baud, endpoint.parity, endpoint.stop_bits},
                              std::move(units),
                              log_,
                              log_frames);
        if (!opened) {
            return opened.error().text;
        }
        ports_.push_back(0);
        endpoints_.push_back(std::move(*opened));
        return std::nullopt;
    }
    auto opened =
        TcpEndpoint::listen(endpoint.host, endpoint.port, std::move(units), log_, log_frames);
    if (!opened) {
        return opened.error().text;
    }
    ports_.push_back((*opened)->port());
    endpoints_.push_back(std::move(*opened));
    return std::nullopt;
}

}  // namespace liftwarden::sim
