#include "tests/sim/bus_model.hpp"

#include <utility>

namespace liftwarden::sim_test {

using core::WriteOutcome;
using namespace std::chrono_literals;

namespace {

constexpr core::Duration hold_max = 250ms;

}  // namespace

BusModel::BusModel(const core::ElevatorConfig& config,
                   PlcModel& plc,
                   Checker& checker,
                   Scheduler& scheduler,
                   Rng& rng,
                   Post post)
    : config_(&config),
      plc_(&plc),
      checker_(&checker),
      scheduler_(&scheduler),
      rng_(&rng),
      post_(std::move(post)) {
    poll(generation_);
}

void BusModel::set_cut(bool cut) {
    if (cut && !cut_) {
        ++link_;
    }
    cut_ = cut;
}

void BusModel::crashed() {
    ++generation_;
    ++link_;
    open_.reset();
    poll(generation_);
}

void BusModel::reset() {
    ++link_;
}

core::Reading BusModel::reading(core::ReadKind kind) const {
    core::Reading reading = plc_->read(kind);
    reading.link = link_;
    return reading;
}

void BusModel::deliver_read(core::ReadKind kind) {
    const std::uint64_t generation = generation_;
    if (cut_ || rng_->chance(manners_.read_lost)) {
        scheduler_->in(cut_ ? 1ms : 500ms, [this, generation] {
            if (generation == generation_) {
                post_(core::ReadFailed{config_->id, "no answer"});
            }
        });
        return;
    }
    const core::Reading taken = reading(kind);
    scheduler_->in(rng_->between(1ms, 20ms), [this, generation, taken] {
        if (generation == generation_) {
            post_(core::Observed{config_->id, taken});
        }
    });
}

void BusModel::poll(std::uint64_t generation) {
    scheduler_->in(config_->poll, [this, generation] {
        if (generation != generation_) {
            return;
        }
        if (!open_) {
            deliver_read(core::ReadKind::full);
        }
        poll(generation);
    });
}

void BusModel::read(core::ReadKind kind) {
    const std::uint64_t generation = generation_;
    scheduler_->in(rng_->between(0ms, 5ms), [this, generation, kind] {
        if (generation == generation_ && !open_) {
            deliver_read(kind);
        }
    });
}

void BusModel::request_grant(core::GrantId grant) {
    const std::uint64_t generation = generation_;
    scheduler_->in(rng_->between(1ms, 40ms), [this, generation, grant] {
        if (generation != generation_) {
            return;
        }
        if (cut_ || rng_->chance(manners_.grant_closed)) {
            post_(core::GrantClosed{config_->id, grant, "no answer"});
            return;
        }
        const core::Reading taken = reading(core::ReadKind::full);
        open_ = grant;
        checker_->granted(config_->id, grant, taken);
        scheduler_->in(hold_max, [this, generation, grant] {
            if (generation == generation_ && open_ == grant) {
                open_.reset();
                checker_->grant_over(config_->id);
                post_(core::GrantClosed{config_->id, grant, "held too long"});
            }
        });
        post_(core::GrantOpened{config_->id, grant, taken});
    });
}

void BusModel::release_grant(core::GrantId grant) {
    if (open_ == grant) {
        open_.reset();
        checker_->grant_over(config_->id);
    }
}

core::WriteOutcome BusModel::transfer(const core::WriteCommand& action) {
    const auto outcome = [](WriteOutcome::Kind kind, const char* detail) {
        return WriteOutcome{kind, std::nullopt, detail};
    };
    if (scheduler_->now() > action.not_after || rng_->chance(manners_.too_late)) {
        return outcome(WriteOutcome::Kind::not_written, "too late");
    }
    const std::string seq = checker_->written(action, *plc_);
    if (rng_->chance(manners_.exception)) {
        return outcome(WriteOutcome::Kind::refused, "exception 2");
    }
    if (rng_->chance(manners_.busy)) {
        checker_->written_nothing(config_->id);
        return outcome(WriteOutcome::Kind::busy, "exception 6");
    }
    if (cut_ || rng_->chance(manners_.write_lost)) {
        return outcome(WriteOutcome::Kind::unknown, "no confirmation");
    }
    if (rng_->chance(manners_.write_delayed)) {
        scheduler_->in(rng_->between(100ms, 3s),
                       [this, action, seq] { plc_->write(action.command, seq); });
        return outcome(WriteOutcome::Kind::unknown, "no confirmation");
    }
    plc_->write(action.command, seq);
    if (rng_->chance(manners_.reply_lost)) {
        return outcome(WriteOutcome::Kind::unknown, "no confirmation");
    }
    return outcome(WriteOutcome::Kind::confirmed, "");
}

void BusModel::write(const core::WriteCommand& action) {
    WriteOutcome outcome{WriteOutcome::Kind::not_written, std::nullopt, "the bus was given back"};
    if (open_ == action.grant) {
        outcome = transfer(action);
        open_.reset();
        checker_->grant_over(config_->id);
    }
    const std::uint64_t generation = generation_;
    const core::Duration takes = outcome.kind == WriteOutcome::Kind::unknown
                                     ? core::Duration{500ms}
                                     : rng_->between(1ms, 10ms);
    scheduler_->in(takes, [this, generation, action, outcome] {
        if (generation == generation_) {
            post_(core::WriteDone{config_->id, action.grant, outcome});
        }
    });
}

void BusModel::heartbeat(std::uint16_t value) {
    if (!cut_ && !rng_->chance(manners_.write_lost)) {
        plc_->write_heartbeat(value);
    }
}

}  // namespace liftwarden::sim_test
