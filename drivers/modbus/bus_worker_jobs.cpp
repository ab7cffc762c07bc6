// What the thread of a bus does: one job after the other, and the book-keeping of how they went.
#include "drivers/modbus/bus_worker.hpp"
#include "drivers/modbus/frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace liftwarden::modbus {
namespace {

// A bus without anything to do still shows that its thread lives.
constexpr core::Duration idle_most = std::chrono::seconds{1};

std::string describe(const ports::BusFault& fault) {
    return fmt::format("{}: {}", to_string(fault.kind), fault.detail);
}

// The unit answered, if only with a no.
bool is_answer(const ports::BusFault& fault) {
    return fault.kind == ports::BusFault::Kind::exception && !is_unit_unreachable(fault.exception);
}

core::WriteOutcome not_written(std::string why) {
    return {core::WriteOutcome::Kind::not_written, std::nullopt, std::move(why)};
}

}  // namespace

void BusWorker::run() {
    while (const auto job = wait_for_job()) {
        serve(*job);
    }
}

std::optional<Job> BusWorker::wait_for_job() {
    std::unique_lock lock(mutex_);
    for (;;) {
        ++progress_;
        if (stopping_) {
            return std::nullopt;
        }
        if (std::exchange(reset_, false)) {
            bus_.abort();
        }
        const core::TimePoint now = clock_.now();
        if (auto job = schedule_.next(now)) {
            return job;
        }
        const auto wake_at = schedule_.wake_at();
        const core::Duration idle = wake_at ? std::min(*wake_at - now, idle_most) : idle_most;
        wake_.wait_for(lock, idle);
    }
}

void BusWorker::serve(const Job& job) {
    switch (job.kind) {
        case Job::Kind::grant:
            return serve_grant(job);
        case Job::Kind::read:
        case Job::Kind::poll:
            return serve_read(job);
        case Job::Kind::heartbeat:
            return serve_heartbeat(job);
        case Job::Kind::reject_grant:
        case Job::Kind::reject_read:
            return reject(job);
    }
}

void BusWorker::serve_grant(const Job& job) {
    const auto reading = read_unit(job.unit, core::ReadKind::full);
    if (!reading) {
        sink_.post(core::GrantClosed{elevator(job.unit), job.grant, "the unit could not be read"});
        return;
    }
    OpenGrant grant{job.unit, job.grant, std::nullopt, false};
    {
        const std::lock_guard lock(mutex_);
        open_ = grant;
    }
    sink_.post(core::GrantOpened{elevator(job.unit), job.grant, *reading});
    switch (hold(grant)) {
        case HoldEnd::write:
            return write_in_grant(grant, reading->link);
        case HoldEnd::taken_back:
            sink_.post(core::GrantClosed{elevator(job.unit), job.grant, "the bus was taken back"});
            return;
        case HoldEnd::released:
        case HoldEnd::stopping:
            return;
    }
}

BusWorker::HoldEnd BusWorker::hold(OpenGrant& grant) {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, grant_hold_max, [this] {
        return open_->write || open_->released || reset_ || stopping_;
    });
    ++progress_;
    // Whatever comes for this grant from now on finds it closed.
    grant = *std::exchange(open_, std::nullopt);
    if (stopping_) {
        return HoldEnd::stopping;
    }
    if (grant.released) {
        return HoldEnd::released;
    }
    return grant.write && !reset_ ? HoldEnd::write : HoldEnd::taken_back;
}

void BusWorker::write_in_grant(const OpenGrant& grant, std::uint64_t link) {
    core::WriteOutcome outcome;
    bus_.settle();
    if (clock_.now() > grant.write->not_after) {
        outcome = not_written("too late: the time limit of the write had passed");
    } else if (bus_.link() != link) {
        outcome = not_written("the connection was lost after the reading");
    } else {
        outcome = units_[grant.unit].driver->write(bus_, grant.write->command);
    }
    sink_.post(core::WriteDone{elevator(grant.unit), grant.id, std::move(outcome)});
}

void BusWorker::serve_read(const Job& job) {
    if (auto reading = read_unit(job.unit, job.read)) {
        sink_.post(core::Observed{elevator(job.unit), std::move(*reading)});
    }
}

void BusWorker::serve_heartbeat(const Job& job) {
    using Kind = core::WriteOutcome::Kind;
    const core::TimePoint started = clock_.now();
    const core::WriteOutcome outcome = units_[job.unit].driver->heartbeat(bus_, job.heartbeat);
    const bool silent = outcome.kind == Kind::unknown &&
                        (!outcome.exception.has_value() || is_unit_unreachable(*outcome.exception));
    if (silent) {
        note_fault(
            job.unit, {ports::BusFault::Kind::silent, 0, "heartbeat: " + outcome.detail}, started);
    }
}

void BusWorker::reject(const Job& job) {
    std::string why;
    {
        const std::lock_guard lock(mutex_);
        why = "suspended after " + unit_status_[job.unit].last_fault;
    }
    if (job.kind == Job::Kind::reject_grant) {
        sink_.post(core::GrantClosed{elevator(job.unit), job.grant, std::move(why)});
    } else {
        sink_.post(core::ReadFailed{elevator(job.unit), std::move(why)});
    }
}

std::optional<core::Reading> BusWorker::read_unit(std::size_t unit, core::ReadKind kind) {
    const core::TimePoint started = clock_.now();
    auto reading = units_[unit].driver->read(bus_, kind, clock_);
    if (!reading) {
        note_fault(unit, reading.error(), started);
        sink_.post(core::ReadFailed{elevator(unit), describe(reading.error())});
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    connected_ = true;
    ++unit_status_[unit].reads;
    schedule_.completed(
        unit,
        kind == core::ReadKind::full ? Schedule::Outcome::fresh : Schedule::Outcome::answered,
        started,
        clock_.now());
    return std::move(*reading);
}

void BusWorker::note_fault(std::size_t unit,
                           const ports::BusFault& fault,
                           core::TimePoint started) {
    using Kind = ports::BusFault::Kind;
    const std::lock_guard lock(mutex_);
    ++unit_status_[unit].faults;
    unit_status_[unit].last_fault = describe(fault);
    connected_ = fault.kind == Kind::exception ||
                 (connected_ && fault.kind != Kind::not_connected && fault.kind != Kind::broken);
    schedule_.completed(unit,
                        is_answer(fault) ? Schedule::Outcome::refused : Schedule::Outcome::silent,
                        started,
                        clock_.now());
}

}  // namespace liftwarden::modbus
