// One run: dispatch nodes, broker, gateway, journal, buses, PLCs and everything that happens to
// them, from one seed.
#pragma once

#include "tests/sim/bus_model.hpp"
#include "tests/sim/checker.hpp"
#include "tests/sim/journal_model.hpp"
#include "tests/sim/plc_model.hpp"
#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"

#include <liftwarden/core/gateway.hpp>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim_test {

struct RunSummary {
    std::size_t finals = 0;
    std::size_t writes = 0;
    std::size_t resends = 0;
    std::size_t executed = 0;
    std::size_t crashes = 0;
    std::size_t lock_outs = 0;
    std::map<std::string, std::size_t> seen;
};

class World {
  public:
    World(std::uint64_t seed, bool trace);

    // Two minutes of commands and faults, then calm until everything has ended. Throws Violation.
    RunSummary run();

  private:
    struct Site {  // one elevator and what it hangs on
        core::ElevatorConfig config;
        std::unique_ptr<PlcModel> plc;
        std::unique_ptr<BusModel> bus;
    };
    struct Sent {
        core::Command command;
        bool answered = false;
    };

    void build_config();
    void start_gateway();
    void crash(bool reboot);
    void post(core::Event event);
    void execute(const core::Actions& actions);
    void arm_timer();
    void plan_node(const core::SourceId& source);
    void node_acts(const core::SourceId& source);
    core::Command random_command(const core::SourceId& source, const Site& site);
    void publish(const core::Command& command);
    void deliver_next();
    void plan_faults();
    void one_fault(Site& site);
    void operator_looks();
    Site& site(const core::ElevatorId& id);
    void trace(const std::string& line) const;

    bool trace_ = false;
    Rng rng_;
    Scheduler scheduler_;
    core::GatewayConfig config_;
    std::unique_ptr<Checker> checker_;
    std::unique_ptr<JournalModel> journal_;
    std::vector<std::unique_ptr<Site>> sites_;
    std::unique_ptr<core::Gateway> gateway_;
    std::uint64_t generation_ = 0;  // of the gateway's process
    std::uint64_t timer_ = 0;
    std::string boot_id_ = "boot-1";
    int boots_ = 1;

    std::deque<core::Command> broker_;  // not yet acknowledged; the front is being delivered
    bool delivering_ = false;
    std::uint64_t delivery_ = 0;
    std::vector<Sent> sent_;
    std::uint64_t next_seq_ = 1000;
    bool calm_ = false;
    std::uint64_t requests_ = 0;
    RunSummary summary_;
};

}  // namespace liftwarden::sim_test
