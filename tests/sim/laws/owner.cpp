// Law 13: an owner comes by an acknowledgement and goes by a release or after its whole grace, in
// which the empty car stood without a break.
#include "tests/sim/laws/laws.hpp"

#include <algorithm>
#include <set>

namespace liftwarden::sim_test {
namespace {

using core::ActionKind;

class OwnerLaw : public Law {
  public:
    using Law::Law;

    void acted(const core::Action& action) override {
        if (const auto* commit = std::get_if<core::Commit>(&action)) {
            for (const core::JournalWrite& write : commit->writes) {
                if (const auto* row = std::get_if<core::CommandRow>(&write)) {
                    note(*row);
                }
            }
        } else if (const auto* session = std::get_if<core::PublishSession>(&action)) {
            judge(session->view);
        }
    }

    void turn_over() override {
        for (auto& [id, state] : states_) {
            if (!state.acked.empty() && !of(id).owner && state.released.empty()) {
                fail("law 13", id, "acknowledged, and nobody owns the elevator");
            }
            state.acked.clear();
            state.released.clear();
        }
    }

    // Ownership survives a crash as far as it was durable.
    void started(bool rebooted) override {
        for (auto& [id, at] : facts_.elevators) {
            State& state = states_[id];
            state.acked.clear();
            state.released.clear();
            state.last_call.reset();
            if (at.row && at.row->owner) {
                at.owner = at.row->owner->party;
                if (at.row->owner->last_call) {
                    state.last_call =
                        Call{"", at.row->owner->last_call->action, at.row->owner->last_call_served};
                }
            } else {
                at.owner.reset();
                at.unowned_since = facts_.now();
            }
            if (rebooted) {
                state.active.clear();
                if (at.owner) {
                    state.active[*at.owner] = facts_.now();
                }
            }
        }
    }

    void ledger_lost() override { states_.clear(); }

  private:
    struct Call {
        std::string seq;
        ActionKind action = ActionKind::hall_call;
        bool served = false;
    };
    struct State {
        std::map<core::Party, core::TimePoint> active;  // last sent, or ended
        std::optional<Call> last_call;                  // of the owner
        std::set<core::Party> acked;                    // in this turn
        std::set<core::Party> released;
    };

    void note(const core::CommandRow& row) {
        State& state = states_[row.command.elevator];
        const ActionKind action = row.command.content.action;
        const std::string seq = row.command.seq.str();
        if (row.status == core::Status::served || row.status == core::Status::not_served) {
            if (state.last_call && row.status == core::Status::served &&
                (state.last_call->seq == seq || state.last_call->seq.empty())) {
                state.last_call->served = true;
            }
            return;
        }
        state.active[row.party] = facts_.now();
        if (row.status != core::Status::acked) {
            return;
        }
        if (action == ActionKind::release) {
            state.released.insert(row.party);
        } else if (core::is_call(action) || core::is_door_command(action)) {
            state.acked.insert(row.party);
            const auto& owner = of(row.command.elevator).owner;
            if (!owner) {
                state.last_call.reset();
            }
            if ((!owner || *owner == row.party) && core::is_call(action)) {
                state.last_call = Call{seq, action, false};
            }
        }
    }

    void judge(const core::SessionView& view) {
        ElevatorFacts& at = of(view.elevator);
        State& state = states_[view.elevator];
        if (view.owner == at.owner) {
            return;
        }
        if (at.owner && !state.released.contains(*at.owner)) {
            judge_end(view.elevator, *at.owner, at, state);
        }
        if (view.owner && !state.acked.contains(*view.owner)) {
            fail("law 13",
                 view.elevator,
                 core::describe(*view.owner) + " owns it without an acknowledgement");
        }
    }

    void judge_end(const core::ElevatorId& id,
                   const core::Party& owner,
                   const ElevatorFacts& at,
                   const State& state) const {
        const std::string who = "the ownership of " + core::describe(owner) + " ended ";
        for (const auto& [key, known] : facts_.known) {
            if (key.first == id.str() && known.row && known.row->party == owner &&
                (known.row->status == core::Status::sent ||
                 known.row->status == core::Status::unknown)) {
                fail("law 13", id, who + "while " + key.second + " of it is in flight");
            }
        }
        const core::TimePoint now = facts_.now();
        const auto empty = [](const core::Observation& it) {
            return !it.occupied.value_or(false) && it.travel == core::Travel::stopped && !it.fault;
        };
        const bool short_grace =
            !state.last_call ||
            (state.last_call->action == ActionKind::car_call && state.last_call->served);
        const auto active = state.active.find(owner);
        const auto quiet_for = [&](core::Duration grace) {
            return active == state.active.end() || now - active->second >= grace;
        };
        const core::Duration short_one = at.config->owner_grace;
        const core::Duration long_one = at.config->boarding_grace;
        const bool after_short = short_grace && quiet_for(short_one) &&
                                 at.all_since(now - short_one, now, [&](const auto& it) {
                                     return empty(it) && phase_of(it) == core::Phase::idle;
                                 });
        const bool after_long = quiet_for(long_one) && at.all_since(now - long_one, now, empty);
        if (!after_short && !after_long) {
            const auto* seen = at.fresh(now);
            const bool occupied = seen != nullptr && seen->occupied.value_or(false);
            fail("law 13", id, who + (occupied ? "while the car is occupied" : "before its grace"));
        }
    }

    std::map<core::ElevatorId, State> states_;
};

}  // namespace

std::unique_ptr<Law> make_owner_law(Facts& facts) {
    return std::make_unique<OwnerLaw>(facts);
}

}  // namespace liftwarden::sim_test
