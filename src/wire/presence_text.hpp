// Who is there: gateways and dispatch nodes, as their retained topics say.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/event.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/result.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::wire {

// This gateway's own status.
struct GatewayStatus {
    core::GatewayId gateway;
    bool online = false;
    std::vector<core::ElevatorId> elevators;
    std::string boot_id;
    std::map<core::ArbitrationMode, std::uint32_t> modes;  // how many elevators are in each
    std::string version;
};

// The gateway topic. Without `at` (the broker publishes the will long after it was made) the field
// is null.
[[nodiscard]] std::string render_gateway_status(const GatewayStatus& status,
                                                std::optional<core::WallTime> at);

// Another gateway's status; `gateway` is the topic's. An empty payload means it is gone: offline
// and without elevators. Names that are no elevator ids are left out. ErrorClass::permanent if it
// is no object, has no `online`, or is larger than any status could be.
[[nodiscard]] core::Result<core::GatewayClaim> parse_gateway_status(const core::GatewayId& gateway,
                                                                    std::string_view payload);

// What a dispatch node's heartbeat says; empty means it is gone. ErrorClass::permanent if it says
// neither ok nor lost.
[[nodiscard]] core::Result<core::NodeReported::LockService> parse_node_heartbeat(
    std::string_view payload);

}  // namespace liftwarden::wire
