// Laws 8, 9, 11 and 14: nothing on an old reading, nothing out of service, nothing late, and time
// down counts.
#include "tests/sim/laws/laws.hpp"

namespace liftwarden::sim_test {
namespace {

class MomentLaw : public Law {
  public:
    using Law::Law;

    void writing(const core::WriteCommand& action,
                 const core::CommandRow& row,
                 const core::Reading& reading) override {
        const std::string seq = row.command.seq.str();
        const Known* known = facts_.find(action.elevator, seq);
        if (known == nullptr) {
            fail("law 3", action.elevator, seq + " written though nobody sent it");
        }
        if (facts_.now() > known->deadline) {
            fail("law 11", action.elevator, seq + " written after its TTL");
        }
        if (known->first_boot != facts_.boot) {
            fail("law 14", action.elevator, seq + " outlived a reboot");
        }
        if (!reading.observation || reading.observation->undecodable ||
            facts_.now() - reading.at > of(action.elevator).config->stale_after) {
            fail(
                "law 8", action.elevator, seq + " written on a reading that is too old or unclear");
        }
        if (!in_service(*reading.observation)) {
            fail("law 9", action.elevator, seq + " written while out of service");
        }
    }

    void acted(const core::Action& action) override {
        if (const auto* commit = std::get_if<core::Commit>(&action)) {
            for (const core::JournalWrite& write : commit->writes) {
                if (const auto* row = std::get_if<core::CommandRow>(&write)) {
                    check_decision(*row);
                }
            }
        } else if (const auto* beat = std::get_if<core::WriteHeartbeat>(&action)) {
            const ElevatorFacts& at = of(beat->elevator);
            if (at.contested()) {
                fail("law 1", beat->elevator, "a heartbeat against another gateway's");
            }
            if (at.fresh(facts_.now()) == nullptr) {
                fail("law 8", beat->elevator, "a heartbeat while the PLC cannot be read");
            }
        }
    }

  private:
    // A refusal by what was observed needs a fresh observation that says so.
    void check_decision(const core::CommandRow& row) const {
        const auto& id = row.command.elevator;
        const core::Observation* seen = of(id).fresh(facts_.now());
        const auto needs = [&](bool holds) {
            if (!holds) {
                fail("law 8",
                     id,
                     row.command.seq.str() + " refused " + core::to_string(row.reason) +
                         " without an observation that says so");
            }
        };
        switch (row.reason) {
            case core::Reason::out_of_service:
                needs(seen != nullptr &&
                      (!in_service(*seen) || (of(id).config->require_agv_mode &&
                                              seen->mode == core::ServiceMode::normal)));
                break;
            case core::Reason::elevator_fault:
                needs(seen != nullptr && seen->fault);
                break;
            case core::Reason::elevator_busy:
            case core::Reason::door_not_here:
                needs(seen != nullptr);
                break;
            case core::Reason::plc_offline:
                needs(seen == nullptr);
                break;
            default:
                break;
        }
    }
};

}  // namespace

std::unique_ptr<Law> make_moment_law(Facts& facts) {
    return std::make_unique<MomentLaw>(facts);
}

}  // namespace liftwarden::sim_test
