#pragma once

#include <liftwarden/core/lock.hpp>
#include <liftwarden/core/time.hpp>

#include <mutex>
#include <optional>
#include <string>

namespace liftwarden::redis {

// What a server's clock showed at some moment between two of ours.
struct ServerTime {
    core::WallTime shown{};
    core::TimePoint asked_at{};
    core::TimePoint answered_at{};
};

// The server as the last probe told the core, unless that probe was an outage. A reading counts
// only if it comes from that one: a server that was restarted, replaced or promoted, or whose clock
// was set, may show locks and counters of the past, and the core must hear of the change before it
// hears of them. Any thread.
class KnownServer {
  public:
    // After the probe was posted. Empty or nullopt: not learned, what was known stays.
    void tell(const std::string& instance, const std::optional<ServerTime>& time);

    [[nodiscard]] bool is(const std::string& instance) const;

    enum class Verdict { same, not_probed, other, clock_set };
    [[nodiscard]] Verdict judge(const std::string& instance, const ServerTime& time) const;

  private:
    mutable std::mutex mutex_;
    std::string instance_;
    std::optional<ServerTime> time_;
};

}  // namespace liftwarden::redis
