#pragma once

#include <liftwarden/core/observation.hpp>
#include <liftwarden/core/time.hpp>

#include <optional>

namespace liftwarden::sim {

struct DoorTimes {
    core::Duration opening = std::chrono::seconds{2};
    core::Duration closing = std::chrono::seconds{2};
};

// One door of the car. A movement takes its whole time, also after a reversal: a door that was
// turned round runs at creep speed. Time is handed in; a value without threads.
class Door {
  public:
    explicit Door(DoorTimes times) : times_(times) {}

    [[nodiscard]] core::DoorState state() const { return state_; }
    [[nodiscard]] bool closed() const { return state_ == core::DoorState::closed; }
    [[nodiscard]] bool moving() const {
        return state_ == core::DoorState::opening || state_ == core::DoorState::closing;
    }

    // Start to open or close. True if that turned a moving door round: the anti-pinch edge.
    bool open(core::TimePoint now);
    bool close(core::TimePoint now);

    // When the movement ends by itself; nothing at rest, when stuck or when halted. A blocked door
    // that closes meets the obstacle half-way, see finish().
    [[nodiscard]] std::optional<core::TimePoint> deadline() const;
    // To be called at deadline(). True if the door met an obstacle and turned round.
    bool finish(core::TimePoint at);

    // A stuck door keeps its state, moving ones for ever; freed, it begins its movement anew.
    void set_stuck(bool stuck, core::TimePoint now);
    void set_blocked(bool blocked) { blocked_ = blocked; }
    // Emergency stop: the drive is off until release(), after which a moving door opens.
    void halt() { halted_ = true; }
    void release(core::TimePoint now);
    // Closed, at rest and not halted, whatever it was.
    void put_closed();

  private:
    void move(core::DoorState direction, core::TimePoint now);
    [[nodiscard]] core::Duration movement_time() const;

    DoorTimes times_;
    core::DoorState state_ = core::DoorState::closed;
    core::TimePoint since_{};
    bool stuck_ = false;
    bool blocked_ = false;
    bool halted_ = false;
};

}  // namespace liftwarden::sim
