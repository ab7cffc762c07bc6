#pragma once

#include "drivers/modbus/counted_bus.hpp"
#include "drivers/modbus/schedule.hpp"

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/elevator_driver.hpp>
#include <liftwarden/ports/elevator_link.hpp>
#include <liftwarden/ports/event_sink.hpp>
#include <liftwarden/ports/register_bus.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::modbus {

// One elevator on a bus.
struct BusUnit {
    core::ElevatorId elevator;
    std::unique_ptr<ports::ElevatorDriver> driver;
    core::Duration poll = std::chrono::milliseconds{200};
};

// How long a grant stays open for its write: the two waits the core allows itself, for the lock and
// for the journal, and some time to come and go.
inline constexpr core::Duration grant_hold_max =
    2 * core::bus_wait_max + std::chrono::milliseconds{50};

// The thread that owns a bus and serves its elevators, in the order that Schedule decides. Answers
// go to `sink`: a grant that could not be opened gives ReadFailed, if a transaction failed, and
// GrantClosed; a grant nobody came back for gives GrantClosed; one that was released gives nothing;
// every write gives exactly one WriteDone. A write is made only on the connection on which its
// grant was read, and not after `not_after`. The public calls may come from any one thread.
class BusWorker final : public ports::ElevatorLink {
  public:
    // Starts the thread. `sink` and `clock` must outlive the worker.
    BusWorker(core::BusId id,
              std::unique_ptr<ports::RegisterBus> bus,
              std::vector<BusUnit> units,
              ports::EventSink& sink,
              const ports::Clock& clock);
    // Ends the transaction in progress, whose outcome is then unknown, and joins the thread.
    ~BusWorker() override;

    void request_grant(const core::RequestGrant& action) override;
    void release_grant(const core::ReleaseGrant& action) override;
    void write(const core::WriteCommand& action) override;
    void read(const core::RequestRead& action) override;
    void heartbeat(const core::WriteHeartbeat& action) override;
    void reset(const core::ResetLink& action) override;
    [[nodiscard]] ports::BusStatus status() const override;
    [[nodiscard]] std::uint64_t heartbeats() const override { return progress_.load(); }

  private:
    struct OpenGrant {
        std::size_t unit = 0;
        core::GrantId id;
        std::optional<core::WriteCommand> write;
        bool released = false;
    };
    enum class HoldEnd { write, released, taken_back, stopping };

    void run();
    // The next job, waiting for one; nullopt: the worker is to end.
    std::optional<Job> wait_for_job();
    void serve(const Job& job);
    void serve_grant(const Job& job);
    void serve_read(const Job& job);
    void serve_heartbeat(const Job& job);
    void reject(const Job& job);
    HoldEnd hold(OpenGrant& grant);
    void write_in_grant(const OpenGrant& grant, std::uint64_t link);
    // Reads, does the book-keeping and says ReadFailed if it failed.
    std::optional<core::Reading> read_unit(std::size_t unit, core::ReadKind kind);
    void note_fault(std::size_t unit, const ports::BusFault& fault, core::TimePoint started);
    std::size_t index_of(const core::ElevatorId& elevator) const;
    const core::ElevatorId& elevator(std::size_t unit) const { return units_[unit].elevator; }

    const core::BusId id_;
    CountedBus bus_;
    const std::vector<BusUnit> units_;
    ports::EventSink& sink_;
    const ports::Clock& clock_;

    mutable std::mutex mutex_;  // everything down to `stopping_`
    std::condition_variable wake_;
    Schedule schedule_;
    std::optional<OpenGrant> open_;
    std::vector<ports::UnitStatus> unit_status_;
    bool connected_ = false;
    bool reset_ = false;
    bool stopping_ = false;

    std::atomic<std::uint64_t> progress_{0};
    std::thread thread_;
};

}  // namespace liftwarden::modbus
