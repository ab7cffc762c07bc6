// The small parts of the app: supervisor, log lines, log limit, control desk, exit deadline.
#include "src/app/control_desk.hpp"
#include "src/app/exit_deadline.hpp"
#include "src/app/journal_view.hpp"
#include "src/app/log.hpp"
#include "src/app/log_limit.hpp"
#include "src/app/status_table.hpp"
#include "src/app/supervisor.hpp"
#include "tests/support/fake_ports.hpp"
#include "tests/support/wait.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

namespace app = liftwarden::app;
namespace control = liftwarden::control;
namespace core = liftwarden::core;
namespace sqlite = liftwarden::sqlite;
using namespace liftwarden::test;

TEST_CASE("supervisor: a heartbeat that stands still for its limit is named", "[app]") {
    ManualClock clock;
    std::uint64_t lively = 0;
    app::Supervisor supervisor;
    supervisor.watch(
        "journal", [&] { return lively; }, 10s);
    supervisor.watch(
        "bus", [] { return std::uint64_t{5}; }, 20s);
    CHECK(supervisor.stalled(clock.now()).empty());
    for (int i = 0; i < 19; ++i) {
        ++lively;
        clock.advance(1s);
        CHECK(supervisor.stalled(clock.now()).empty());
    }
    clock.advance(1s);
    ++lively;
    CHECK(supervisor.stalled(clock.now()) == std::vector<std::string>{"bus"});
    clock.advance(10s);
    CHECK(supervisor.stalled(clock.now()) == std::vector<std::string>{"journal", "bus"});
    ++lively;
    CHECK(supervisor.stalled(clock.now()) == std::vector<std::string>{"bus"});
}

TEST_CASE("log: values cannot forge a line or a field", "[app]") {
    CHECK(app::log_line("result", {{"seq", "7"}, {"reason", ""}}) == "result seq=7");
    CHECK(app::log_line("x", {{"a", "two words"}}) == "x a=\"two words\"");
    CHECK(app::log_line("x", {{"a", "1\nresult status=acked"}}) ==
          "x a=\"1\\x0aresult status=acked\"");
    CHECK(app::log_line("x", {{"a", "say \"hi\"\\"}}) == "x a=\"say \\\"hi\\\"\\\\\"");
    CHECK(app::log_line("x", {{"a", "\x1b[31m"}}) == "x a=\\x1b[31m");
}

TEST_CASE("log limit: a burst passes, the rest is counted until the next period", "[app]") {
    ManualClock clock;
    app::LogLimit limit{2, 10s};
    CHECK(limit.allow(clock.now()));
    CHECK(limit.allow(clock.now()));
    for (int i = 0; i < 5; ++i) {
        CHECK_FALSE(limit.allow(clock.now()));
    }
    clock.advance(10s);
    CHECK(limit.allow(clock.now()));
    CHECK(limit.held_back() == 5);
    CHECK(limit.allow(clock.now()));
    CHECK(limit.held_back() == 0);
}

namespace {

void no_log(const sqlite::LogFilter&, const sqlite::LogReply&) {
    FAIL("nobody asked for the log");
}

sqlite::LogEntries a_little_history() {
    core::CommandRow row;
    row.command.elevator = core::ElevatorId{"EL001"};
    row.command.source = core::SourceId{"node-a"};
    row.command.seq = core::Seq{"1003"};
    row.command.content.action = core::ActionKind::car_call;
    row.command.content.floor = core::FloorLabel{"3"};
    row.party = {"node-a", core::Party::Kind::task, "T-77"};
    row.status = core::Status::failed;
    row.reason = core::Reason::plc_refused;
    row.detail = "the PLC answered 2 (refused)";
    row.wire_seq = core::WireSeq{812};
    row.elapsed.queued = 3ms;
    core::Alarm alarm;
    alarm.elevator = core::ElevatorId{"EL001"};
    alarm.kind = "lock_out";
    alarm.detail = "foreign_writer";
    const core::WallTime at{std::chrono::milliseconds{1'790'000'000'123}};
    return {{at, sqlite::LoggedCommand{row, at + 150ms}}, {at, alarm}};
}

}  // namespace

TEST_CASE("journal view: a line says who sent what, what was decided and what the PLC said",
          "[app]") {
    const auto lines = app::journal_lines(app::to_json(a_little_history()), -1);
    CHECK(lines ==
          "2026-09-21T14:13:20.123Z  EL001  failed      car_call 3  seq 1003 by node-a/task T-77  "
          "wire_seq 812 queued_ms 3  plc_refused: the PLC answered 2 (refused)\n"
          "2026-09-21T14:13:20.123Z  EL001  event       lock_out: foreign_writer\n");
    const auto odd = boost::json::parse(R"([1, {"event": 7}, {"of": [], "status": null}])");
    CHECK_FALSE(app::journal_lines(odd.as_array(), -1).empty());
}

TEST_CASE("control desk: the log is asked for as the operator narrowed it", "[app]") {
    EventLog events;
    std::vector<sqlite::LogFilter> asked;
    app::ControlDesk desk{events,
                          [] { return control::StatusReport{}; },
                          [&](sqlite::LogFilter filter, const sqlite::LogReply& reply) {
                              asked.push_back(std::move(filter));
                              reply(a_little_history());
                          }};
    std::vector<control::Reply> replies;
    desk.handle(control::LogRequest{core::ElevatorId{"EL001"}, core::Seq{"1003"}, std::nullopt},
                {"alice"},
                [&](control::Reply r) { replies.push_back(std::move(r)); });
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].elevator == core::ElevatorId{"EL001"});
    CHECK(asked[0].seq == core::Seq{"1003"});
    REQUIRE(replies.size() == 1);
    REQUIRE(replies[0].data);
    CHECK(replies[0].data->at("entries").as_array().size() == 2);
}

TEST_CASE("control desk: status is answered at once", "[app]") {
    EventLog events;
    app::ControlDesk desk{events,
                          [] {
                              control::StatusReport report;
                              report.gateway = core::GatewayId{"gw-01"};
                              return report;
                          },
                          no_log};
    std::vector<control::Reply> replies;
    desk.handle(
        control::StatusRequest{}, {"root"}, [&](control::Reply r) { replies.push_back(r); });
    REQUIRE(replies.size() == 1);
    REQUIRE(replies[0].data);
    CHECK(replies[0].data->at("gateway") == "gw-01");
}

TEST_CASE("control desk: each reset gets the core's answer to it", "[app]") {
    EventLog events;
    app::ControlDesk desk{events, [] { return control::StatusReport{}; }, no_log};
    std::vector<std::string> answers;
    for (const auto* name : {"first: ", "second: "}) {
        desk.handle(
            control::ResetRequest{core::ElevatorId{"EL001"}, core::TookEffect::no, true},
            {"alice"},
            [&answers, name](const control::Reply& r) { answers.push_back(name + r.text); });
    }
    const auto requests = events.of<core::ResetRequested>();
    REQUIRE(requests.size() == 2);
    CHECK(requests[0].operator_name == "alice");
    CHECK(requests[0].took_effect == core::TookEffect::no);
    CHECK(requests[0].force);
    desk.reply({requests[1].request, true, "two"});
    desk.reply({requests[0].request, false, "one"});
    desk.reply({core::RequestId{99}, true, "nobody"});
    CHECK(answers == std::vector<std::string>{"second: two", "first: one"});
}

TEST_CASE("exit deadline: acts unless it is lifted in time", "[app]") {
    std::atomic<bool> expired{false};
    {
        app::ExitDeadline deadline{[&] { expired = true; }};
        deadline.arm(10min);
    }
    CHECK_FALSE(expired);
    app::ExitDeadline deadline{[&] { expired = true; }};
    deadline.arm(1ms);
    CHECK(wait_until([&] { return expired.load(); }));
}

TEST_CASE("status table: shows what the daemon said, and bears what it did not say", "[app]") {
    control::StatusReport report;
    report.gateway = core::GatewayId{"gw-01"};
    report.site = "dc-east";
    report.broker_address = "broker:1883";
    core::ElevatorStatus elevator;
    elevator.state.elevator = core::ElevatorId{"EL001"};
    elevator.state.observation = core::Observation{};
    elevator.state.observation->floor = core::FloorLabel{"B1"};
    elevator.state.observation->front = core::DoorState::open;
    elevator.state.channel = core::Channel::locked_out;
    elevator.lock_out = core::LockOut::foreign_writer;
    elevator.lock_out_detail = "echo 9 is not ours";
    report.elevators.push_back(elevator);
    const auto table = app::status_table(control::to_json(report), -1);
    for (const auto* words : {"gw-01",
                              "dc-east",
                              "broker:1883",
                              "offline",
                              "EL001",
                              "B1",
                              "front:open",
                              "locked_out",
                              "EL001 is locked out: foreign_writer (echo 9 is not ours)"}) {
        CHECK_THAT(table, Catch::Contains(words));
    }
    CHECK_THAT(app::status_table({}, -1), Catch::Contains("gateway  -"));
    const auto odd = boost::json::parse(R"({"elevators":[1,{}],"buses":"x","broker":[]})");
    CHECK_FALSE(app::status_table(odd.as_object(), -1).empty());
}
