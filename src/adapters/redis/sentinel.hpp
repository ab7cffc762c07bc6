#pragma once

#include "src/adapters/redis/connection.hpp"
#include "src/adapters/redis/login.hpp"

#include <liftwarden/ports/lock_service.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::redis {

// Asks the Sentinels one after the other, beginning with the one that answered last, each with a
// short deadline of its own. What they say may be outdated: whoever connects asks for the role as
// well. Any thread.
class Sentinels {
  public:
    Sentinels(std::vector<ports::HostPort> addresses, std::string master);

    [[nodiscard]] Outcome<ports::HostPort> find_master(const Login& login,
                                                       Deadline deadline,
                                                       const WakeEvent& stop) const;

    // down-after-milliseconds of the first Sentinel that says it.
    [[nodiscard]] std::optional<std::chrono::milliseconds> down_after(const Login& login,
                                                                      Deadline deadline,
                                                                      const WakeEvent& stop) const;

  private:
    [[nodiscard]] Outcome<Reply> ask(std::size_t index,
                                     const Login& login,
                                     std::string_view question,
                                     Deadline deadline,
                                     const WakeEvent& stop) const;

    const std::vector<ports::HostPort> addresses_;
    const std::string master_;
    mutable std::atomic<std::size_t> last_good_{0};
};

}  // namespace liftwarden::redis
