// The journal's contract without a disk: FIFO, group commit, and a crash that loses what was not
// yet committed - or, for the commit under way, keeps it without anybody hearing of it.
#pragma once

#include "tests/sim/rng.hpp"
#include "tests/sim/scheduler.hpp"

#include <liftwarden/core/event.hpp>
#include <liftwarden/core/journal.hpp>

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::sim_test {

class JournalModel {
  public:
    using Post = std::function<void(core::Event)>;
    using Publish = std::function<void(const core::ResultMessage&)>;

    using Durable = std::function<void(const core::CommandRow&)>;

    JournalModel(Scheduler& scheduler, Rng& rng, Post post, Publish publish, Durable durable);

    void look_up(core::CommandReceived event);
    void commit(core::Ticket ticket, std::vector<core::JournalWrite> writes, bool urgent);
    // The process dies. Unconfirmed outbox messages stay and are published again at restart.
    void crash();
    [[nodiscard]] core::Recovered recover();
    // Chance that a commit takes 50-500 ms instead of under 5.
    void set_slow(double chance) { slow_ = chance; }

    [[nodiscard]] const core::CommandRow* find(const core::ElevatorId& elevator,
                                               const core::Seq& seq) const;

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

    Scheduler* scheduler_;
    Rng* rng_;
    Post post_;
    Publish publish_;
    Durable durable_;
    double slow_ = 0.01;
    std::uint64_t generation_ = 0;
    std::deque<Job> waiting_;
    std::vector<Job> running_;
    bool busy_ = false;
    std::map<Key, core::CommandRow> commands_;
    std::map<std::string, core::ElevatorRow> elevators_;
    std::vector<core::ResultMessage> outbox_;  // not yet confirmed by the broker
};

}  // namespace liftwarden::sim_test
