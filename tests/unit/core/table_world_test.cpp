// Every cell of the table through the whole machine: what was sent, what waited, what was refused.
#include "tests/support/core_world.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

enum class Cell { send, wait, refuse };

struct Row {
    const char* name;
    Observation seen;
    bool owned;
    Cell owner_call;
    Cell other_call;
    Cell owner_open;
    Cell owner_close;
    Cell other_door;
};

constexpr Cell send = Cell::send;
constexpr Cell wait = Cell::wait;
constexpr Cell refuse = Cell::refuse;

std::vector<Row> rows() {
    const auto door = [](DoorState it) { return Observation(state().door(it)); };
    return {
        {"idle, no owner", state(), false, send, send, send, send, send},
        {"idle, owned", state(), true, send, wait, send, send, wait},
        {"moving", state().travel(Travel::up), true, wait, wait, wait, wait, wait},
        {"moving, no owner", state().travel(Travel::up), false, wait, wait, wait, wait, wait},
        {"door_opening", door(DoorState::opening), true, wait, wait, send, wait, wait},
        {"door_opening, no owner", door(DoorState::opening), false, wait, wait, wait, wait, wait},
        {"door_open", door(DoorState::open), true, send, wait, send, send, wait},
        {"door_open, no owner", door(DoorState::open), false, wait, wait, send, send, send},
        {"door_closing", door(DoorState::closing), true, wait, wait, send, send, wait},
        {"door_closing, no owner", door(DoorState::closing), false, wait, wait, wait, wait, wait},
        {"error", state().fault(3), true, refuse, refuse, refuse, refuse, refuse},
        {"error, no owner", state().fault(3), false, refuse, refuse, refuse, refuse, refuse},
    };
}

// Plays one cell: task "owner" owns the elevator if the row says so, `task` sends the command.
void check_cell(const Row& row, const std::string& task, ActionKind action, Cell expected) {
    for (const bool may_wait : {true, false}) {
        CAPTURE(row.name, task, action, may_wait);
        World world;
        world.automatic.poll = false;
        world.poll();
        if (row.owned) {
            world.send(command("own").hold(1).task("owner"));
            world.advance(200ms);
            REQUIRE(world.owner() == "node-a/task owner");
        }
        world.observe(row.seen);
        const std::size_t before = world.writes().size();
        world.send(command("1").action(action).task(task).wait(may_wait));
        const bool written = world.writes().size() > before;
        CHECK(written == (expected == send));
        if (expected == send) {
            CHECK(world.story("1") == "accepted sent");
        } else if (expected == refuse) {
            CHECK(world.story("1") == "accepted rejected(elevator_fault)");
        } else if (may_wait) {
            CHECK(world.story("1") == "accepted");
        } else {
            CHECK(world.story("1") == "accepted rejected(elevator_busy)");
            const std::string detail = world.last("1").detail;
            CHECK(detail.find(to_string(world.phase())) != std::string::npos);
            CHECK((detail.find("task owner") != std::string::npos) == row.owned);
        }
    }
}

const ActionKind calls[] = {ActionKind::hall_call, ActionKind::car_call, ActionKind::set_mode};
const ActionKind opening[] = {ActionKind::open_door, ActionKind::hold_door};

}  // namespace

TEST_CASE("table through the machine: calls by the owner", "[core][table]") {
    for (const Row& row : rows()) {
        for (const ActionKind action : calls) {
            if (row.owned) {
                check_cell(row, "owner", action, row.owner_call);
            }
        }
    }
}

TEST_CASE("table through the machine: calls by anyone else", "[core][table]") {
    for (const Row& row : rows()) {
        for (const ActionKind action : calls) {
            check_cell(row, "other", action, row.other_call);
        }
    }
}

TEST_CASE("table through the machine: door commands by the owner", "[core][table]") {
    for (const Row& row : rows()) {
        if (!row.owned) {
            continue;
        }
        for (const ActionKind action : opening) {
            check_cell(row, "owner", action, row.owner_open);
        }
        check_cell(row, "owner", ActionKind::close_door, row.owner_close);
    }
}

TEST_CASE("table through the machine: door commands by anyone else", "[core][table]") {
    for (const Row& row : rows()) {
        for (const ActionKind action : opening) {
            check_cell(row, "other", action, row.other_door);
        }
        check_cell(row, "other", ActionKind::close_door, row.other_door);
    }
}

TEST_CASE("table through the machine: every mode but normal and agv refuses, with wait or without",
          "[core][table]") {
    for (const ServiceMode mode : {ServiceMode::fire,
                                   ServiceMode::emergency_power,
                                   ServiceMode::seismic,
                                   ServiceMode::inspection,
                                   ServiceMode::manual,
                                   ServiceMode::out_of_service,
                                   ServiceMode::unknown}) {
        for (const ActionKind action : {ActionKind::car_call,
                                        ActionKind::open_door,
                                        ActionKind::close_door,
                                        ActionKind::hold_door,
                                        ActionKind::set_mode}) {
            CAPTURE(to_string(mode), action);
            World world;
            world.observe(state().mode(mode));
            world.send(command("1").action(action));
            CHECK(world.story("1") == "accepted rejected(out_of_service)");
            CHECK(world.last("1").detail.find(to_string(mode)) != std::string::npos);
            CHECK(world.writes().empty());
        }
    }
}

TEST_CASE("table through the machine: mode agv serves like normal", "[core][table]") {
    World world;
    world.observe(state().mode(ServiceMode::agv));
    world.send(command("1").car_call("3"));
    CHECK(world.story("1") == "accepted sent");
}

TEST_CASE("table through the machine: offline and stale wait until the TTL, then plc_offline",
          "[core][table]") {
    World never_read;
    never_read.plc.online = false;
    never_read.send(command("1").car_call("3").ttl(3s));
    never_read.advance(2900ms);
    CHECK(never_read.story("1") == "accepted");
    never_read.advance(200ms);
    CHECK(never_read.story("1") == "accepted expired(plc_offline)");

    World stale;
    stale.poll();
    stale.plc.online = false;
    stale.advance(1100ms);
    CHECK(stale.phase() == Phase::offline);
    stale.send(command("1").car_call("3").ttl(3s));
    stale.advance(2900ms);
    CHECK(stale.story("1") == "accepted");
    stale.advance(200ms);
    CHECK(stale.story("1") == "accepted expired(plc_offline)");
    CHECK(stale.writes().empty());
}

TEST_CASE("table through the machine: offline with wait false is plc_offline at once",
          "[core][table]") {
    World world;
    world.plc.online = false;
    world.send(command("1").car_call("3").wait(false));
    CHECK(world.story("1") == "accepted rejected(plc_offline)");
    World undecodable;
    undecodable.observe(state().undecodable("door 9"));
    undecodable.send(command("1").car_call("3").wait(false));
    CHECK(undecodable.story("1") == "accepted rejected(plc_offline)");
}

TEST_CASE("table through the machine: what waited offline is sent when the PLC is back",
          "[core][table]") {
    World world;
    world.poll();
    world.plc.online = false;
    world.advance(2s);
    world.send(command("1").car_call("3"));
    world.advance(10s);
    CHECK(world.story("1") == "accepted");
    world.plc.online = true;
    world.advance(1s);
    CHECK(world.story("1") == "accepted sent acked");
}

TEST_CASE("table through the machine: calls_while_moving allow sends the owner's calls",
          "[core][table]") {
    GatewayConfig config = site();
    config.elevators[0].calls_while_moving = CallsWhileMoving::allow;
    World world(config);
    world.poll();
    world.send(command("own").hold(1).task("owner"));
    world.advance(200ms);
    world.observe(state().travel(Travel::up));
    world.send(command("1").car_call("3").task("owner"));
    CHECK(world.story("1") == "accepted sent");
    world.advance(1s);
    world.send(command("2").car_call("4").task("other"));
    world.send(command("3").open().task("owner"));
    world.advance(1s);
    CHECK(world.story("2") == "accepted");
    CHECK(world.story("3") == "accepted");
}
