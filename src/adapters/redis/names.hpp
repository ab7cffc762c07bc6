// Which keys belong to an elevator.
#pragma once

#include <liftwarden/core/ids.hpp>

#include <string>
#include <string_view>

namespace liftwarden::redis {

struct LockNames {
    std::string lock;
    std::string counter;  // of redisson_fenced
    std::string channel;  // where Redisson's clients wait for the end of a lock
};

// `{elevator}` becomes the id; `{{` and `}}` are single braces; anything else stands for itself.
[[nodiscard]] std::string lock_name(std::string_view pattern, const core::ElevatorId& elevator);

// The name of something that must share the lock's hash slot, as Redisson makes it: the lock's name
// in braces, unless it has a hash tag of its own.
[[nodiscard]] std::string beside(std::string_view prefix, const std::string& lock);

[[nodiscard]] LockNames lock_names(std::string_view pattern, const core::ElevatorId& elevator);

}  // namespace liftwarden::redis
