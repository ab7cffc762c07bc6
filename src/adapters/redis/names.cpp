#include "src/adapters/redis/names.hpp"

namespace liftwarden::redis {

std::string lock_name(std::string_view pattern, const core::ElevatorId& elevator) {
    constexpr std::string_view placeholder = "{elevator}";
    std::string name;
    while (!pattern.empty()) {
        std::size_t used = 1;
        if (pattern.starts_with("{{") || pattern.starts_with("}}")) {
            name += pattern.front();
            used = 2;
        } else if (pattern.starts_with(placeholder)) {
            name += elevator.str();
            used = placeholder.size();
        } else {
            name += pattern.front();
        }
        pattern.remove_prefix(used);
    }
    return name;
}

std::string beside(std::string_view prefix, const std::string& lock) {
    const bool tagged = lock.find('{') != std::string::npos;
    return std::string(prefix) + (tagged ? ":" + lock : ":{" + lock + "}");
}

LockNames lock_names(std::string_view pattern, const core::ElevatorId& elevator) {
    const std::string lock = lock_name(pattern, elevator);
    return {lock, beside("redisson_lock_token", lock), beside("redisson_lock__channel", lock)};
}

}  // namespace liftwarden::redis
