#include <liftwarden/ports/register_bus.hpp>
#include <liftwarden/ports/settings.hpp>

#include <stdexcept>

namespace liftwarden::ports {

const char* to_string(RegisterTable table) {
    switch (table) {
        case RegisterTable::holding:
            return "holding";
        case RegisterTable::input:
            return "input";
        case RegisterTable::coil:
            return "coil";
        case RegisterTable::discrete:
            return "discrete";
    }
    return "?";
}

const char* to_string(BusFault::Kind kind) {
    switch (kind) {
        case BusFault::Kind::not_connected:
            return "not_connected";
        case BusFault::Kind::silent:
            return "silent";
        case BusFault::Kind::garbled:
            return "garbled";
        case BusFault::Kind::broken:
            return "broken";
        case BusFault::Kind::exception:
            return "exception";
    }
    return "?";
}

void throw_exception_from_error(const BusFault& fault, const boost::source_location&) {
    throw std::logic_error(fault.detail);
}

core::GatewayConfig Settings::core_config() const {
    core::GatewayConfig config;
    config.id = gateway;
    config.site = site;
    config.queue = queue;
    config.source_groups = source_groups;
    if (lock) {
        config.lock = lock->rules;
    }
    for (const ElevatorSettings& elevator : elevators) {
        config.elevators.push_back(elevator.core);
    }
    return config;
}

}  // namespace liftwarden::ports
