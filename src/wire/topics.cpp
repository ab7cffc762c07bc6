#include "src/wire/topics.hpp"

#include "src/wire/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace liftwarden::wire {
namespace {

constexpr std::size_t id_bytes_max = 64;
constexpr std::size_t reply_topic_bytes_max = 512;

bool is_id_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == ':' || c == '-';
}

// The text before the next slash; `rest` loses both. Without a slash all of it.
std::string_view next_level(std::string_view& rest) {
    const std::size_t slash = rest.find('/');
    const std::string_view level = rest.substr(0, slash);
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    return level;
}

}  // namespace

bool is_topic_id(std::string_view id) {
    return !id.empty() && id.size() <= id_bytes_max &&
           std::all_of(id.begin(), id.end(), is_id_character);
}

bool is_reserved_elevator(std::string_view id) {
    constexpr std::array<std::string_view, 4> reserved{"any", "node", "gateway", "reply"};
    return std::find(reserved.begin(), reserved.end(), id) != reserved.end();
}

Topics::Topics(std::string_view prefix, std::string_view site) {
    base_.append(prefix).append("/").append(site).append("/");
}

std::string Topics::elevator_topic(const core::ElevatorId& elevator, std::string_view kind) const {
    return (base_ + elevator.str()).append("/").append(kind);
}

std::string Topics::dispatch(const core::ElevatorId& elevator, const core::SourceId& source) const {
    return elevator_topic(elevator, "dispatch/") + source.str();
}

std::string Topics::ride(const core::ElevatorId& elevator, const core::SourceId& source) const {
    return elevator_topic(elevator, "ride/") + source.str();
}

std::string Topics::result(const core::ElevatorId& elevator, const core::SourceId& source) const {
    return elevator_topic(elevator, "result/") + source.str();
}

std::string Topics::ride_result(const core::ElevatorId& elevator,
                                const core::SourceId& source) const {
    return elevator_topic(elevator, "ride_result/") + source.str();
}

std::string Topics::state(const core::ElevatorId& elevator) const {
    return elevator_topic(elevator, "state");
}

std::string Topics::session(const core::ElevatorId& elevator) const {
    return elevator_topic(elevator, "session");
}

std::string Topics::event(const core::ElevatorId& elevator) const {
    return elevator_topic(elevator, "event");
}

std::string Topics::node(const core::SourceId& source) const {
    return base_ + "node/" + source.str();
}

std::string Topics::gateway(const core::GatewayId& gateway) const {
    return base_ + "gateway/" + gateway.str();
}

std::vector<std::string> Topics::subscriptions(
    const std::vector<core::ElevatorId>& elevators) const {
    std::vector<std::string> filters;
    filters.reserve(elevators.size() + 2);
    for (const core::ElevatorId& elevator : elevators) {
        filters.push_back(elevator_topic(elevator, "dispatch/+"));
    }
    filters.push_back(base_ + "node/+");
    filters.push_back(base_ + "gateway/+");
    return filters;
}

Topic Topics::parse(std::string_view topic) const {
    if (topic.substr(0, base_.size()) != base_) {
        return OtherTopic{};
    }
    std::string_view rest = topic.substr(base_.size());
    const std::string_view first = next_level(rest);
    if (first == "node" || first == "gateway") {
        if (!is_topic_id(rest)) {
            return OtherTopic{};
        }
        if (first == "node") {
            return NodeTopic{core::SourceId(std::string(rest))};
        }
        return GatewayTopic{core::GatewayId(std::string(rest))};
    }
    const std::string_view kind = next_level(rest);
    if (kind != "dispatch" || !is_topic_id(first) || is_reserved_elevator(first) ||
        !is_topic_id(rest)) {
        return OtherTopic{};
    }
    return DispatchTopic{core::ElevatorId(std::string(first)), core::SourceId(std::string(rest))};
}

bool Topics::is_reply(const core::SourceId& source, std::string_view topic) const {
    const std::string branch = base_ + "reply/" + source.str() + "/";
    return topic.size() > branch.size() && topic.size() <= reply_topic_bytes_max &&
           topic.substr(0, branch.size()) == branch &&
           topic.find_first_of("+#") == std::string_view::npos && is_utf8(topic) &&
           !has_control(topic);
}

}  // namespace liftwarden::wire
