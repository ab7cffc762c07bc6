#include "tests/sim/bus_model.hpp"

#include <utility>

namespace liftwarden::sim_test {

using core::WriteOutcome;
using namespace std::chrono_literals;

namespace {

constexpr core::Duration hold_max = 250ms;       // the bus takes itself back
constexpr core::Duration response_time = 500ms;  // then a transaction counts as unanswered

WriteOutcome outcome(WriteOutcome::Kind kind, const char* detail) {
    return WriteOutcome{kind, std::nullopt, detail};
}

}  // namespace

BusModel::BusModel(const core::ElevatorConfig& config,
                   PlcModel& plc,
                   Checker& checker,
                   Scheduler& scheduler,
                   Jitter jitter,
                   Post post,
                   Reached reached)
    : config_(&config),
      plc_(&plc),
      checker_(&checker),
      scheduler_(&scheduler),
      jitter_(jitter),
      post_(std::move(post)),
      reached_(std::move(reached)) {}

void BusModel::set_cut(bool cut) {
    link_ += cut && !cut_ ? 1U : 0U;
    cut_ = cut;
}

void BusModel::fail_next_write(WriteFault fault, core::Duration delay) {
    write_faults_.push_back({fault, delay});
}

void BusModel::end_faults() {
    write_faults_.clear();
    reads_to_lose_ = 0;
    close_next_grant_ = false;
    slow_ = {};
    cut_ = false;
}

void BusModel::crashed() {
    ++generation_;
    ++link_;
    open_.reset();
    jobs_.clear();
    busy_ = false;
}

void BusModel::started() {
    poll();
}

void BusModel::reset() {
    ++link_;
}

core::Duration BusModel::takes() const {
    return jitter_.between(scheduler_->now(), 1ms, 15ms) + slow_;
}

void BusModel::poll() {
    in_process(config_->poll, [this] {
        if (jobs_.empty()) {
            add({Job::What::read, core::ReadKind::full, {}, 0});
        }
        poll();
    });
}

void BusModel::read(core::ReadKind kind) {
    add({Job::What::read, kind, {}, 0});
}

void BusModel::request_grant(core::GrantId grant) {
    add({Job::What::grant, core::ReadKind::full, grant, 0});
}

void BusModel::heartbeat(std::uint16_t value) {
    add({Job::What::heartbeat, core::ReadKind::full, {}, value});
}

void BusModel::add(const Job& job) {
    jobs_.push_back(job);
    work();
}

// The worker takes the next job a moment later, as a thread does.
void BusModel::work() {
    if (busy_ || jobs_.empty()) {
        return;
    }
    busy_ = true;
    in_process(100us, [this] {
        const Job job = jobs_.front();
        jobs_.pop_front();
        switch (job.what) {
            case Job::What::read:
                do_read(job.kind);
                break;
            case Job::What::grant:
                do_grant(job.grant);
                break;
            case Job::What::heartbeat:
                if (!cut_) {
                    plc_->write_heartbeat(job.value);
                }
                in_process(takes(), [this] { finish(); });
                break;
        }
    });
}

void BusModel::finish() {
    busy_ = false;
    work();
}

void BusModel::do_read(core::ReadKind kind) {
    if (cut_ || reads_to_lose_ > 0) {
        reads_to_lose_ -= reads_to_lose_ > 0 ? 1U : 0U;
        in_process(cut_ ? core::Duration{5ms} : response_time, [this] {
            finish();
            post_(core::ReadFailed{config_->id, "no answer"});
        });
        return;
    }
    core::Reading taken = plc_->read(kind);
    taken.link = link_;
    in_process(takes(), [this, taken] {
        finish();
        post_(core::Observed{config_->id, taken});
    });
}

void BusModel::do_grant(core::GrantId grant) {
    if (cut_ || std::exchange(close_next_grant_, false)) {
        in_process(5ms, [this, grant] {
            finish();
            post_(core::GrantClosed{config_->id, grant, "no answer"});
        });
        return;
    }
    core::Reading taken = plc_->read(core::ReadKind::full);
    taken.link = link_;
    in_process(takes(), [this, grant, taken] {
        open_ = grant;
        checker_->granted(config_->id, grant, taken);
        in_process(hold_max, [this, grant] {
            if (open_ == grant) {
                close_grant(grant, "held too long");
            }
        });
        post_(core::GrantOpened{config_->id, grant, taken});
    });
}

void BusModel::close_grant(core::GrantId grant, const char* why) {
    open_.reset();
    checker_->grant_over(config_->id);
    finish();
    post_(core::GrantClosed{config_->id, grant, why});
}

void BusModel::release_grant(core::GrantId grant) {
    if (open_ == grant) {
        open_.reset();
        checker_->grant_over(config_->id);
        finish();
    }
}

void BusModel::write(const core::WriteCommand& action) {
    if (reached_(Stage::write_ordered)) {
        return;
    }
    // The order reaches the worker a moment later; meanwhile the process may have stood still.
    in_process(jitter_.between(scheduler_->now(), 0ms, 3ms), [this, action] { do_write(action); });
}

void BusModel::do_write(const core::WriteCommand& action) {
    WriteOutcome result = outcome(WriteOutcome::Kind::not_written, "the bus was given back");
    if (open_ == action.grant) {
        result = transfer(action);
        open_.reset();
        checker_->grant_over(config_->id);
        if (reached_(Stage::written)) {
            return;
        }
        in_process(result.kind == WriteOutcome::Kind::unknown ? response_time : takes(),
                   [this, action, result] {
                       finish();
                       post_(core::WriteDone{config_->id, action.grant, result});
                   });
        return;
    }
    post_(core::WriteDone{config_->id, action.grant, result});
}

WriteOutcome BusModel::transfer(const core::WriteCommand& action) {
    if (scheduler_->now() > action.not_after) {
        return outcome(WriteOutcome::Kind::not_written, "too late");
    }
    std::optional<PlannedFault> planned;
    if (!write_faults_.empty()) {
        planned = write_faults_.front();
        write_faults_.pop_front();
    }
    if (planned && planned->fault == WriteFault::too_late) {
        return outcome(WriteOutcome::Kind::not_written, "too late");
    }
    const std::string seq = checker_->transferred(action);
    if (planned && planned->fault == WriteFault::refused) {
        return outcome(WriteOutcome::Kind::refused, "exception 2");
    }
    if (planned && planned->fault == WriteFault::busy) {
        return outcome(WriteOutcome::Kind::busy, "exception 6");
    }
    if (cut_ || (planned && planned->fault == WriteFault::lost)) {
        return outcome(WriteOutcome::Kind::unknown, "no confirmation");
    }
    if (planned && planned->fault == WriteFault::late) {
        scheduler_->in(planned->delay,
                       [this, command = action.command, seq, power_ups = plc_->power_ups()] {
                           if (power_ups == plc_->power_ups()) {
                               plc_->write(command, seq);
                           }
                       });
        return outcome(WriteOutcome::Kind::unknown, "no confirmation");
    }
    plc_->write(action.command, seq);
    return planned && planned->fault == WriteFault::reply_lost
               ? outcome(WriteOutcome::Kind::unknown, "no confirmation")
               : outcome(WriteOutcome::Kind::confirmed, "");
}

}  // namespace liftwarden::sim_test
