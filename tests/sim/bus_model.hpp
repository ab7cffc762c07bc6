// The bus between gateway and PLC: half-duplex, one transaction after the other, late, lossy, and
// honest about what it does not know.
#pragma once

#include "tests/sim/checker.hpp"
#include "tests/sim/plc_model.hpp"
#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/script.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/event.hpp>

#include <deque>
#include <functional>
#include <optional>

namespace liftwarden::sim_test {

// One elevator on a bus of its own. Belongs to a run, outlives the gateway's crashes: what is in
// the cable when the process dies still arrives.
class BusModel {
  public:
    using Post = std::function<void(core::Event)>;
    using Reached = std::function<bool(Stage)>;  // true: the process has just died

    BusModel(const core::ElevatorConfig& config,
             PlcModel& plc,
             Checker& checker,
             Scheduler& scheduler,
             Jitter jitter,
             Post post,
             Reached reached);

    // Orders of the core.
    void request_grant(core::GrantId grant);
    void release_grant(core::GrantId grant);
    void write(const core::WriteCommand& action);
    void read(core::ReadKind kind);
    void heartbeat(std::uint16_t value);
    void reset();

    // Faults; those without a duration meet the next transaction of their sort.
    void fail_next_write(WriteFault fault, core::Duration delay);
    void lose_reads(std::uint64_t count) { reads_to_lose_ = count; }
    void close_next_grant() { close_next_grant_ = true; }
    void set_slow(core::Duration delay) { slow_ = delay; }
    void set_cut(bool cut);
    void end_faults();

    // The gateway's process died, and the next one has started.
    void crashed();
    void started();

  private:
    struct Job {
        enum class What { read, grant, heartbeat } what = What::read;
        core::ReadKind kind = core::ReadKind::full;
        core::GrantId grant;
        std::uint16_t value = 0;
    };
    struct PlannedFault {
        WriteFault fault;
        core::Duration delay;
    };
    void poll();
    void add(const Job& job);
    void work();
    void finish();
    void do_read(core::ReadKind kind);
    void do_grant(core::GrantId grant);
    void close_grant(core::GrantId grant, const char* why);
    void do_write(const core::WriteCommand& action);
    [[nodiscard]] core::WriteOutcome transfer(const core::WriteCommand& action);
    [[nodiscard]] core::Duration takes() const;
    // Like Scheduler::in_process, unless the process is another by then.
    template <class What>
    void in_process(core::Duration delay, What what) {
        scheduler_->in_process(delay, [this, what, generation = generation_] {
            if (generation == generation_) {
                what();
            }
        });
    }

    const core::ElevatorConfig* config_;
    PlcModel* plc_;
    Checker* checker_;
    Scheduler* scheduler_;
    Jitter jitter_;
    Post post_;
    Reached reached_;

    std::deque<PlannedFault> write_faults_;
    std::uint64_t reads_to_lose_ = 0;
    bool close_next_grant_ = false;
    core::Duration slow_{};
    bool cut_ = false;

    std::uint64_t link_ = 1;
    std::uint64_t generation_ = 0;
    std::deque<Job> jobs_;
    bool busy_ = false;
    std::optional<core::GrantId> open_;
};

}  // namespace liftwarden::sim_test
