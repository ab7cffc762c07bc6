// A PLC and its car at the level of the core's readings: a mailbox that is looked at once a scan,
// the duplicate check, echo and result, doors and travel that take time.
#pragma once

#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/observation.hpp>

#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim_test {

// What the PLC did with one command it took: the ground truth of every check.
struct Execution {
    core::TimePoint at{};
    core::WireCommand command;
    std::string seq;  // whose write it was; empty: a foreign writer's
};

class PlcModel {
  public:
    // How it treats commands, as chances per command it takes.
    struct Manners {
        double refuses = 0.03;
        double busy = 0.05;
        double odd_result = 0.01;
        double slow = 0.1;  // answers some scans late
    };

    PlcModel(const core::ElevatorConfig& config, Scheduler& scheduler, Rng& rng);

    // A write arrives in the mailbox; of two in one scan the later counts.
    void write(const core::WireCommand& command, std::string seq);
    void write_heartbeat(std::uint16_t value) { heartbeat_ = value; }
    [[nodiscard]] core::Reading read(core::ReadKind kind) const;

    void restart();
    void set_mode(core::ServiceMode mode) { mode_ = mode; }
    void set_fault(std::optional<std::int64_t> fault) { fault_ = fault; }
    void set_occupied(bool occupied) {
        occupied_ = occupied;
        occupied_since_ = scheduler_->now();
    }
    [[nodiscard]] core::TimePoint occupied_since() const { return occupied_since_; }
    void set_manners(const Manners& manners) { manners_ = manners; }
    [[nodiscard]] bool occupied() const { return occupied_; }

    [[nodiscard]] const std::vector<Execution>& executed() const { return executed_; }

  private:
    struct Mailbox {
        core::WireCommand command;
        std::string seq;
    };

    void scan();
    void take(const Mailbox& taken);
    void execute(const core::Content& content);
    void step_car();

    const core::ElevatorConfig* config_;
    Scheduler* scheduler_;
    Rng* rng_;
    Manners manners_;

    std::optional<Mailbox> mailbox_;
    std::uint16_t seen_ = 0;  // the last wire_seq looked at
    int wait_scans_ = -1;     // >= 0: takes the mailbox after so many scans
    core::Acknowledgement ack_;
    std::uint16_t heartbeat_ = 0;
    core::ServiceMode mode_ = core::ServiceMode::agv;
    std::optional<std::int64_t> fault_;
    bool occupied_ = false;
    core::TimePoint occupied_since_{};

    std::size_t floor_ = 0;
    std::optional<std::size_t> target_;
    core::DoorState door_ = core::DoorState::closed;
    core::Travel travel_ = core::Travel::stopped;
    core::TimePoint next_step_{};

    std::vector<Execution> executed_;
};

}  // namespace liftwarden::sim_test
