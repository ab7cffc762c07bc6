// Law 12: everything that could grow has its limit.
#include "tests/sim/laws/laws.hpp"

namespace liftwarden::sim_test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t writes_max = 64;    // of one commit
constexpr std::size_t actions_max = 400;  // of one turn
constexpr std::size_t list_max = 64;      // what an elevator's row remembers

class BoundsLaw : public Law {
  public:
    using Law::Law;

    void acted(const core::Action& action) override {
        if (++actions_ > actions_max) {
            throw Violation("law 12",
                            ": a turn of more than " + std::to_string(actions_max) + " actions");
        }
        if (const auto* commit = std::get_if<core::Commit>(&action)) {
            if (commit->writes.empty() || commit->writes.size() > writes_max) {
                throw Violation(
                    "law 12", ": a commit of " + std::to_string(commit->writes.size()) + " writes");
            }
            for (const core::JournalWrite& write : commit->writes) {
                if (const auto* row = std::get_if<core::ElevatorRow>(&write)) {
                    check_row(*row);
                }
            }
        } else if (const auto* session = std::get_if<core::PublishSession>(&action)) {
            check_queue(session->view);
        }
    }

    void turn_over() override { actions_ = 0; }
    void started(bool) override { actions_ = 0; }

    void grant_over(const core::ElevatorId& elevator) override {
        constexpr core::Duration slack = 10ms;          // the order's way to the bus
        const int waits = facts_.config->lock ? 2 : 1;  // for the lock, and for the journal
        const ElevatorFacts& at = of(elevator);
        if (at.grant && facts_.stalled_until < at.grant->opened &&
            facts_.now() - at.grant->opened > waits * core::bus_wait_max + slack) {
            fail("law 12", elevator, "the bus was held for too long");
        }
    }

  private:
    void check_row(const core::ElevatorRow& row) const {
        if (row.watches.size() > list_max || row.trips.size() > list_max ||
            row.failed_wire_seqs.size() > list_max) {
            fail("law 12", row.elevator, "its row grows");
        }
    }

    void check_queue(const core::SessionView& view) const {
        const core::QueueLimits& limits = facts_.config->queue;
        if (view.queue.size() > limits.depth) {
            fail("law 12", view.elevator, "the queue is longer than its depth");
        }
        const auto share = std::max<std::size_t>(
            1, static_cast<std::size_t>(limits.source_share * static_cast<double>(limits.depth)));
        std::map<core::SourceId, std::size_t> of_source;
        for (const core::QueueEntry& entry : view.queue) {
            // One place may be the owner's, and one be taken by what came back from the bus.
            if (++of_source[entry.source] > share + 2) {
                fail("law 12", view.elevator, entry.source.str() + " has more than its share");
            }
        }
    }

    std::size_t actions_ = 0;
};

}  // namespace

std::unique_ptr<Law> make_bounds_law(Facts& facts) {
    return std::make_unique<BoundsLaw>(facts);
}

}  // namespace liftwarden::sim_test
