#include "src/core/sight.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

constexpr TimePoint t0{std::chrono::hours(1)};

Phase phase_of(const Observation& seen) {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    sight.take(reading(t0, seen));
    return sight.phase(t0);
}

}  // namespace

TEST_CASE("phase: each phase follows from the registers", "[core][sight]") {
    CHECK(phase_of(state()) == Phase::idle);
    CHECK(phase_of(state().travel(Travel::up)) == Phase::moving);
    CHECK(phase_of(state().travel(Travel::down)) == Phase::moving);
    CHECK(phase_of(state().door(DoorState::opening)) == Phase::door_opening);
    CHECK(phase_of(state().door(DoorState::open)) == Phase::door_open);
    CHECK(phase_of(state().door(DoorState::closing)) == Phase::door_closing);
    CHECK(phase_of(state().fault(7)) == Phase::error);
}

TEST_CASE("phase: a fault comes before doors, doors before travel", "[core][sight]") {
    CHECK(phase_of(state().fault(7).door(DoorState::open).travel(Travel::up)) == Phase::error);
    CHECK(phase_of(state().door(DoorState::opening).travel(Travel::up)) == Phase::door_opening);
    CHECK(phase_of(state().door(DoorState::closing).travel(Travel::up)) == Phase::door_closing);
}

TEST_CASE("phase: of two sides opening comes before open, open before closing", "[core][sight]") {
    CHECK(phase_of(state().door(DoorState::open).rear(DoorState::opening)) == Phase::door_opening);
    CHECK(phase_of(state().door(DoorState::closing).rear(DoorState::open)) == Phase::door_open);
    CHECK(phase_of(state().door(DoorState::closed).rear(DoorState::closing)) ==
          Phase::door_closing);
    CHECK(phase_of(state().door(DoorState::closing).rear(DoorState::opening)) ==
          Phase::door_opening);
}

TEST_CASE("phase: nothing read yet is offline with quality unknown", "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    const Sight sight(config);
    CHECK(sight.phase(t0) == Phase::offline);
    CHECK(sight.quality(t0) == Quality::unknown);
    CHECK(sight.fresh(t0) == nullptr);
    CHECK_FALSE(sight.stale_at());
}

TEST_CASE("phase: a reading as old as stale_after is stale and offline", "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    sight.take(reading(t0, state().fault(7)));
    CHECK(sight.quality(t0 + config.stale_after - 1ns) == Quality::good);
    CHECK(sight.quality(t0 + config.stale_after) == Quality::stale);
    CHECK(sight.phase(t0 + config.stale_after) == Phase::offline);
    CHECK(sight.fresh(t0 + config.stale_after) == nullptr);
    CHECK(sight.last());
    CHECK(sight.stale_at() == t0 + config.stale_after);
}

TEST_CASE("phase: an unknown door or direction code is treated as stale, quality unknown",
          "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    sight.take(reading(t0, state().undecodable("door 9")));
    CHECK(sight.quality(t0) == Quality::unknown);
    CHECK(sight.phase(t0) == Phase::offline);
    CHECK(sight.fresh(t0) == nullptr);
}

TEST_CASE("phase: levelling may change the floor once while a door reads open", "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    sight.take(reading(t0, state().at_floor("2").door(DoorState::open)));
    sight.take(reading(t0, state().at_floor("3").door(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::door_open);
    sight.take(reading(t0, state().at_floor("2").door(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::error);
    CHECK_FALSE(sight.error_text().empty());
}

TEST_CASE("phase: a jump by more than one floor with a door open is an error until it closes",
          "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    sight.take(reading(t0, state().at_floor("2").door(DoorState::open)));
    sight.take(reading(t0, state().at_floor("4").door(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::error);
    sight.take(reading(t0, state().at_floor("4").door(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::error);
    sight.take(reading(t0, state().at_floor("4").door(DoorState::closing)));
    CHECK(sight.phase(t0) == Phase::door_closing);
    sight.take(reading(t0, state().at_floor("4").door(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::door_open);
}

TEST_CASE("phase: floors change freely while no door reads open", "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    for (const char* floor : {"1", "4", "2", "5", "1"}) {
        sight.take(reading(t0, state().at_floor(floor).travel(Travel::up)));
        CHECK(sight.phase(t0) == Phase::moving);
    }
    sight.take(reading(t0, state().at_floor("5").door(DoorState::opening)));
    sight.take(reading(t0, state().at_floor("5").door(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::door_open);
}

TEST_CASE("phase: a rear door alone is watched for jumping floors too", "[core][sight]") {
    const ElevatorConfig config = two_sided_config();
    Sight sight(config);
    sight.take(reading(t0, state().at_floor("1").rear(DoorState::open)));
    sight.take(reading(t0, state().at_floor("3").rear(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::error);
}

TEST_CASE("phase: what an elevator did while it could not be read is no jump", "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    sight.take(reading(t0, state().at_floor("1").door(DoorState::open)));
    sight.take(reading(t0 + 60s, state().at_floor("5").door(DoorState::open)));
    CHECK(sight.phase(t0 + 60s) == Phase::door_open);
}

TEST_CASE("phase: a reading that cannot be decoded says nothing of the floor", "[core][sight]") {
    const ElevatorConfig config = elevator_config();
    Sight sight(config);
    sight.take(reading(t0, state().at_floor("1").door(DoorState::open)));
    sight.take(reading(t0, state().at_floor("4").door(DoorState::open).undecodable("direction 7")));
    sight.take(reading(t0, state().at_floor("1").door(DoorState::open)));
    CHECK(sight.phase(t0) == Phase::door_open);
}
