// One transcript for each row of the table: both kinds of sender, every kind of command, with and
// without waiting.
#include "tests/scenario/transcript.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

struct Row {
    const char* name;
    Observation seen;
    bool owned = true;
};

std::string play_cell(const Row& row, const std::string& task, ActionKind action, bool may_wait) {
    World world;
    world.automatic.poll = false;
    world.poll();
    if (row.owned) {
        world.send(command("own").hold(1).task("owner"));
        world.advance(200ms);
    }
    world.observe(row.seen);
    Transcript transcript(world, Transcript::Detail::outcomes);
    world.send(command("1").action(action).task(task).wait(may_wait));
    return transcript.text();
}

void play_row(const Row& row) {
    std::string text = std::string("# ") + row.name + (row.owned ? ", owned\n" : ", no owner\n");
    for (const char* task : {"owner", "other"}) {
        if (task == std::string("owner") && !row.owned) {
            continue;
        }
        for (const ActionKind action : {ActionKind::hall_call,
                                        ActionKind::car_call,
                                        ActionKind::set_mode,
                                        ActionKind::open_door,
                                        ActionKind::hold_door,
                                        ActionKind::close_door}) {
            text += play_cell(row, task, action, true) + play_cell(row, task, action, false);
        }
    }
    check_golden(std::string("table_") + row.name + (row.owned ? "" : "_no_owner"), text);
}

}  // namespace

TEST_CASE("table transcript: idle", "[scenario][table]") {
    play_row({"idle", state(), false});
    play_row({"idle", state()});
}

TEST_CASE("table transcript: moving", "[scenario][table]") {
    play_row({"moving", state().travel(Travel::up)});
}

TEST_CASE("table transcript: door_opening", "[scenario][table]") {
    play_row({"door_opening", state().door(DoorState::opening)});
}

TEST_CASE("table transcript: door_open", "[scenario][table]") {
    play_row({"door_open", state().door(DoorState::open), false});
    play_row({"door_open", state().door(DoorState::open)});
}

TEST_CASE("table transcript: door_closing", "[scenario][table]") {
    play_row({"door_closing", state().door(DoorState::closing)});
}

TEST_CASE("table transcript: error", "[scenario][table]") {
    play_row({"error", state().fault(3)});
}

TEST_CASE("table transcript: fire and unknown mode", "[scenario][table]") {
    play_row({"fire", state().mode(ServiceMode::fire)});
    play_row({"unknown", state().mode(ServiceMode::unknown)});
}

TEST_CASE("table transcript: offline", "[scenario][table]") {
    play_row({"offline", state().undecodable("door 9")});
}

TEST_CASE("table transcript: verifying and locked_out", "[scenario][table]") {
    for (const bool locked_out : {false, true}) {
        World world;
        world.automatic.poll = false;
        world.poll();
        world.plc.next = {answers(AckResult::none)};
        world.plc.write_outcome = WriteOutcome::Kind::unknown;
        world.send(command("own").hold(1).task("owner"));
        if (locked_out) {
            world.advance(10s);
        }
        REQUIRE(world.channel() == (locked_out ? Channel::locked_out : Channel::verifying));
        Transcript transcript(world, Transcript::Detail::outcomes);
        world.send(command("1").car_call("3").task("owner").wait(false));
        world.send(command("2").open().task("other").wait(false));
        world.send(command("3").release().task("other"));
        check_golden(locked_out ? "table_locked_out" : "table_verifying", transcript.text());
    }
}
