// Graces by themselves; ownership through the whole machine is in owner_world_test.cpp.
#include "src/core/ownership.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

constexpr TimePoint t0{std::chrono::hours(1)};

struct Grace {
    ElevatorConfig config = elevator_config();
    Standing standing;
    Owner owner{{"node-a", Party::Kind::trip, "1"}, std::nullopt, false, t0};
    Observation seen;

    Grace& sees(Duration at, const Observation& it, Phase raw, std::optional<Phase> phase = {}) {
        seen = it;
        standing.update(t0 + at, &seen, raw, phase.value_or(raw), true);
        return *this;
    }
    Grace& last_call(const CommandBuilder& call, bool served) {
        owner.last_call = call.content();
        owner.last_call_served = served;
        return *this;
    }
    [[nodiscard]] std::optional<GraceEnd> end() const {
        return grace_end(owner, standing, &seen, config);
    }
};

}  // namespace

TEST_CASE("grace: door commands only and doors closed is owner_grace", "[core][owner]") {
    Grace grace;
    grace.sees({}, state(), Phase::idle);
    REQUIRE(grace.end());
    CHECK(grace.end()->at == t0 + 10s);
    CHECK_FALSE(grace.end()->boarding);
}

TEST_CASE("grace: a served car call with doors closed is owner_grace", "[core][owner]") {
    Grace grace;
    grace.last_call(command("1").car_call("3"), true).sees({}, state(), Phase::idle);
    CHECK(grace.end()->at == t0 + 10s);
    CHECK_FALSE(grace.end()->boarding);
}

TEST_CASE("grace: a hall call or an unserved car call is boarding_grace with an alarm",
          "[core][owner]") {
    for (const auto& [call, served] : {std::pair{command("1").hall_call("3"), true},
                                       std::pair{command("1").car_call("3"), false}}) {
        Grace grace;
        grace.last_call(call, served).sees({}, state(), Phase::idle);
        REQUIRE(grace.end());
        CHECK(grace.end()->at == t0 + 90s);
        CHECK(grace.end()->boarding);
    }
}

TEST_CASE("grace: with a door not closed boarding_grace always applies", "[core][owner]") {
    Grace grace;
    grace.last_call(command("1").car_call("3"), true)
        .sees({}, state().door(DoorState::open), Phase::door_open);
    CHECK(grace.end()->at == t0 + 90s);
    CHECK(grace.end()->boarding);
}

TEST_CASE("grace: never ends while occupied is set", "[core][owner]") {
    Grace grace;
    grace.sees({}, state().occupied(true), Phase::idle);
    CHECK_FALSE(grace.end());
}

TEST_CASE("grace: starts again when occupied was set in between", "[core][owner]") {
    Grace grace;
    grace.sees({}, state(), Phase::idle).sees(9s, state().occupied(true), Phase::idle);
    CHECK_FALSE(grace.end());
    grace.sees(30s, state().occupied(false), Phase::idle);
    REQUIRE(grace.end());
    CHECK(grace.end()->at == t0 + 40s);
}

TEST_CASE("grace: does not run while the car moves or is assumed to", "[core][owner]") {
    Grace grace;
    grace.sees({}, state().travel(Travel::up), Phase::moving);
    CHECK_FALSE(grace.end());
    grace.sees(1s, state(), Phase::idle, Phase::moving);
    CHECK_FALSE(grace.end());
    grace.sees(5s, state(), Phase::idle);
    CHECK(grace.end()->at == t0 + 15s);
}

TEST_CASE("grace: a break in standing starts it again", "[core][owner]") {
    Grace grace;
    grace.sees({}, state(), Phase::idle).sees(8s, state().travel(Travel::up), Phase::moving);
    grace.sees(9s, state(), Phase::idle);
    CHECK(grace.end()->at == t0 + 19s);
}

TEST_CASE("grace: an elevator in error does not stand", "[core][owner]") {
    Grace grace;
    grace.sees({}, state().fault(3), Phase::error);
    CHECK_FALSE(grace.end());
}

TEST_CASE("grace: an elevator that cannot be read does not stand", "[core][owner]") {
    Grace grace;
    grace.sees({}, state(), Phase::idle);
    grace.standing.update(t0 + 5s, nullptr, Phase::offline, Phase::offline, true);
    CHECK_FALSE(grace_end(grace.owner, grace.standing, nullptr, grace.config));
    grace.sees(6s, state(), Phase::idle);
    CHECK(grace.end()->at == t0 + 16s);
}

TEST_CASE("grace: counts from the last activity if that is later", "[core][owner]") {
    Grace grace;
    grace.sees({}, state(), Phase::idle);
    grace.owner.last_activity = t0 + 7s;
    CHECK(grace.end()->at == t0 + 17s);
}

TEST_CASE("unowned_open: a door open without owner counts as idle after 15 s", "[core][owner]") {
    Grace grace;
    const Observation open = state().door(DoorState::open);
    grace.standing.update(t0, &open, Phase::door_open, Phase::door_open, false);
    CHECK(open_counts_as_idle_at(grace.standing, &open, grace.config) == t0 + 15s);
    grace.config.parks_open = true;
    CHECK(open_counts_as_idle_at(grace.standing, &open, grace.config) == t0);
}

TEST_CASE("unowned_open: an owner, a break or occupied starts it again", "[core][owner]") {
    Grace grace;
    const Observation open = state().door(DoorState::open);
    const Observation occupied = state().door(DoorState::open).occupied(true);
    grace.standing.update(t0, &open, Phase::door_open, Phase::door_open, false);
    grace.standing.update(t0 + 1s, &open, Phase::door_open, Phase::door_open, true);
    CHECK_FALSE(open_counts_as_idle_at(grace.standing, &open, grace.config));
    grace.standing.update(t0 + 2s, &open, Phase::door_open, Phase::door_open, false);
    CHECK(open_counts_as_idle_at(grace.standing, &open, grace.config) == t0 + 17s);
    grace.standing.update(t0 + 10s, &occupied, Phase::door_open, Phase::door_open, false);
    CHECK_FALSE(open_counts_as_idle_at(grace.standing, &occupied, grace.config));
    grace.standing.update(t0 + 20s, &open, Phase::door_open, Phase::door_open, false);
    CHECK(open_counts_as_idle_at(grace.standing, &open, grace.config) == t0 + 35s);
}

TEST_CASE("grace: boarding_grace counts from the last activity too", "[core][owner]") {
    Grace grace;
    grace.sees({}, state().door(DoorState::open), Phase::door_open);
    grace.owner.last_activity = t0 + 30s;
    CHECK(grace.end()->at == t0 + 120s);
}

TEST_CASE("grace: doors that are ordered to open are not closed", "[core][owner]") {
    Grace grace;
    grace.sees({}, state(), Phase::idle, Phase::door_opening);
    REQUIRE(grace.end());
    CHECK(grace.end()->boarding);
    CHECK(grace.end()->at == t0 + 90s);
}
