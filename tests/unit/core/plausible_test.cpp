// Rows that no core has written.
#include "tests/support/core_world.hpp"

#include <liftwarden/core/plausible.hpp>

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

TEST_CASE("plausible: every row of a life is", "[core][plausible]") {
    World world;
    world.poll();
    world.send(command("1").car_call("3").task("T"));
    world.send(command("2").release().task("T"));
    world.advance(3s);
    for (const CommandRow& row : world.journal().commands) {
        CHECK_FALSE(why_implausible(row));
    }
    for (const auto& [id, row] : world.journal().elevators) {
        CHECK_FALSE(why_implausible(row));
    }
}

TEST_CASE("plausible: a written command has wire_seq and echo, and is no release",
          "[core][plausible]") {
    CommandRow row;
    row.command.content.action = ActionKind::close_door;
    row.status = Status::sent;
    row.wire_seq = WireSeq{2};
    row.echo_before = Echo{1};
    CHECK_FALSE(why_implausible(row));
    SECTION("no wire_seq") {
        row.wire_seq.reset();
    }
    SECTION("wire_seq 0") {
        row.wire_seq = WireSeq{0};
    }
    SECTION("no echo") {
        row.echo_before.reset();
    }
    SECTION("a release") {
        row.command.content.action = ActionKind::release;
    }
    SECTION("a call to nowhere") {
        row.command.content.action = ActionKind::car_call;
    }
    SECTION("a mode that is none") {
        row.command.content.action = ActionKind::set_mode;
    }
    CHECK(why_implausible(row));
}

TEST_CASE("plausible: what is watched can have an effect", "[core][plausible]") {
    ElevatorRow row;
    row.watches.emplace_back();
    row.watches[0].row.command.content.action = ActionKind::release;
    CHECK(why_implausible(row));
    row.watches[0].row.command.content.action = ActionKind::open_door;
    CHECK_FALSE(why_implausible(row));
}
