// After an acknowledgement: what the phase counts as until the elevator shows it, and whether the
// command came true.
#pragma once

#include "src/core/sight.hpp"

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>
#include <vector>

namespace liftwarden::core {

// A watch that ended: the physical effect was seen, or not in time.
struct Effect {
    Watch watch;
    bool served = false;
    std::string detail;
};

// The door side a command means: the one it names, else the first of its floor. nullopt for a
// command without floor and door.
[[nodiscard]] std::optional<Side> side_of(const Content& content, const ElevatorConfig& config);

// True if the door of `side`, or without one any door, reads `state`.
[[nodiscard]] bool door_is(const Observation& seen, std::optional<Side> side, DoorState state);

// The watches of one elevator, oldest first. Owned by its machine; the list itself lives in the
// durable ElevatorRow and is handed in.
class Effects {
  public:
    Effects(const ElevatorConfig& config, std::vector<Watch>& watches)
        : config_(&config), watches_(&watches) {}

    // An acknowledged command begins to be watched. `car_was_here`: a call for the floor where the
    // fresh read before the write saw the car standing. Returns the oldest watch as not served if
    // there are too many.
    std::optional<Effect> begin(Watch watch);

    // Compares what is seen now with what was ordered and returns what ended. Without a fresh
    // observation only the time-outs are judged. `idle_since`: since when the registers have shown
    // the car standing with doors closed.
    [[nodiscard]] std::vector<Effect> update(TimePoint now,
                                             const Sight& sight,
                                             std::optional<TimePoint> idle_since);

    // What `raw` counts as; offline and error stay what they are.
    [[nodiscard]] Phase phase(Phase raw) const;
    // An acknowledged set_mode has not shown yet: everything waits.
    [[nodiscard]] bool mode_pending() const;
    // A call of `party` to `floor` has not been served yet.
    [[nodiscard]] bool call_pending(const Party& party, const FloorLabel& floor) const;
    // The command's first sign is still to come.
    [[nodiscard]] bool awaits_sign(const CommandRef& command) const;
    // The command is still watched and the car may still be on its way to it.
    [[nodiscard]] bool assumed(const CommandRef& command) const;
    // The next moment at which update() could end something by itself.
    [[nodiscard]] std::optional<TimePoint> next(std::optional<TimePoint> idle_since,
                                                TimePoint now) const;
    // The watches have changed since they were last saved.
    [[nodiscard]] bool changed() const { return changed_; }
    void forget_changed() { changed_ = false; }

  private:
    [[nodiscard]] bool sign(const Watch& watch, const Observation& seen, Phase raw) const;
    [[nodiscard]] bool served(const Watch& watch, const Observation& seen) const;

    const ElevatorConfig* config_;
    std::vector<Watch>* watches_;
    bool changed_ = false;
};

}  // namespace liftwarden::core
