// Tells whether every thread of the daemon still makes progress.
#pragma once

#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace liftwarden::app {

// Watches numbers that grow while their thread lives. A number that has stood still for its limit
// means a thread that hangs; a device or broker that does not answer is no reason. Loop thread.
class Supervisor {
  public:
    using Heartbeats = std::function<std::uint64_t()>;

    void watch(std::string name, Heartbeats heartbeats, core::Duration limit);

    // Names of those that have stood still for their limit. To be called more often than any limit.
    [[nodiscard]] std::vector<std::string> stalled(core::TimePoint now);

  private:
    struct Watched {
        std::string name;
        Heartbeats heartbeats;
        core::Duration limit;
        std::uint64_t last = 0;
        core::TimePoint changed_at{};
        bool seen = false;
    };
    std::vector<Watched> watched_;
};

}  // namespace liftwarden::app
