// A PLC as the core's tests want it: a mailbox with any answer on request, and a car on request.
#pragma once

#include <liftwarden/core/observation.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace liftwarden::test {

// What the PLC makes of one command.
struct PlcAnswer {
    core::AckResult result = core::AckResult::accepted;
    bool takes = true;       // false: the write changes nothing
    core::Duration after{};  // from the write until echo and result are set
};
inline const PlcAnswer accepts{};
inline const PlcAnswer ignores{core::AckResult::none, false, {}};
[[nodiscard]] inline PlcAnswer accepts_after(core::Duration after) {
    return {core::AckResult::accepted, true, after};
}
[[nodiscard]] inline PlcAnswer answers(core::AckResult result) {
    return {result, true, {}};
}

// Keeps the PLC's half of the mailbox: executes nothing twice, echoes what it took.
struct Plc {
    core::Observation state;
    std::uint16_t echo = 0;
    core::AckResult result = core::AckResult::none;
    std::uint16_t heartbeat = 0;
    std::uint64_t link = 1;
    bool online = true;
    core::WriteOutcome::Kind write_outcome = core::WriteOutcome::Kind::confirmed;
    std::deque<PlcAnswer> next;  // for the commands to come; accepts when empty
    std::vector<core::WireCommand> executed;
    // Called when a command is executed, so that a car can move.
    std::function<void(const core::WireCommand&)> on_execute;

    void write(core::TimePoint now, const core::WireCommand& command);
    [[nodiscard]] core::Reading read(core::TimePoint now, core::ReadKind kind);
    // Power off and on: echo, result and heartbeat are 0, the connection is another one.
    void restart();

  private:
    struct Due {
        core::TimePoint at{};
        core::WireCommand command;
        core::AckResult result = core::AckResult::none;
    };
    void settle(core::TimePoint now);
    std::vector<Due> due_;
};

}  // namespace liftwarden::test
