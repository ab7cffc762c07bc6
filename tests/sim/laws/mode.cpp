// The arbitration modes: each arrow only when it is due, and a new epoch with each.
#include "tests/sim/laws/laws.hpp"

#include <algorithm>
#include <optional>

namespace liftwarden::sim_test {
namespace {

using core::ArbitrationMode;
using namespace std::chrono_literals;

class ModeLaw : public Law {
  public:
    using Law::Law;

    void posted(const core::Event& event) override {
        if (const auto* probed = std::get_if<core::LockProbed>(&event)) {
            note(*probed);
        } else if (const auto* checked = std::get_if<core::LockChecked>(&event)) {
            if (checked->reading && checked->reading->lease) {
                At& at = at_[checked->elevator];
                at.lease_over = std::max(at.lease_over,
                                         checked->reading->answered_at + *checked->reading->lease);
            }
        }
    }

    void acted(const core::Action& action) override {
        const auto* commit = std::get_if<core::Commit>(&action);
        if (commit == nullptr) {
            return;
        }
        for (const core::JournalWrite& write : commit->writes) {
            if (const auto* row = std::get_if<core::ElevatorRow>(&write)) {
                check(*row);
            }
        }
    }

    void started(bool) override {
        failures_ = 0;
        successes_ = 0;
        failed_since_.reset();
        usable_since_.reset();
        instance_.clear();
        for (auto& [id, at] : at_) {
            const auto& row = of(id).row;
            at.mode = row ? row->mode : ArbitrationMode::standalone;
            at.epoch = row ? row->epoch : 0;
            at.just_started = true;
            at.took_over = at.mode == ArbitrationMode::edge || at.mode == ArbitrationMode::handback;
            at.lease_over = facts_.now() + (facts_.config->lock ? facts_.config->lock->max_lease
                                                                : core::Duration{});
        }
    }

    void ledger_lost() override { at_.clear(); }

  private:
    struct At {
        ArbitrationMode mode = ArbitrationMode::standalone;
        std::uint64_t epoch = 0;
        bool just_started = true;
        bool took_over = false;  // before the last start
        core::TimePoint lease_over{};
    };

    void note(const core::LockProbed& probed) {
        switch (probed.health) {
            case core::Health::usable:
                failures_ = 0;
                successes_ = probed.instance == instance_ ? successes_ + 1 : 1;
                usable_since_ =
                    successes_ == 1 ? probed.started_at : usable_since_.value_or(probed.started_at);
                instance_ = probed.instance;
                if (successes_ >= 3) {
                    failed_since_.reset();
                }
                break;
            case core::Health::outage:
                successes_ = 0;
                ++failures_;
                failed_since_ = failed_since_.value_or(probed.started_at);
                break;
            case core::Health::misconfigured:
                successes_ = 0;
                failures_ = 0;
                break;
        }
    }

    void check(const core::ElevatorRow& row) {
        At& at = at_[row.elevator];
        if (row.mode == at.mode && row.epoch == at.epoch) {
            return;
        }
        if (row.mode == at.mode && !at.just_started) {
            fail("modes", row.elevator, "a new epoch without a change of mode");
        }
        if (row.epoch <= at.epoch) {
            fail("modes", row.elevator, "a change of mode without a new epoch");
        }
        if (row.mode != at.mode && !due(at, row)) {
            fail("modes",
                 row.elevator,
                 std::string(core::to_string(at.mode)) + " -> " + core::to_string(row.mode) +
                     " before it is due");
        }
        at.mode = row.mode;
        at.epoch = row.epoch;
        at.just_started = false;
    }

    [[nodiscard]] bool due(const At& at, const core::ElevatorRow& row) const {
        const core::TimePoint now = facts_.now();
        switch (row.mode) {
            case ArbitrationMode::standalone:
                return at.just_started;
            case ArbitrationMode::suspect:
                return at.just_started || (at.mode == ArbitrationMode::lock && failures_ >= 3);
            case ArbitrationMode::lock:
                return at.mode == ArbitrationMode::suspect
                           ? successes_ >= 3
                           : at.mode == ArbitrationMode::handback && drained(row);
            case ArbitrationMode::edge:
                if (at.mode == ArbitrationMode::handback) {
                    return failures_ >= 3;
                }
                return (at.took_over && failures_ >= 3) ||
                       (failures_ >= 1 && failed_since_ &&
                        now - *failed_since_ >= facts_.config->lock->takeover_after &&
                        now >= at.lease_over);
            case ArbitrationMode::handback:
                return successes_ >= 10 && usable_since_ && now - *usable_since_ >= 10s;
        }
        return false;
    }

    [[nodiscard]] bool drained(const core::ElevatorRow& row) const {
        const auto& attempts = of(row.elevator).attempts;
        const bool open = std::any_of(attempts.begin(), attempts.end(), [](const Attempt& it) {
            return it.open || it.unknown;
        });
        return row.lock_out != core::LockOut::none || (!row.owner && !open);
    }

    std::map<core::ElevatorId, At> at_;
    int failures_ = 0;
    int successes_ = 0;
    std::optional<core::TimePoint> failed_since_;
    std::optional<core::TimePoint> usable_since_;
    std::string instance_;
};

}  // namespace

std::unique_ptr<Law> make_mode_law(Facts& facts) {
    return std::make_unique<ModeLaw>(facts);
}

}  // namespace liftwarden::sim_test
