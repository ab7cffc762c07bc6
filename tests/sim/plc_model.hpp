// A PLC and its car at the level of the core's readings: a mailbox that is looked at once a scan,
// the duplicate check, echo and result, doors and travel that take time.
#pragma once

#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/script.hpp"

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/observation.hpp>

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace liftwarden::sim_test {

// What the PLC did with one command it took: the ground truth of every check.
struct Execution {
    core::TimePoint at{};
    core::WireCommand command;
    std::string seq;  // whose write it was; empty: a foreign writer's
};

class PlcModel {
  public:
    using Executed = std::function<void(const Execution&)>;

    PlcModel(const core::ElevatorConfig& config,
             Scheduler& scheduler,
             Jitter jitter,
             Executed executed);

    // A write arrives in the mailbox; of two in one scan the later counts.
    void write(const core::WireCommand& command, std::string seq);
    void write_heartbeat(std::uint16_t value) { heartbeat_ = value; }
    [[nodiscard]] core::Reading read(core::ReadKind kind) const;

    // Power-up: echo, result and heartbeat 0. A replaced PLC has an empty mailbox as well.
    void restart(bool replaced);
    // The next command is treated so; `slow`: answered so many scans late.
    void treat_next(PlcManner manner, int scans) { manners_.emplace_back(manner, scans); }
    void forget_manners() { manners_.clear(); }
    void passenger_call(std::size_t floor);
    void hold_door(bool held) { held_ = held; }
    void set_mode(core::ServiceMode mode) { mode_ = mode; }
    void set_fault(std::optional<std::int64_t> fault) { fault_ = fault; }
    void set_occupied(bool occupied) { occupied_ = occupied; }
    void set_undecodable(bool undecodable) { undecodable_ = undecodable; }
    // Another number: whatever was still on its way to it is gone with its connections.
    [[nodiscard]] int power_ups() const { return power_ups_; }
    [[nodiscard]] std::uint16_t echo() const { return ack_.echo.value(); }

  private:
    struct Mailbox {
        core::WireCommand command;
        std::string seq;
    };

    void scan();
    void take(const Mailbox& taken);
    void execute(const core::Content& content);
    void step_car();
    void move_door(core::DoorState towards);

    const core::ElevatorConfig* config_;
    Scheduler* scheduler_;
    Executed executed_;

    std::optional<Mailbox> mailbox_;
    std::uint16_t seen_ = 0;  // the last wire_seq looked at
    int wait_scans_ = -1;     // >= 0: takes the mailbox after so many scans
    std::deque<std::pair<PlcManner, int>> manners_;
    core::Acknowledgement ack_;
    std::uint16_t heartbeat_ = 0;
    core::ServiceMode mode_ = core::ServiceMode::agv;
    std::optional<std::int64_t> fault_;
    bool occupied_ = false;
    bool undecodable_ = false;
    bool held_ = false;
    int power_ups_ = 1;

    std::size_t floor_ = 0;
    std::optional<std::size_t> target_;
    core::DoorState door_ = core::DoorState::closed;
    core::Travel travel_ = core::Travel::stopped;
    core::TimePoint next_step_{};
};

}  // namespace liftwarden::sim_test
