// One gateway with a clock, a journal and a PLC that tests hold in their hands.
#pragma once

#include "tests/support/core_builders.hpp"
#include "tests/support/core_lock.hpp"
#include "tests/support/core_plc.hpp"
#include "tests/support/core_print.hpp"

#include <liftwarden/core/gateway.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace liftwarden::test {

// What is durable: only what was committed, in commit order.
struct RememberingJournal {
    std::vector<core::CommandRow> commands;  // in order of receipt
    std::map<std::string, core::ElevatorRow> elevators;
    std::vector<core::ResultMessage> outbox;
    std::vector<core::Alarm> alarms;

    void apply(const core::Commit& commit);
    [[nodiscard]] std::optional<core::CommandRow> find(const core::Seq& seq) const;
    [[nodiscard]] bool has_final(const core::Seq& seq) const;
    [[nodiscard]] core::Recovered recover() const;
};

// Plays events into a Gateway and answers its actions: by itself where `automatic` says so, else
// when the test calls commit_all(), open_grant(), ... Fails the test at once (an exception) when
// the core breaks a rule that holds in every scenario: a deadline in the past, a write without a
// durable intent, a second write in flight, a second final result, a delivery settled twice.
class World {
  public:
    explicit World(core::GatewayConfig config = site(), core::Recovered recovered = {});

    struct Automatic {
        bool commit = true;
        bool grant = true;
        bool write = true;
        bool read = true;
        bool poll = true;
        bool check_lock = true;
        bool probe = true;
    } automatic;
    core::Duration commit_delay{};
    core::Duration heartbeat_delay{};
    core::Duration door_time = 500ms;
    Plc plc;
    LockSite lock;  // asked only if the configuration has a lock service

    [[nodiscard]] core::TimePoint now() const { return now_; }
    [[nodiscard]] core::TimePoint start() const { return start_; }
    // The event and everything that follows from it at this moment. Returns all actions.
    core::Actions play(const core::Event& event);
    core::Actions send(const core::Command& command);
    // One complete reading of the PLC as it is now, or its failure.
    core::Actions poll();
    core::Actions observe(const core::Observation& seen);
    // Lets time pass: deadlines, polls and what was scheduled with later().
    core::Actions advance(core::Duration time);
    // The loop stands still: time passes and nothing happens.
    void stall(core::Duration time) { now_ += time; }
    // Runs until `condition` holds; false if it does not within `limit`.
    bool run_until(const std::function<bool()>& condition, core::Duration limit = 5min);
    void later(core::Duration after, std::function<void()> what);
    // The automatic PLC's car executes what it takes: door 0.5 s, a floor 2 s.
    void drive_car();

    // Answers by hand, where not automatic.
    core::Actions commit_all();
    core::Actions open_grant();
    core::Actions open_grant(const core::Reading& reading);
    core::Actions close_grant();
    core::Actions finish_write(core::WriteOutcome::Kind kind);

    // The process dies: what was not committed is lost; it starts again from the journal.
    core::Actions crash();
    // The whole computer restarts: times of before mean nothing.
    core::Actions reboot();

    // "accepted sent acked served": what was reported about a command, reasons in brackets, without
    // repeated answers. `sent(ttl)` stands for a status with a reason.
    [[nodiscard]] std::string story(const std::string& seq) const;
    // The last report about it, whatever kind.
    [[nodiscard]] core::ResultMessage last(const std::string& seq) const;
    [[nodiscard]] const std::vector<core::ResultMessage>& messages() const { return messages_; }
    [[nodiscard]] const std::vector<core::WriteCommand>& writes() const { return writes_; }
    // "car_call 2#1 open_door front#2": what was written, with wire sequences.
    [[nodiscard]] std::string written() const;
    [[nodiscard]] const std::vector<core::Alarm>& alarms() const { return alarms_; }
    [[nodiscard]] int count_alarms(const std::string& kind) const;
    [[nodiscard]] const std::vector<core::ControlReply>& replies() const { return replies_; }
    [[nodiscard]] core::ElevatorStatus status() const;
    [[nodiscard]] core::Channel channel() const { return status().state.channel; }
    [[nodiscard]] core::Phase phase() const { return status().state.phase; }
    // describe() of the owner, or "none".
    [[nodiscard]] std::string owner() const;
    [[nodiscard]] const RememberingJournal& journal() const { return journal_; }
    [[nodiscard]] std::optional<core::TimePoint> next_deadline() const;
    [[nodiscard]] std::size_t grants() const { return grants_; }
    [[nodiscard]] std::size_t released() const { return released_; }
    [[nodiscard]] bool grant_asked() const { return asked_.has_value(); }
    [[nodiscard]] bool settled(std::uint64_t delivery) const { return settled_.contains(delivery); }
    // The number the last send() gave its delivery.
    [[nodiscard]] std::uint64_t last_delivery() const { return delivery_; }
    core::Actions reset(core::TookEffect took_effect = core::TookEffect::unknown,
                        bool force = false);

    // Receives every event and its actions, for transcripts.
    std::function<void(core::TimePoint, const core::Event*, const core::Actions&)> tap;

  private:
    void start_gateway(const core::Recovered& recovered);
    core::Actions drain();
    core::Actions on_time();
    void run_events(core::Actions& all);
    void take(const core::Action& action);
    void take_commit(const core::Commit& commit);
    void make_durable();
    void take_write(const core::WriteCommand& write);
    void take_message(const core::ResultMessage& message);
    void perform_write();
    void check_deadline() const;
    [[nodiscard]] bool probing() const { return automatic.probe && config_.lock.has_value(); }
    [[nodiscard]] core::TimePoint next_moment(core::TimePoint end) const;
    void move_car(const core::WireCommand& command);
    void plan_car(int plan, core::Duration after, std::function<void()> what);

    core::GatewayConfig config_;
    std::string boot_id_ = "boot-1";
    core::TimePoint start_{std::chrono::hours(1)};
    core::TimePoint now_{start_};
    core::TimePoint next_poll_{start_};
    core::TimePoint next_probe_{start_};
    std::unique_ptr<core::Gateway> gateway_;
    RememberingJournal journal_;
    std::deque<core::Event> events_;
    std::deque<core::Commit> open_commits_;
    struct Delayed {
        core::TimePoint at{};
        core::Ticket ticket;
    };
    std::deque<Delayed> delayed_commits_;
    std::multimap<core::TimePoint, std::function<void()>> later_;
    std::optional<core::GrantId> asked_;
    std::optional<core::WriteCommand> write_;
    std::vector<core::ResultMessage> messages_;
    std::vector<core::WriteCommand> writes_;
    std::vector<core::Alarm> alarms_;
    std::vector<core::ControlReply> replies_;
    std::set<std::uint64_t> settled_;
    std::uint64_t delivery_ = 0;
    std::uint64_t request_ = 0;
    std::size_t grants_ = 0;
    std::size_t released_ = 0;
    int car_plan_ = 0;
};

}  // namespace liftwarden::test
