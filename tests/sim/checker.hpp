// The border guard: notes the facts and lets every judge look.
#pragma once

#include "tests/sim/facts.hpp"
#include "tests/sim/laws/law.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sim_test {

// Fed by the world with everything that crosses the gateway's borders, in its order; throws
// Violation.
class Checker {
  public:
    Checker(const core::GatewayConfig& config, const Scheduler& scheduler);

    // A node's message is about to reach the gateway, and may be written until `deadline`.
    void delivered(const core::Command& command, core::TimePoint deadline);
    void posted(const core::Event& event);
    void acted(const core::Action& action);
    void turn_over();
    void durable(const std::vector<core::JournalWrite>& writes);
    void granted(const core::ElevatorId& elevator, core::GrantId grant, const core::Reading& read);
    void grant_over(const core::ElevatorId& elevator);
    // A write leaves for the PLC. Returns the name under which its execution is to be told.
    std::string transferred(const core::WriteCommand& action);
    void executed(const core::ElevatorId& elevator, const Execution& execution);
    void plc_restarted(const core::ElevatorId& elevator);
    void stalled(core::TimePoint until);
    void died();
    void ledger_lost();
    // A process is about to start on what the journal holds.
    void started(const std::string& boot_id);
    // At the end of a run in which every fault has been over for long enough.
    void finish();

    // Whether everything that was accepted has ended, with its follow-up.
    [[nodiscard]] bool all_ended() const;
    // The truth about the written command of this elevator whose outcome is open: executed or not.
    [[nodiscard]] std::optional<bool> doubt(const core::ElevatorId& elevator) const;
    [[nodiscard]] const std::map<std::string, std::size_t>& seen() const { return seen_; }

  private:
    void note(const core::CommandRow& row);
    void note(const core::ResultMessage& message);
    void note_reading(ElevatorFacts& at, const core::Reading& reading);

    Facts facts_;
    int ledgers_ = 1;  // so many have there been
    std::vector<std::unique_ptr<Law>> laws_;
    std::map<std::string, std::size_t> seen_;  // what the run has reached
};

}  // namespace liftwarden::sim_test
