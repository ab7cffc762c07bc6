// Is the lock service usable? One judgement for the whole gateway, from the probes.
#pragma once

#include <liftwarden/core/event.hpp>
#include <liftwarden/core/lock.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::core {

// Counts probes in a row. Deterministic; owned by Gateway, read by every Elevator.
class LockWatch {
  public:
    explicit LockWatch(const LockRules& rules) : rules_(rules) {}

    // With every call of the core. A loop that stood still for over 2 s saw nothing in between: the
    // window starts again.
    void tick(TimePoint now);
    void probed(const LockProbed& probe, TimePoint now);
    void node_reported(const NodeReported& report, TimePoint now);
    // An elevator takes over now; makes the way back longer if it happens again and again.
    void took_over(TimePoint now);

    // A failed window: three in a row.
    [[nodiscard]] bool failing() const { return failures_ >= window; }
    // The first failed probe of this outage; only while there is one.
    [[nodiscard]] std::optional<TimePoint> outage_since() const { return outage_since_; }
    // Three in a row, all from one server.
    [[nodiscard]] bool recovered() const { return successes_ >= window; }
    // Ten in a row over 10 s; each takeover within the hour but the first doubles that, up to 10
    // min.
    [[nodiscard]] bool steadily_usable(TimePoint now) const;
    [[nodiscard]] Duration healthy_time(TimePoint now) const;
    // Names the server and its memory: changes with its restart, a failover, a step of its clock.
    // Empty before the first usable probe.
    [[nodiscard]] const std::string& memory() const { return memory_; }
    [[nodiscard]] Health health() const { return health_; }
    [[nodiscard]] const std::string& detail() const { return detail_; }

    static constexpr int window = 3;

  private:
    void failed(const LockProbed& probe);
    void succeeded(const LockProbed& probe);
    void note_memory(const LockProbed& probe, TimePoint now);
    [[nodiscard]] bool nodes_say_lost(TimePoint now) const;

    struct Report {
        bool lost = false;
        TimePoint at{};
    };
    LockRules rules_;
    int failures_ = 0;
    int successes_ = 0;
    std::optional<TimePoint> outage_since_;
    std::optional<TimePoint> usable_since_;
    std::optional<TimePoint> last_call_;
    std::string memory_;
    std::string instance_;
    std::uint64_t clock_steps_ = 0;
    struct Times {
        TimePoint asked{};
        TimePoint answered{};
        WallTime server{};
    };
    std::optional<Times> times_;  // of the last probe that told
    std::map<SourceId, Report> nodes_;
    std::vector<TimePoint> takeovers_;
    std::optional<TimePoint> counted_outage_;
    Health health_ = Health::outage;
    std::string detail_ = "not probed yet";
};

}  // namespace liftwarden::core
