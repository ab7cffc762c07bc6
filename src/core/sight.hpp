// What the gateway has seen of an elevator: the last reading, how far it can be trusted, and the
// phase it shows before anything is assumed.
#pragma once

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>

namespace liftwarden::core {

// Owned by one elevator's machine. Every answer is for the moment asked about: a reading older than
// `stale_after` counts for nothing but display.
class Sight {
  public:
    explicit Sight(const ElevatorConfig& config) : config_(&config) {}

    // Takes in a reading that has an observation.
    void take(const Reading& reading);

    [[nodiscard]] Quality quality(TimePoint now) const;
    // The phase the registers show; offline unless quality is good.
    [[nodiscard]] Phase phase(TimePoint now) const;
    // The observation if its quality is good, else nullptr.
    [[nodiscard]] const Observation* fresh(TimePoint now) const;
    // The last observation however old, for display.
    [[nodiscard]] const std::optional<Observation>& last() const { return last_; }
    [[nodiscard]] std::optional<TimePoint> seen_at() const { return seen_at_; }
    // When the present observation becomes stale.
    [[nodiscard]] std::optional<TimePoint> stale_at() const;
    // True if any door reads `state`.
    [[nodiscard]] static bool any_door(const Observation& observation, DoorState state);
    // Why the phase is `error`; empty otherwise.
    [[nodiscard]] std::string error_text() const;

  private:
    void watch_floor(const Observation& observation);
    [[nodiscard]] std::optional<int> floor_index(const Observation& observation) const;

    const ElevatorConfig* config_;
    std::optional<Observation> last_;
    std::optional<TimePoint> seen_at_;
    // Floor changes while a door reads open: levelling may cause one, two or a jump mean the
    // readings cannot be true.
    std::optional<int> open_floor_;
    int open_floor_changes_ = 0;
    bool floor_error_ = false;
};

}  // namespace liftwarden::core
