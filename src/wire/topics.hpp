// The MQTT topics of the contract, both ways.
#pragma once

#include <liftwarden/core/ids.hpp>

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace liftwarden::wire {

// True for [A-Za-z0-9._:-]{1,64}: what a site, elevator, source or gateway may be called, so that
// no name can hold a level separator or a wildcard.
[[nodiscard]] bool is_topic_id(std::string_view id);

// Levels with another meaning, which no elevator may be called: any, node, gateway, reply.
[[nodiscard]] bool is_reserved_elevator(std::string_view id);

struct DispatchTopic {
    core::ElevatorId elevator;
    core::SourceId source;
    friend bool operator==(const DispatchTopic&, const DispatchTopic&) = default;
};
struct NodeTopic {
    core::SourceId source;
    friend bool operator==(const NodeTopic&, const NodeTopic&) = default;
};
struct GatewayTopic {
    core::GatewayId gateway;
    friend bool operator==(const GatewayTopic&, const GatewayTopic&) = default;
};
// Anything the gateway does not act on: foreign, malformed, or with an id that is no topic id.
struct OtherTopic {
    friend bool operator==(const OtherTopic&, const OtherTopic&) = default;
};
using Topic = std::variant<DispatchTopic, NodeTopic, GatewayTopic, OtherTopic>;

// Builds and reads the topics of one site. Immutable; any thread may call. Building takes ids that
// are topic ids already.
class Topics {
  public:
    // `prefix` may have several levels ("acme/lift"); neither begins or ends with a slash.
    Topics(std::string_view prefix, std::string_view site);

    [[nodiscard]] std::string dispatch(const core::ElevatorId& elevator,
                                       const core::SourceId& source) const;
    [[nodiscard]] std::string ride(const core::ElevatorId& elevator,
                                   const core::SourceId& source) const;
    [[nodiscard]] std::string result(const core::ElevatorId& elevator,
                                     const core::SourceId& source) const;
    [[nodiscard]] std::string ride_result(const core::ElevatorId& elevator,
                                          const core::SourceId& source) const;
    [[nodiscard]] std::string state(const core::ElevatorId& elevator) const;
    [[nodiscard]] std::string session(const core::ElevatorId& elevator) const;
    [[nodiscard]] std::string event(const core::ElevatorId& elevator) const;
    [[nodiscard]] std::string node(const core::SourceId& source) const;
    [[nodiscard]] std::string gateway(const core::GatewayId& gateway) const;

    // What a gateway of these elevators listens to: their dispatch topics, all nodes, all gateways.
    // A wildcard stands for the last level only, so a foreign elevator meets silence.
    [[nodiscard]] std::vector<std::string> subscriptions(
        const std::vector<core::ElevatorId>& elevators) const;

    [[nodiscard]] Topic parse(std::string_view topic) const;

    // True if answers to `source` may go to this Response Topic: strictly below its own reply
    // branch, of reasonable length, without wildcards or control characters.
    [[nodiscard]] bool is_reply(const core::SourceId& source, std::string_view topic) const;

  private:
    [[nodiscard]] std::string elevator_topic(const core::ElevatorId& elevator,
                                             std::string_view kind) const;

    std::string base_;  // "prefix/site/"
};

}  // namespace liftwarden::wire
