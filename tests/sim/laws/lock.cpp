// Laws 5 and 6: in `lock` mode nothing is written without a fresh verification of this very claim,
// and no older holder after a newer one.
#include "tests/sim/laws/laws.hpp"

#include <algorithm>
#include <optional>

namespace liftwarden::sim_test {
namespace {

using core::ArbitrationMode;
using namespace std::chrono_literals;

class LockLaw : public Law {
  public:
    using Law::Law;

    void acted(const core::Action& action) override {
        if (const auto* question = std::get_if<core::CheckLock>(&action)) {
            At& at = at_[question->elevator];
            at.asked = *question;
            at.answer.reset();
        } else if (const auto* commit = std::get_if<core::Commit>(&action)) {
            for (const core::JournalWrite& write : commit->writes) {
                if (const auto* row = std::get_if<core::ElevatorRow>(&write)) {
                    At& at = at_[row->elevator];
                    if (row->mode != at.mode) {
                        at.mode_before = at.mode;
                        at.mode = row->mode;
                        at.mode_since = facts_.now();
                    }
                }
            }
        }
    }

    void posted(const core::Event& event) override {
        if (const auto* checked = std::get_if<core::LockChecked>(&event)) {
            At& at = at_[checked->elevator];
            if (!at.asked || at.asked->grant != checked->grant || !checked->reading) {
                return;
            }
            note(at, *checked->reading);
        } else if (const auto* probed = std::get_if<core::LockProbed>(&event)) {
            if (!probed->instance.empty() && probed->instance != instance_) {
                for (auto& [id, at] : at_) {
                    lose(at);
                }
                instance_ = probed->instance;
            }
        } else if (const auto* reset = std::get_if<core::ResetRequested>(&event)) {
            at_[reset->elevator].losses += reset->fence ? 1 : 0;
        }
    }

    void writing(const core::WriteCommand& action,
                 const core::CommandRow& row,
                 const core::Reading&) override {
        if (!facts_.config->lock || facts_.config->lock->verify != core::VerifyPolicy::required) {
            return;
        }
        At& at = at_[action.elevator];
        const ElevatorFacts& facts = of(action.elevator);
        const bool changed = facts.grant && at.mode_since > facts.grant->opened;
        const std::string seq = row.command.seq.str();
        if (verified(at, action, row)) {
            check_order(at, action.elevator, row);
            return;
        }
        const auto allows = [&](ArbitrationMode mode) {
            switch (mode) {
                case ArbitrationMode::lock:
                    return false;
                case ArbitrationMode::suspect:
                    return equals_last(at, row, *facts.config);
                case ArbitrationMode::handback:
                    return facts.owner == row.party;
                default:
                    return true;
            }
        };
        if (!allows(at.mode) && !(changed && allows(at.mode_before))) {
            fail("law 5",
                 action.elevator,
                 seq + " written in mode " + core::to_string(at.mode) + " without a verified lock");
        }
    }

    void ledger_lost() override { at_.clear(); }

    void started(bool rebooted) override {
        for (auto& [id, at] : at_) {
            at.asked.reset();
            at.answer.reset();
            at.last.reset();  // a start trusts nothing of before
            const auto& row = of(id).row;
            at.mode = row ? row->mode : ArbitrationMode::standalone;
            at.losses += rebooted ? 1 : 0;
            // No more can be known than what was saved.
            core::TimePoint known = facts_.now();
            if (facts_.config->lock) {
                known += facts_.config->lock->max_lease;
            }
            if (row && !rebooted) {
                known = std::max(known, row->fence.lease_over_at);
            }
            at.lease_over = std::min(at.lease_over, known);
            at.alone_until = std::min(at.alone_until, known);
        }
    }

  private:
    struct Verified {
        core::LockClaim claim;
        core::LockReading reading;
    };
    struct At {
        std::optional<core::CheckLock> asked;
        std::optional<core::LockReading> answer;
        std::optional<Verified> last;  // good one
        ArbitrationMode mode = ArbitrationMode::standalone;
        ArbitrationMode mode_before = ArbitrationMode::standalone;
        core::TimePoint mode_since{};
        core::TimePoint lease_over{};
        std::string holder;  // last one verified and admitted
        core::TimePoint alone_until{};
        std::uint64_t generation = 0;
        std::int64_t token = 0;
        std::int64_t counted = 0;  // the same, until a loss
        int losses = 0;
        int losses_at_write = 0;
    };

    void lose(At& at) {
        ++at.losses;
        at.counted = 0;
        at.alone_until = std::max(at.alone_until, at.lease_over);
    }

    void note(At& at, const core::LockReading& reading) {
        at.answer = reading;
        const bool fenced = facts_.config->lock->scheme == core::LockScheme::redisson_fenced;
        // A counter that went back or away is a loss, if a matching claim let it be judged.
        if (fenced && reading.claim_matches && reading.lease && at.counted != 0 &&
            (!reading.counter || *reading.counter < at.counted)) {
            lose(at);
        }
        if (reading.kind != core::LockReading::Kind::none) {
            const core::Duration lease = reading.lease.value_or(facts_.config->lock->max_lease);
            at.lease_over = std::max(at.lease_over, reading.answered_at + lease);
        }
        const core::LockClaim& claim = at.asked->claim;
        if (good(reading, claim)) {
            at.last = Verified{claim, reading};
            const core::Duration surely = *reading.lease - *reading.lease / 100 - 2ms;
            const auto needed = of(at.asked->elevator).config->ack_timeout + 200ms;
            const bool admitted = claim.owner == at.holder || facts_.now() >= at.alone_until;
            if (admitted && reading.sent_at + surely - facts_.now() >= needed) {
                at.holder = claim.owner;
            }
        }
    }

    [[nodiscard]] bool good(const core::LockReading& reading, const core::LockClaim& claim) const {
        const bool fenced = facts_.config->lock->scheme == core::LockScheme::redisson_fenced;
        return reading.claim_matches && reading.lease &&
               (!fenced || (claim.token && reading.counter == claim.token));
    }

    [[nodiscard]] bool lasts(const core::LockReading& reading,
                             const core::ElevatorConfig& config) const {
        return reading.sent_at + *reading.lease - facts_.now() >= config.ack_timeout;
    }

    bool verified(const At& at, const core::WriteCommand& action, const core::CommandRow& row) {
        return at.asked && at.asked->grant == action.grant && at.answer && row.command.lock &&
               at.asked->claim == *row.command.lock && good(*at.answer, *row.command.lock) &&
               facts_.now() - at.answer->sent_at <= facts_.config->lock->freshness &&
               lasts(*at.answer, *of(action.elevator).config);
    }

    bool equals_last(const At& at,
                     const core::CommandRow& row,
                     const core::ElevatorConfig& config) const {
        return at.last && row.command.lock && at.last->claim == *row.command.lock &&
               lasts(at.last->reading, config);
    }

    void check_order(At& at, const core::ElevatorId& id, const core::CommandRow& row) {
        const core::LockClaim& claim = *row.command.lock;
        const std::string seq = row.command.seq.str();
        if (facts_.now() < at.alone_until && claim.owner != at.holder && !at.holder.empty()) {
            fail("law 6", id, seq + " of a new holder while the old lease may last after a loss");
        }
        const core::Fence fence = of(id).row ? of(id).row->fence : core::Fence{};
        if (fence.generation < at.generation ||
            (fence.generation == at.generation && fence.token < at.token)) {
            fail("law 6", id, seq + " written under an older fence");
        }
        if (at.generation != 0 && fence.generation > at.generation &&
            at.losses == at.losses_at_write) {
            fail("law 6", id, "a new generation without a loss");
        }
        at.generation = fence.generation;
        at.token = fence.token;
        at.counted = fence.token;
        at.losses_at_write = at.losses;
    }

    std::map<core::ElevatorId, At> at_;
    std::string instance_;
};

}  // namespace

std::unique_ptr<Law> make_lock_law(Facts& facts) {
    return std::make_unique<LockLaw>(facts);
}

}  // namespace liftwarden::sim_test
