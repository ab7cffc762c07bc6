// The laws, checked from outside: what was written, what the PLCs did, what was reported.
#pragma once

#include "tests/sim/plc_model.hpp"
#include "tests/sim/scheduler.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/config.hpp>

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace liftwarden::sim_test {

struct Violation : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Fed by the world with everything that crosses its borders; throws Violation naming the law. It
// shares no code with the core: the table below is written a second time on purpose.
class Checker {
  public:
    Checker(const core::GatewayConfig& config, Scheduler& scheduler);

    // A node sent this; `deadline` is the latest moment at which it may still be written.
    void sent(const core::Command& command, core::TimePoint deadline);
    // The gateway read this inside a grant.
    void granted(const core::ElevatorId& elevator,
                 core::GrantId grant,
                 const core::Reading& reading);
    void grant_over(const core::ElevatorId& elevator);
    void committed_row(const core::CommandRow& row);
    void ordered_commit(const core::Commit& commit);
    // A write left for the PLC. Returns the seq it belongs to.
    std::string written(const core::WriteCommand& action, const PlcModel& plc);
    void written_nothing(const core::ElevatorId& elevator);
    void session(const core::SessionView& view, const PlcModel& plc);
    void result(const core::ResultMessage& message);
    void restarted(bool rebooted);
    // At the end of a run in which every fault has been over for long enough.
    void finish(const std::vector<std::pair<core::ElevatorId, const PlcModel*>>& plcs);

    // The written command of this elevator whose outcome is still open.
    [[nodiscard]] std::optional<std::string> in_doubt(const core::ElevatorId& elevator) const;

    [[nodiscard]] std::size_t finals() const { return finals_; }
    [[nodiscard]] std::size_t writes() const { return writes_; }
    [[nodiscard]] std::size_t resends() const { return resends_; }
    [[nodiscard]] const std::map<std::string, std::size_t>& seen() const { return seen_; }

  private:
    struct Write {
        std::string seq;
        core::WireSeq wire_seq;
        bool open = true;  // between write and outcome
    };
    struct Grant {
        core::GrantId id;
        core::Reading reading;
        core::TimePoint opened_at{};
    };
    struct Known {
        core::Command command;
        core::TimePoint deadline{};
        bool accepted = false;
        std::optional<core::Status> final;
    };
    struct PerElevator {
        std::optional<Grant> grant;
        std::optional<core::CommandRow> intent;  // the last durable one
        std::vector<Write> writes;
        std::optional<core::Party> owner;
    };
    using Key = std::pair<std::string, std::string>;

    [[noreturn]] void fail(int law,
                           const core::ElevatorId& elevator,
                           const std::string& what) const;
    const core::ElevatorConfig& config_of(const core::ElevatorId& elevator) const;
    void check_table(const core::WriteCommand& action,
                     const core::CommandRow& row,
                     const PerElevator& state) const;

    const core::GatewayConfig* config_;
    Scheduler* scheduler_;
    std::map<core::ElevatorId, PerElevator> elevators_;
    std::map<Key, Known> known_;
    std::set<core::Party> released_;  // parties that have asked to give up ownership
    std::size_t finals_ = 0;
    std::size_t writes_ = 0;
    std::size_t resends_ = 0;
    std::map<std::string, std::size_t> seen_;  // statuses and reasons reached
};

}  // namespace liftwarden::sim_test
