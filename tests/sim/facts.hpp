// What has crossed the gateway's borders so far, noted down without judging.
#pragma once

#include "tests/sim/plc_model.hpp"
#include "tests/sim/scheduler.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/event.hpp>

#include <deque>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::sim_test {

struct Violation : std::runtime_error {
    Violation(std::string which, const std::string& what)
        : std::runtime_error(which + what), law(std::move(which)) {}
    std::string law;  // "law 7"
};

// A reading of the state as the core got it.
struct Seen {
    core::TimePoint posted{};
    core::Reading reading;
};

// One wire_seq on its way: from the durable intent to the durable outcome, with what the readings
// since have shown.
struct Attempt {
    core::CommandRow row;  // of the first intent
    core::Reading before;  // read in the grant of the first write
    core::TimePoint began{};
    core::TimePoint written{};  // or `began`, before anything has left
    int writes = 0;
    bool open = true;
    bool unknown = false;    // `unknown` is durable and nobody has resolved it
    bool restarted = false;  // another process has to find out
    bool requeued = false;   // ordered, not yet durable
    int reads = 0;
    bool saw_accepted = false;
    bool saw_refused = false;
    bool saw_busy = false;
    bool saw_not_taken = false;
    std::optional<core::WriteOutcome::Kind> outcome;
    bool grant_closed = false;

    [[nodiscard]] std::string seq() const { return row.command.seq.str(); }
    [[nodiscard]] core::WireSeq wire_seq() const { return *row.wire_seq; }
    // Whether this reading proves that the PLC had not taken it.
    [[nodiscard]] bool proves_not_taken(const core::Reading& reading, core::Duration scan) const;
};

struct Grant {
    core::GrantId id;
    core::Reading reading;
    core::TimePoint opened{};
};

struct ElevatorFacts {
    const core::ElevatorConfig* config = nullptr;
    std::deque<Seen> seen;              // by the present process, newest last
    std::optional<core::Reading> last;  // also of the acknowledgement alone
    std::optional<Grant> grant;
    std::optional<Grant> last_grant;
    std::vector<Attempt> attempts;                // newest last
    std::map<std::string, core::Status> ordered;  // latest, by seq; perhaps not durable
    std::optional<core::ElevatorRow> row;         // the durable one
    std::map<std::string, bool> claims;           // of other gateways; true: overridden
    std::optional<core::ResetRequested> reset;    // asked of the present process
    std::optional<core::Party> owner;             // as published
    core::TimePoint unowned_since{};
    bool plc_restarted = false;  // since its echo was last used

    [[nodiscard]] Attempt* attempt() { return attempts.empty() ? nullptr : &attempts.back(); }
    [[nodiscard]] bool contested() const;
    // The last observation if it may be decided on, else nullptr.
    [[nodiscard]] const core::Observation* fresh(core::TimePoint now) const;
    // Whether every reading since `since` shows `holds`, without a gap in which nobody looked.
    template <class Holds>
    [[nodiscard]] bool all_since(core::TimePoint since, core::TimePoint now, Holds holds) const {
        core::TimePoint later = now;
        for (auto it = seen.rbegin(); it != seen.rend(); ++it) {
            if (later - it->reading.at >= config->stale_after ||
                it->reading.observation->undecodable || !holds(*it->reading.observation)) {
                return false;
            }
            if (it->posted <= since) {
                return true;
            }
            later = it->posted;
        }
        return false;
    }
};

// One (elevator, seq) since the journal has been kept.
struct Known {
    core::Command command;
    core::TimePoint deadline{};
    std::optional<core::CommandRow> row;  // the durable one
    std::string first_boot;
    bool told_accepted = false;
    std::optional<core::Status> final;
    int follow_ups = 0;
    int executed = 0;
};

struct Facts {
    using Key = std::pair<std::string, std::string>;

    const core::GatewayConfig* config = nullptr;
    const Scheduler* scheduler = nullptr;
    std::map<core::ElevatorId, ElevatorFacts> elevators;
    std::map<Key, Known> known;
    std::string boot;
    core::TimePoint started{};
    core::TimePoint stalled_until{};

    [[nodiscard]] core::TimePoint now() const { return scheduler->now(); }
    [[nodiscard]] Known* find(const core::ElevatorId& elevator, const std::string& seq);
};

// The phase by the registers alone.
[[nodiscard]] core::Phase phase_of(const core::Observation& seen);
[[nodiscard]] inline bool in_service(const core::Observation& seen) {
    return seen.mode == core::ServiceMode::normal || seen.mode == core::ServiceMode::agv;
}

}  // namespace liftwarden::sim_test
