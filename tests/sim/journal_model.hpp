// The journal's contract without a disk: FIFO, group commit, and a crash that loses what was not
// yet committed - or, for the commit under way, keeps it without anybody hearing of it.
#pragma once

#include "tests/sim/checker.hpp"
#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"
#include "tests/sim/script.hpp"

#include <liftwarden/core/event.hpp>
#include <liftwarden/core/journal.hpp>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::sim_test {

class JournalModel {
  public:
    using Post = std::function<void(core::Event)>;
    using Publish = std::function<void(const core::ResultMessage&)>;
    using Reached = std::function<bool(Stage)>;  // true: the process has just died

    JournalModel(Checker& checker,
                 Scheduler& scheduler,
                 Jitter jitter,
                 Post post,
                 Publish publish,
                 Reached reached);

    void look_up(core::CommandReceived event);
    void commit(core::Ticket ticket, std::vector<core::JournalWrite> writes, bool urgent);
    // The process dies. Unpublished outbox messages stay and are published at the next start.
    void crash();
    // The file is gone; starts find a new one that says so, until all `elevators` have their row.
    void lose(std::size_t elevators);
    [[nodiscard]] core::Recovered recover();
    void set_slow(bool slow) { slow_ = slow; }
    // Commits take this long from now on.
    void set_stuck(core::Duration takes) { stuck_ = takes; }

  private:
    struct Job {
        std::optional<core::CommandReceived> look_up;
        core::Ticket ticket;
        std::vector<core::JournalWrite> writes;
        bool urgent = true;
    };
    using Key = std::pair<std::string, std::string>;

    void start();
    void finish(std::uint64_t generation);
    void apply(const Job& job);
    [[nodiscard]] const core::CommandRow* find(const core::Command& command) const;
    [[nodiscard]] bool died(const std::vector<Job>& done);

    Checker* checker_;
    Scheduler* scheduler_;
    Jitter jitter_;
    Post post_;
    Publish publish_;
    Reached reached_;
    bool slow_ = false;
    core::Duration stuck_{};
    std::size_t lost_elevators_ = 0;
    std::uint64_t generation_ = 0;
    std::deque<Job> waiting_;
    std::vector<Job> running_;
    bool busy_ = false;
    std::map<Key, core::CommandRow> commands_;
    std::map<std::string, core::ElevatorRow> elevators_;
    std::vector<core::ResultMessage> outbox_;  // not yet published
};

}  // namespace liftwarden::sim_test
