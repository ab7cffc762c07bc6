// What `liftwarden status` shows, as the daemon says it.
#pragma once

#include <liftwarden/core/gateway.hpp>
#include <liftwarden/core/time.hpp>
#include <liftwarden/ports/broker.hpp>
#include <liftwarden/ports/elevator_link.hpp>
#include <liftwarden/ports/journal.hpp>
#include <liftwarden/ports/lock_service.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::control {

struct InboundStatus {
    std::uint64_t commands = 0;
    std::uint64_t refused = 0;
    std::uint64_t unanswered = 0;  // refused without an answer, in a flood
    std::uint64_t ignored = 0;
};

// One moment of the daemon. `now` gives the ages, `wall` is printed.
struct StatusReport {
    core::GatewayId gateway;
    std::string site;
    std::string version;
    std::string boot_id;
    core::WallTime wall{};
    core::TimePoint now{};
    core::Duration uptime{};
    ports::BrokerStatus broker;
    std::string broker_address;
    InboundStatus inbound;
    std::uint64_t results_dropped = 0;
    std::size_t outbox_window = 0;
    ports::JournalStatus journal;
    std::optional<ports::LockServiceStatus> locks;  // nullopt: none is configured
    std::vector<ports::BusStatus> buses;
    std::vector<core::ElevatorStatus> elevators;
    std::vector<std::string> stalled;  // threads that make no progress
};

// Durations are whole milliseconds in members that end in _ms; what is unknown is null.
[[nodiscard]] boost::json::object to_json(const StatusReport& report);

}  // namespace liftwarden::control
