// Who may take the next step, how long the car has stood, and when silence ends an ownership.
#pragma once

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>

namespace liftwarden::core {

// Since when the car has stood, without a break, in the ways that graces depend on. A break is
// anything but a fresh reading that shows it: an unreadable elevator does not stand, an occupied
// one is not waiting for nobody.
class Standing {
  public:
    // `seen` nullptr: nothing fresh. `raw` as read, `phase` with what is assumed.
    void update(TimePoint now, const Observation* seen, Phase raw, Phase phase, bool owned);

    // Stopped and not occupied, doors anyhow, nothing assumed to move it.
    [[nodiscard]] std::optional<TimePoint> stopped_since() const { return stopped_since_; }
    // The same with doors closed and nothing assumed.
    [[nodiscard]] std::optional<TimePoint> closed_since() const { return closed_since_; }
    // The registers show idle, whatever is assumed.
    [[nodiscard]] std::optional<TimePoint> idle_since() const { return idle_since_; }
    // A door reads open, nobody owns the elevator and it is not occupied.
    [[nodiscard]] std::optional<TimePoint> unowned_open_since() const {
        return unowned_open_since_;
    }

  private:
    std::optional<TimePoint> stopped_since_;
    std::optional<TimePoint> closed_since_;
    std::optional<TimePoint> idle_since_;
    std::optional<TimePoint> unowned_open_since_;
};

struct GraceEnd {
    TimePoint at{};
    bool boarding = false;  // the long grace: ends with an alarm
};

// When the ownership ends if the owner stays silent and the car stays as it is; nullopt: it does
// not (the car does not stand, or `occupied` is set). The caller knows that nothing of the owner is
// queued or in flight.
[[nodiscard]] std::optional<GraceEnd> grace_end(const Owner& owner,
                                                const Standing& standing,
                                                const Observation* seen,
                                                const ElevatorConfig& config);

// A door left open without an owner counts as idle from here on; nullopt: it does not.
[[nodiscard]] std::optional<TimePoint> open_counts_as_idle_at(const Standing& standing,
                                                              const Observation* seen,
                                                              const ElevatorConfig& config);

}  // namespace liftwarden::core
