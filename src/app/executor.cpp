#include "src/app/executor.hpp"

#include "src/app/lifecycle_log.hpp"

#include <liftwarden/core/assert.hpp>

#include <iterator>
#include <utility>
#include <variant>

namespace liftwarden::app {

void Executor::run(const core::Actions& actions) {
    for (const core::Action& action : actions) {
        std::visit([this](const auto& kind) { carry_out(kind); }, action);
    }
}

void Executor::carry_out(const core::Settle& action) {
    parts_.deliveries.settle(action.delivery);
}

void Executor::carry_out(const core::Commit& action) {
    ports::JournalBatch batch;
    batch.ticket = action.ticket;
    batch.urgent = action.urgent;
    for (const core::JournalWrite& write : action.writes) {
        if (const auto* message = std::get_if<core::ResultMessage>(&write)) {
            log_result(*message);
            auto parts = result_messages(*message, parts_.topics, parts_.clock.wall());
            std::move(parts.begin(), parts.end(), std::back_inserter(batch.outbox));
        } else {
            batch.writes.push_back(write);
        }
    }
    parts_.journal.commit(std::move(batch));
}

void Executor::carry_out(const core::PublishResult& action) {
    log_result(action.message);
    parts_.publisher.result(action.message);
}

void Executor::carry_out(const core::RequestGrant& action) {
    link(action.elevator).request_grant(action);
}

void Executor::carry_out(const core::ReleaseGrant& action) {
    link(action.elevator).release_grant(action);
}

void Executor::carry_out(const core::CheckLock& action) {
    locks().check(action);
}

void Executor::carry_out(const core::HoldLock& action) {
    locks().hold(action);
}

void Executor::carry_out(const core::ReturnLock& action) {
    locks().give_back(action);
}

void Executor::carry_out(const core::WriteCommand& action) {
    log_write(action);
    link(action.elevator).write(action);
}

void Executor::carry_out(const core::RequestRead& action) {
    link(action.elevator).read(action);
}

void Executor::carry_out(const core::WriteHeartbeat& action) {
    link(action.elevator).heartbeat(action);
}

void Executor::carry_out(const core::ResetLink& action) {
    link(action.elevator).reset(action);
}

void Executor::carry_out(const core::PublishState& action) {
    parts_.publisher.state(action.view);
}

void Executor::carry_out(const core::PublishSession& action) {
    parts_.publisher.session(action.view);
}

void Executor::carry_out(const core::Raise& action) {
    log_alarm(action.alarm);
    parts_.publisher.event(action.alarm);
}

void Executor::carry_out(const core::ControlReply& action) {
    parts_.reply(action);
}

// The core asks for locks only where a lock service is configured.
ports::LockService& Executor::locks() const {
    LIFTWARDEN_ASSERT(parts_.locks != nullptr);
    return *parts_.locks;
}

ports::ElevatorLink& Executor::link(const core::ElevatorId& elevator) const {
    const auto found = parts_.links.find(elevator);
    LIFTWARDEN_ASSERT(found != parts_.links.end());
    return *found->second;
}

}  // namespace liftwarden::app
