#include <liftwarden/core/config.hpp>

#include <algorithm>

namespace liftwarden::core {

const Floor* ElevatorConfig::find_floor(const FloorLabel& label) const {
    const auto found = std::find_if(
        floors.begin(), floors.end(), [&](const Floor& floor) { return floor.label == label; });
    return found == floors.end() ? nullptr : &*found;
}

bool ElevatorConfig::two_sided() const {
    return std::any_of(
        floors.begin(), floors.end(), [](const Floor& floor) { return floor.doors.size() > 1; });
}

std::string GatewayConfig::who(const SourceId& source) const {
    const auto found = source_groups.find(source);
    return found == source_groups.end() ? source.str() : found->second;
}

}  // namespace liftwarden::core
