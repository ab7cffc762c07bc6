#pragma once

#include "drivers/sim/door.hpp"
#include "drivers/sim/note.hpp"

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/observation.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim {

struct CarConfig {
    std::vector<core::Floor> floors;  // bottom up, never empty
    core::Duration floor_time = std::chrono::seconds{2};
    DoorTimes door;
    std::optional<core::Duration> auto_close;        // off: a door stays open until told
    core::Duration dwell = std::chrono::seconds{3};  // door open before the next call in the list
    std::size_t reversals_to_stop = 3;               // of one door, within reversal_window
    core::Duration reversal_window = std::chrono::seconds{10};
    std::int64_t stop_fault = 17;  // fault code shown in emergency stop
};

// What the controller made of a command.
struct Verdict {
    bool accepted = false;
    std::string why;  // of a refusal; empty when accepted
};

// A car with its doors and the logic of a careless controller, the kind the incident happened on:
// whatever it is told it does, at once. A call is a job of three steps: close the door, travel,
// open the door. A call taken while the car stands replaces the job under way, so that one taken
// while the door opens turns the door round, also one to this very floor; with the door open here
// the job is done already. Three reversals of a door within 10 s are an emergency stop. Calls taken
// while the car travels join a list. Deterministic: time is handed in and must not go back; one
// thread.
class Car {
  public:
    explicit Car(CarConfig config);

    // Lets everything happen that is due up to and including `now`.
    void advance(core::TimePoint now);
    // When something will happen by itself; nothing if the car is at rest.
    [[nodiscard]] std::optional<core::TimePoint> deadline() const;

    // Carries out one command. Refused with a fault, in a mode other than normal and agv, for a
    // floor or door that does not exist here, and for door commands between floors.
    Verdict take(core::TimePoint now, const core::Content& content);

    // What else can happen to an elevator.
    void set_mode(core::TimePoint now, core::ServiceMode mode);  // other than normal, agv: no calls
    void set_occupied(bool occupied) { occupied_ = occupied; }
    void set_door_blocked(bool blocked);
    void set_stuck(core::TimePoint now, bool stuck);
    void set_fault(core::TimePoint now, std::optional<std::int64_t> code);
    void emergency_stop(core::TimePoint now, const std::string& why);
    // Ends a fault or an emergency stop; a door caught half-way opens, a car between floors goes on
    // to the next one.
    void reset(core::TimePoint now);
    // Drops all calls; a moving car stops at the next floor with its doors closed.
    void forget_calls() { calls_.clear(); }
    // Puts the car down at a floor, doors closed, no calls, no fault. False: no such floor.
    [[nodiscard]] bool place(core::TimePoint now, const core::FloorLabel& floor);

    [[nodiscard]] const core::Floor& floor() const { return config_.floors[floor_]; }
    [[nodiscard]] core::Travel travel() const { return travel_; }
    [[nodiscard]] core::DoorState door(core::Side side) const { return door_of(side).state(); }
    [[nodiscard]] core::ServiceMode mode() const { return mode_; }
    [[nodiscard]] std::optional<std::int64_t> fault() const { return fault_; }
    [[nodiscard]] bool occupied() const { return occupied_; }
    [[nodiscard]] bool door_blocked() const { return blocked_; }
    // Where the first call of the list leads; nullptr: no call.
    [[nodiscard]] const core::Floor* target() const;
    [[nodiscard]] std::uint64_t reversals() const { return reversals_; }  // since the start
    [[nodiscard]] bool stopped() const { return stopped_; }

    // Notes since the last call, oldest first.
    [[nodiscard]] Notes drain();

  private:
    struct Call {
        std::size_t floor = 0;
        core::Side side = core::Side::front;
    };

    [[nodiscard]] Door& door_of(core::Side side) {
        return doors_[side == core::Side::front ? 0 : 1];
    }
    [[nodiscard]] const Door& door_of(core::Side side) const {
        return doors_[side == core::Side::front ? 0 : 1];
    }
    [[nodiscard]] std::optional<std::size_t> index_of(const core::FloorLabel& label) const;
    [[nodiscard]] bool serves_calls() const;  // by its mode
    [[nodiscard]] bool all_closed() const;
    [[nodiscard]] bool any(core::DoorState state) const;
    [[nodiscard]] std::optional<core::TimePoint> leave_at() const;
    [[nodiscard]] std::string refusal(const core::Content& content) const;

    void step(core::TimePoint at);
    void drive(core::TimePoint at);
    void arrive(core::TimePoint at);
    void take_call(core::TimePoint now, const core::Content& content);
    void take_door(core::TimePoint now, const core::Content& content);
    void open(core::TimePoint now, core::Side side, const char* cause);
    void close(core::TimePoint now, core::Side side, const char* cause);
    void close_all(core::TimePoint now, const char* cause);
    void finish_door(core::TimePoint at, core::Side side);
    void reversed(core::TimePoint now, core::Side side, const char* cause);
    void note_door(core::TimePoint now, core::Side side);
    void note(core::TimePoint now, std::string what, boost::json::object data = {});

    CarConfig config_;
    std::size_t floor_ = 0;
    core::Travel travel_ = core::Travel::stopped;
    std::optional<core::TimePoint> leg_ends_;
    std::optional<core::Travel> caught_;  // direction of a leg that an emergency stop cut short
    std::deque<Call> calls_;
    std::array<Door, 2> doors_;
    core::TimePoint opened_at_{};
    core::TimePoint hold_until_{};
    core::ServiceMode mode_ = core::ServiceMode::normal;
    std::optional<std::int64_t> fault_;
    bool stopped_ = false;
    bool occupied_ = false;
    bool blocked_ = false;
    std::uint64_t reversals_ = 0;
    std::array<std::deque<core::TimePoint>, 2> recent_reversals_;
    Notes notes_;
};

}  // namespace liftwarden::sim
