#include "src/wire/view_text.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace std::chrono_literals;

namespace {

const core::GatewayId gateway("gw-01");
const core::WallTime at{1'777'732'321'402ms};
const core::TimePoint now{1000s};

core::StateView open_at_2() {
    core::StateView view;
    view.elevator = core::ElevatorId("EL001");
    view.phase = core::Phase::door_open;
    core::Observation seen;
    seen.floor = core::FloorLabel("2");
    seen.target = core::FloorLabel("2");
    seen.front = core::DoorState::open;
    seen.mode = core::ServiceMode::agv;
    view.observation = seen;
    view.channel = core::Channel::ready;
    view.quality = core::Quality::good;
    view.observed_at = now - 40ms;
    return view;
}

}  // namespace

TEST_CASE("state: the contract's example comes out field by field", "[wire][state]") {
    CHECK(render_state(open_at_2(), gateway, now, at) ==
          R"({"gateway":"gw-01","elevator":"EL001","phase":"door_open","service_mode":"agv",)"
          R"("floor":"2","direction":"stopped","target":"2","doors":{"front":"open"},)"
          R"("occupied":null,"fault":null,"channel":"ready","quality":"good","age_ms":40,)"
          R"("queue":0,"at":"2026-05-02T14:32:01.402Z"})");
}

TEST_CASE("state: both doors, the load, a fault and the queue are told", "[wire][state]") {
    core::StateView view = open_at_2();
    view.phase = core::Phase::error;
    view.observation->rear = core::DoorState::closing;
    view.observation->occupied = false;
    view.observation->fault = 17;
    view.observation->travel = core::Travel::down;
    view.observation->floor.reset();
    view.channel = core::Channel::locked_out;
    view.queue = 3;
    CHECK(render_state(view, gateway, now, at) ==
          R"({"gateway":"gw-01","elevator":"EL001","phase":"error","service_mode":"agv",)"
          R"("floor":null,"direction":"down","target":"2",)"
          R"("doors":{"front":"open","rear":"closing"},"occupied":false,"fault":17,)"
          R"("channel":"locked_out","quality":"good","age_ms":40,"queue":3,)"
          R"("at":"2026-05-02T14:32:01.402Z"})");
}

TEST_CASE("state: old values keep their age", "[wire][state]") {
    core::StateView view = open_at_2();
    view.quality = core::Quality::stale;
    view.phase = core::Phase::offline;
    const std::string text = render_state(view, gateway, now + 90s, at);
    CHECK(text.find(R"("age_ms":90040,)") != std::string::npos);
    CHECK(text.find(R"("quality":"stale")") != std::string::npos);
    CHECK(text.find(R"("floor":"2")") != std::string::npos);
}

TEST_CASE("state: an observation is never younger than nothing", "[wire][state]") {
    CHECK(render_state(open_at_2(), gateway, now - 5s, at).find(R"("age_ms":0,)") !=
          std::string::npos);
}

TEST_CASE("state: what was never observed is null", "[wire][state]") {
    core::StateView view;
    view.elevator = core::ElevatorId("EL001");
    CHECK(render_state(view, gateway, now, at) ==
          R"({"gateway":"gw-01","elevator":"EL001","phase":"offline","service_mode":"unknown",)"
          R"("floor":null,"direction":null,"target":null,"doors":{},"occupied":null,)"
          R"("fault":null,"channel":"ready","quality":"unknown","age_ms":null,"queue":0,)"
          R"("at":"2026-05-02T14:32:01.402Z"})");
}

TEST_CASE("session: mode, epoch, owner and queue are told", "[wire][session]") {
    core::SessionView view;
    view.elevator = core::ElevatorId("EL001");
    view.mode = core::ArbitrationMode::edge;
    view.epoch = 12;
    view.owner = core::Party{"node-a", core::Party::Kind::task, "T-77"};
    view.queue = {{core::Seq("1004"), core::SourceId("node-b"), 1},
                  {core::Seq("1005"), core::SourceId("node-a"), 2}};
    CHECK(render_session(view, gateway, at) ==
          R"({"gateway":"gw-01","elevator":"EL001","mode":"edge","epoch":12,)"
          R"("owner":{"source":"node-a","party":{"kind":"task","name":"T-77"}},)"
          R"("ride_id":null,"robot_id":null,"ride_state":null,"permit":null,)"
          R"("queue":[{"seq":"1004","source":"node-b","position":1,"estimated_wait_ms":null},)"
          R"({"seq":"1005","source":"node-a","position":2,"estimated_wait_ms":null}],)"
          R"("at":"2026-05-02T14:32:01.402Z"})");
}

TEST_CASE("session: nobody owns and nobody waits", "[wire][session]") {
    core::SessionView view;
    view.elevator = core::ElevatorId("EL001");
    CHECK(render_session(view, gateway, at) ==
          R"({"gateway":"gw-01","elevator":"EL001","mode":"standalone","epoch":0,"owner":null,)"
          R"("ride_id":null,"robot_id":null,"ride_state":null,"permit":null,"queue":[],)"
          R"("at":"2026-05-02T14:32:01.402Z"})");
}

TEST_CASE("event: an alarm tells what, where and who", "[wire][event]") {
    const core::Alarm alarm{core::ElevatorId("EL001"),
                            "lock_out",
                            true,
                            "the echo changed from 3 to 9",
                            core::SourceId("node-a"),
                            core::Seq("1003")};
    CHECK(render_event(alarm, gateway, at) ==
          R"({"gateway":"gw-01","elevator":"EL001","kind":"lock_out","alarm":true,)"
          R"("detail":"the echo changed from 3 to 9","source":"node-a","seq":"1003",)"
          R"("at":"2026-05-02T14:32:01.402Z"})");
}

TEST_CASE("event: one of the gateway itself names no elevator", "[wire][event]") {
    const core::Alarm alarm{core::ElevatorId(), "journal_slow", false, "", {}, {}};
    CHECK(render_event(alarm, gateway, at) ==
          R"({"gateway":"gw-01","elevator":null,"kind":"journal_slow","alarm":false,"detail":"",)"
          R"("source":null,"seq":null,"at":"2026-05-02T14:32:01.402Z"})");
}
