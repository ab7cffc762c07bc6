// Carries out what the core asks for.
#pragma once

#include "src/app/deliveries.hpp"
#include "src/app/publisher.hpp"
#include "src/wire/topics.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/elevator_link.hpp>
#include <liftwarden/ports/journal.hpp>
#include <liftwarden/ports/lock_service.hpp>

#include <functional>
#include <map>
#include <string>

namespace liftwarden::app {

// One small function for each kind of action; none of them blocks or decides anything. Loop thread.
class Executor {
  public:
    struct Parts {
        ports::Journal& journal;
        Publisher& publisher;
        Deliveries& deliveries;
        const wire::Topics& topics;
        const ports::Clock& clock;
        // Which bus an elevator hangs on; each is there before the first action.
        const std::map<core::ElevatorId, ports::ElevatorLink*>& links;
        ports::LockService* locks;  // nullptr: none is configured
        std::function<void(const core::ControlReply&)> reply;
    };
    explicit Executor(Parts parts) : parts_(std::move(parts)) {}

    // In their order.
    void run(const core::Actions& actions);

  private:
    void carry_out(const core::Settle& action);
    void carry_out(const core::Commit& action);
    void carry_out(const core::PublishResult& action);
    void carry_out(const core::RequestGrant& action);
    void carry_out(const core::ReleaseGrant& action);
    void carry_out(const core::CheckLock& action);
    void carry_out(const core::HoldLock& action);
    void carry_out(const core::ReturnLock& action);
    void carry_out(const core::WriteCommand& action);
    void carry_out(const core::RequestRead& action);
    void carry_out(const core::WriteHeartbeat& action);
    void carry_out(const core::ResetLink& action);
    void carry_out(const core::PublishState& action);
    void carry_out(const core::PublishSession& action);
    void carry_out(const core::Raise& action);
    void carry_out(const core::ControlReply& action);

    [[nodiscard]] ports::ElevatorLink& link(const core::ElevatorId& elevator) const;
    [[nodiscard]] ports::LockService& locks() const;

    Parts parts_;
};

}  // namespace liftwarden::app
