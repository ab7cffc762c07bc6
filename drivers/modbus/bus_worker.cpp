#include "drivers/modbus/bus_worker.hpp"

#include <liftwarden/core/assert.hpp>

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace liftwarden::modbus {
namespace {

std::vector<core::Duration> polls(const std::vector<BusUnit>& units) {
    std::vector<core::Duration> result;
    for (const BusUnit& unit : units) {
        result.push_back(unit.poll);
    }
    return result;
}

}  // namespace

BusWorker::BusWorker(core::BusId id,
                     std::unique_ptr<ports::RegisterBus> bus,
                     std::vector<BusUnit> units,
                     ports::EventSink& sink,
                     const ports::Clock& clock)
    : id_(std::move(id)),
      bus_(std::move(bus)),
      units_(std::move(units)),
      sink_(sink),
      clock_(clock),
      schedule_(polls(units_), clock.now()) {
    for (const BusUnit& unit : units_) {
        unit_status_.push_back({unit.elevator, 0, 0, false, {}});
    }
    // The thread inherits the mask: signals are for others.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_setname_np(thread_.native_handle(), ("bus-" + id_.str()).substr(0, 15).c_str());
}

BusWorker::~BusWorker() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    bus_.stop();
    thread_.join();
}

void BusWorker::request_grant(const core::RequestGrant& action) {
    std::optional<core::GrantId> pushed_out;
    {
        const std::lock_guard lock(mutex_);
        pushed_out = schedule_.request_grant(index_of(action.elevator), action.grant);
    }
    wake_.notify_all();
    if (pushed_out && *pushed_out != action.grant) {
        sink_.post(core::GrantClosed{action.elevator, *pushed_out, "another grant was requested"});
    }
}

void BusWorker::release_grant(const core::ReleaseGrant& action) {
    {
        const std::lock_guard lock(mutex_);
        if (open_ && open_->id == action.grant) {
            open_->released = true;
        } else {
            schedule_.withdraw_grant(index_of(action.elevator), action.grant);
        }
    }
    wake_.notify_all();
}

void BusWorker::write(const core::WriteCommand& action) {
    bool taken = false;
    {
        const std::lock_guard lock(mutex_);
        taken = open_ && open_->id == action.grant && !open_->write && !open_->released &&
                elevator(open_->unit) == action.elevator;
        if (taken) {
            open_->write = action;
        }
    }
    wake_.notify_all();
    if (!taken) {
        sink_.post(core::WriteDone{
            action.elevator,
            action.grant,
            {core::WriteOutcome::Kind::not_written, std::nullopt, "the bus had been given back"}});
    }
}

void BusWorker::read(const core::RequestRead& action) {
    {
        const std::lock_guard lock(mutex_);
        schedule_.request_read(index_of(action.elevator), action.kind);
    }
    wake_.notify_all();
}

void BusWorker::heartbeat(const core::WriteHeartbeat& action) {
    {
        const std::lock_guard lock(mutex_);
        schedule_.request_heartbeat(index_of(action.elevator), action.value);
    }
    wake_.notify_all();
}

void BusWorker::reset(const core::ResetLink&) {
    {
        const std::lock_guard lock(mutex_);
        reset_ = true;
    }
    wake_.notify_all();
}

ports::BusStatus BusWorker::status() const {
    const core::TimePoint now = clock_.now();
    const std::lock_guard lock(mutex_);
    ports::BusStatus status{
        id_, connected_, bus_.links(), bus_.transactions(), bus_.faults(), unit_status_};
    for (std::size_t i = 0; i < status.units.size(); ++i) {
        status.units[i].suspended = schedule_.suspended(i, now);
    }
    return status;
}

std::size_t BusWorker::index_of(const core::ElevatorId& elevator) const {
    const auto found = std::find_if(units_.begin(), units_.end(), [&elevator](const BusUnit& unit) {
        return unit.elevator == elevator;
    });
    LIFTWARDEN_ASSERT(found != units_.end());
    return static_cast<std::size_t>(found - units_.begin());
}

}  // namespace liftwarden::modbus
