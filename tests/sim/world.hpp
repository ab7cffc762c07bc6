// One run: dispatch nodes, broker, gateway, journal, buses, PLCs and everything that happens to
// them, from one script.
#pragma once

#include "tests/sim/bus_model.hpp"
#include "tests/sim/checker.hpp"
#include "tests/sim/journal_model.hpp"
#include "tests/sim/plc_model.hpp"
#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/script.hpp"
#include "tests/support/core_lock.hpp"

#include <liftwarden/core/gateway.hpp>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::sim_test {

struct RunSummary {
    std::map<std::string, std::size_t> seen;  // what the run has reached, by name
    std::uint64_t actions = 0;                // a hash of all actions with their times
};

// Plays one script. The script must outlive it.
class World {
  public:
    World(const Script& script, bool trace);

    // The script's time of trouble, then calm until everything has ended. Throws Violation.
    RunSummary run();

  private:
    struct Site {  // one elevator and what it hangs on
        const core::ElevatorConfig* config;
        std::unique_ptr<PlcModel> plc;
        std::unique_ptr<BusModel> bus;
        bool claimed = false;
        std::optional<test::LockSite> lock;
    };
    struct Message {
        core::Command command;
        core::TimePoint sent{};
        std::optional<core::Duration> expiry;
        std::optional<core::WallTime> issued;
    };
    struct Trap {
        Stage stage;
        core::Duration down;
    };

    // gateway process (world.cpp)
    void start_gateway();
    void die(bool reboot, core::Duration down);
    bool reached(Stage stage);
    void post(core::Event event);
    void post_soon(core::Event event);
    void execute(const core::Actions& actions);
    void act(const core::Action& action);
    void arm_timer();
    void note(const core::Action& action);
    Site& site(const core::ElevatorId& id);
    void trace(const std::string& line) const;

    // nodes and broker (world_broker.cpp)
    void publish(const Input& input);
    void deliver_next();
    void deliver(const Message& message);
    [[nodiscard]] core::WallTime wall() const;

    // faults and people (world_inputs.cpp)
    void play(const Input& input);
    void play_process(const Input& input);
    void stall(core::Duration lasts);
    void play_bus(const Input& input, Site& at);
    void play_plc(const Input& input, Site& at);
    void play_others(const Input& input, Site& at);
    void publish_claim();
    void foreign_write(const Input& input, Site& at);
    void operator_looks(std::uint64_t manner);
    void calm_down();

    // the lock service (world_locks.cpp)
    [[nodiscard]] std::optional<core::LockClaim> claim_of(const core::Command& command, Site& at);
    void answer_in(core::Duration delay, core::Event event);
    void check_lock(const core::CheckLock& question);
    void probe_locks();
    void play_locks(const Input& input, Site& at);
    void calm_locks();

    const Script* script_;
    bool trace_ = false;
    Scheduler scheduler_;
    Checker checker_;
    std::unique_ptr<JournalModel> journal_;
    std::vector<Site> sites_;
    std::unique_ptr<core::Gateway> gateway_;
    std::uint64_t generation_ = 0;  // of the gateway's process
    std::uint64_t timer_ = 0;
    int boots_ = 1;
    std::vector<Trap> traps_;
    core::Duration stall_at_write_{};
    core::TimePoint died_{};
    core::TimePoint started_{};
    bool journal_full_ = false;

    std::deque<Message> broker_;  // not yet acknowledged; the front is being delivered
    bool delivering_ = false;
    std::uint64_t delivery_ = 0;
    std::set<std::string> answered_;  // seqs
    core::Duration wall_offset_{};
    std::uint64_t requests_ = 0;
    std::map<std::pair<std::string, std::string>, std::optional<core::LockClaim>> claims_;
    core::Duration lock_slow_{};  // of every answer
    bool calm_ = false;
    RunSummary summary_;
};

}  // namespace liftwarden::sim_test
