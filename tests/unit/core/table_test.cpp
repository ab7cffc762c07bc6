// The table by itself; every cell through the whole machine is in table_world_test.cpp.
#include "src/core/table.hpp"

#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;

namespace {

constexpr auto send = Ruling::send;
constexpr auto wait = Ruling::wait;
constexpr auto refuse = Ruling::refuse;

// One row of the table as it is printed in the design.
struct Row {
    Phase phase;
    bool owned;
    Ruling owner_call;
    Ruling other_call;
    Ruling owner_open;  // and hold
    Ruling owner_close;
    Ruling other_door;
};

const Row rows[] = {
    {Phase::idle, false, send, send, send, send, send},
    {Phase::idle, true, send, wait, send, send, wait},
    {Phase::moving, true, wait, wait, wait, wait, wait},
    {Phase::moving, false, wait, wait, wait, wait, wait},
    {Phase::door_opening, true, wait, wait, send, wait, wait},
    {Phase::door_opening, false, wait, wait, wait, wait, wait},
    {Phase::door_open, true, send, wait, send, send, wait},
    {Phase::door_open, false, wait, wait, send, send, send},
    {Phase::door_closing, true, wait, wait, send, send, wait},
    {Phase::door_closing, false, wait, wait, wait, wait, wait},
    {Phase::error, true, refuse, refuse, refuse, refuse, refuse},
    {Phase::error, false, refuse, refuse, refuse, refuse, refuse},
    {Phase::offline, true, wait, wait, wait, wait, wait},
    {Phase::offline, false, wait, wait, wait, wait, wait},
};

Scene scene(Phase phase, bool owned, bool by_owner) {
    Scene made;
    made.phase = phase;
    made.owned = owned;
    made.by_owner = by_owner;
    return made;
}

}  // namespace

TEST_CASE("table: every cell of the owner's columns is as the table says", "[core][table]") {
    for (const Row& row : rows) {
        if (!row.owned) {
            continue;
        }
        CAPTURE(row.phase);
        const Scene by_owner = scene(row.phase, true, true);
        CHECK(rule(ActionKind::car_call, by_owner) == row.owner_call);
        CHECK(rule(ActionKind::hall_call, by_owner) == row.owner_call);
        CHECK(rule(ActionKind::set_mode, by_owner) == row.owner_call);
        CHECK(rule(ActionKind::open_door, by_owner) == row.owner_open);
        CHECK(rule(ActionKind::hold_door, by_owner) == row.owner_open);
        CHECK(rule(ActionKind::close_door, by_owner) == row.owner_close);
    }
}

TEST_CASE("table: every cell of anyone else's columns is as the table says", "[core][table]") {
    for (const Row& row : rows) {
        CAPTURE(row.phase, row.owned);
        const Scene by_other = scene(row.phase, row.owned, false);
        CHECK(rule(ActionKind::car_call, by_other) == row.other_call);
        CHECK(rule(ActionKind::hall_call, by_other) == row.other_call);
        CHECK(rule(ActionKind::set_mode, by_other) == row.other_call);
        CHECK(rule(ActionKind::open_door, by_other) == row.other_door);
        CHECK(rule(ActionKind::hold_door, by_other) == row.other_door);
        CHECK(rule(ActionKind::close_door, by_other) == row.other_door);
    }
}

TEST_CASE("table: calls_while_moving allow sends the owner's calls only", "[core][table]") {
    Scene moving = scene(Phase::moving, true, true);
    moving.calls_while_moving = CallsWhileMoving::allow;
    CHECK(rule(ActionKind::car_call, moving) == send);
    CHECK(rule(ActionKind::open_door, moving) == wait);
    moving.by_owner = false;
    CHECK(rule(ActionKind::car_call, moving) == wait);
    moving.owned = false;
    CHECK(rule(ActionKind::car_call, moving) == wait);
}

TEST_CASE("table: a reversal that is not allowed waits, closing further does not",
          "[core][table]") {
    Scene closing = scene(Phase::door_closing, true, true);
    closing.reversal_allowed = false;
    CHECK(rule(ActionKind::open_door, closing) == wait);
    CHECK(rule(ActionKind::hold_door, closing) == wait);
    CHECK(rule(ActionKind::close_door, closing) == send);
}

TEST_CASE("table: an unowned door open for long enough counts as idle for calls", "[core][table]") {
    Scene open = scene(Phase::door_open, false, false);
    open.open_counts_as_idle = true;
    CHECK(rule(ActionKind::car_call, open) == send);
    CHECK(rule(ActionKind::set_mode, open) == send);
    open.owned = true;
    CHECK(rule(ActionKind::car_call, open) == wait);
}

TEST_CASE("table: everything waits while a mode change has not shown", "[core][table]") {
    for (const Phase phase : {Phase::idle, Phase::door_open, Phase::door_closing}) {
        for (const ActionKind action :
             {ActionKind::car_call, ActionKind::open_door, ActionKind::close_door}) {
            Scene pending = scene(phase, true, true);
            pending.everything_waits = true;
            CHECK(rule(action, pending) == wait);
        }
    }
    Scene fault = scene(Phase::error, true, true);
    fault.everything_waits = true;
    CHECK(rule(ActionKind::car_call, fault) == refuse);
}
