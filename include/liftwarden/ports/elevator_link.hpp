#pragma once

#include <liftwarden/core/action.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace liftwarden::ports {

struct UnitStatus {
    core::ElevatorId elevator;
    std::uint64_t reads = 0;  // completed
    std::uint64_t faults = 0;
    bool suspended = false;  // silent: polled only once per back-off period
    std::string last_fault;  // empty: none yet
};

struct BusStatus {
    core::BusId bus;
    bool connected = false;
    std::uint64_t links = 0;  // connections made
    std::uint64_t transactions = 0;
    std::uint64_t faults = 0;
    std::vector<UnitStatus> units;
};

// One bus with all its elevators, served by a worker thread of its own that also polls them. Calls
// only enqueue and never block; answers come as core events through the EventSink: GrantOpened or
// GrantClosed, WriteDone, Observed, ReadFailed. The order of service: the write of an open grant,
// grants, requested reads, heartbeats, polling; nothing of anybody else happens on the bus between
// GrantOpened and the grant's end, and a grant ends by itself when nobody comes back for it. Called
// by app's loop thread.
class ElevatorLink {
  public:
    virtual ~ElevatorLink() = default;
    virtual void request_grant(const core::RequestGrant& action) = 0;
    virtual void release_grant(const core::ReleaseGrant& action) = 0;
    virtual void write(const core::WriteCommand& action) = 0;
    virtual void read(const core::RequestRead& action) = 0;
    virtual void heartbeat(const core::WriteHeartbeat& action) = 0;
    virtual void reset(const core::ResetLink& action) = 0;
    [[nodiscard]] virtual BusStatus status() const = 0;
    // A number that grows while the worker makes progress; it stands still only if the thread
    // hangs.
    [[nodiscard]] virtual std::uint64_t heartbeats() const = 0;
};

}  // namespace liftwarden::ports
