// The bus between gateway and PLC: half-duplex, late, lossy, and honest about what it does not
// know.
#pragma once

#include "tests/sim/checker.hpp"
#include "tests/sim/plc_model.hpp"
#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/event.hpp>

#include <functional>
#include <optional>

namespace liftwarden::sim_test {

// Faults as chances per transaction.
struct BusManners {
    double read_lost = 0.02;
    double write_lost = 0.02;     // never arrives; the outcome is unknown
    double reply_lost = 0.03;     // arrives; the outcome is unknown
    double write_delayed = 0.01;  // arrives after the gateway has given up on it
    double exception = 0.01;
    double busy = 0.01;
    double too_late = 0.01;  // given back before the write: not_written
    double grant_closed = 0.02;
};

// One elevator on a bus of its own. Belongs to a run, outlives the gateway's crashes: what is in
// the cable when the process dies still arrives.
class BusModel {
  public:
    using Post = std::function<void(core::Event)>;

    BusModel(const core::ElevatorConfig& config,
             PlcModel& plc,
             Checker& checker,
             Scheduler& scheduler,
             Rng& rng,
             Post post);

    void request_grant(core::GrantId grant);
    void release_grant(core::GrantId grant);
    void write(const core::WriteCommand& action);
    void read(core::ReadKind kind);
    void heartbeat(std::uint16_t value);
    void reset();

    void set_manners(const BusManners& manners) { manners_ = manners; }
    void set_cut(bool cut);
    // The gateway's process died: open grants are gone, a new connection will be made.
    void crashed();

  private:
    void poll(std::uint64_t generation);
    void deliver_read(core::ReadKind kind);
    core::WriteOutcome transfer(const core::WriteCommand& action);
    [[nodiscard]] core::Reading reading(core::ReadKind kind) const;

    const core::ElevatorConfig* config_;
    PlcModel* plc_;
    Checker* checker_;
    Scheduler* scheduler_;
    Rng* rng_;
    Post post_;
    BusManners manners_;
    bool cut_ = false;
    std::uint64_t link_ = 1;
    std::uint64_t generation_ = 0;
    std::optional<core::GrantId> open_;
};

}  // namespace liftwarden::sim_test
