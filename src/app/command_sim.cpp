// `liftwarden sim`
#include "drivers/sim/simulator.hpp"
#include "src/adapters/system/signals.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "src/app/cli.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/terminal.hpp"

#include <csignal>
#include <iostream>

namespace liftwarden::app {
namespace {

// Where the gateway's configuration expects the PLCs, unless one endpoint was asked for.
std::vector<sim::SimEndpoint> endpoints(const SimArguments& arguments,
                                        const ports::Settings& settings) {
    std::vector<sim::SimEndpoint> endpoints;
    if (arguments.tcp) {
        sim::SimEndpoint endpoint;
        endpoint.port = *arguments.tcp;
        endpoints.push_back(endpoint);
    } else if (!arguments.rtu.empty()) {
        sim::SimEndpoint endpoint;
        endpoint.type = ports::BusType::rtu;
        endpoint.device = arguments.rtu;
        endpoints.push_back(endpoint);
    } else {
        for (const auto& bus : settings.buses) {
            endpoints.push_back({bus.id,
                                 bus.type,
                                 bus.host,
                                 bus.port,
                                 bus.device,
                                 bus.baud,
                                 bus.parity,
                                 bus.stop_bits});
        }
    }
    return endpoints;
}

}  // namespace

int sim_command(const SimArguments& arguments) {
    system::block_signals();
    const auto settings = settings_or_complain(arguments.config);
    if (!settings) {
        return exit_config;
    }
    std::vector<sim::SimElevator> elevators;
    for (const auto& elevator : settings->elevators) {
        elevators.push_back({elevator.core.id, elevator.bus, elevator.map, elevator.core.scan});
    }
    sim::SimOptions options;
    options.endpoints = endpoints(arguments, *settings);
    options.input = sim::input_kind_from(arguments.input).value_or(sim::InputKind::latch);
    options.protect = !arguments.unprotected;
    options.scan = arguments.scan;
    options.faults = arguments.faults;
    options.log = arguments.log;
    options.control = arguments.control;
    const system::SystemClock clock;
    const system::SignalFd signals{SIGTERM, SIGINT};
    auto simulator = sim::Simulator::create(std::move(elevators), std::move(options), clock);
    if (!simulator) {
        complain(simulator.error().text);
        return exit_failed;
    }
    for (const auto& address : (*simulator)->addresses()) {
        std::cerr << "simulating at " << address << '\n';
    }
    (*simulator)->run(signals.fd());
    return exit_ok;
}

}  // namespace liftwarden::app
