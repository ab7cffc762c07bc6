#include "src/core/coalesce.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

constexpr TimePoint t0{std::chrono::hours(1)};
const Party party_a{"node-a", Party::Kind::trip, "1"};
const Party party_b{"node-b", Party::Kind::trip, "2"};

// Command 1 of node-a was acknowledged at t0 and node-a owns the elevator.
struct Repeated {
    ElevatorConfig config = two_sided_config();
    std::vector<Watch> watches;
    Effects effects{config, watches};
    std::optional<LastAcked> last;
    std::optional<Owner> owner{Owner{party_a, std::nullopt, false, t0}};
    Observation seen = state();
    Phase raw = Phase::idle;
    Duration age = 1s;
    Party sender = party_b;

    explicit Repeated(const CommandBuilder& first, bool watched = true) {
        const Command it = first;
        last = LastAcked{{it.source, it.seq}, it.content, party_a, t0};
        if (watched) {
            Watch watch;
            watch.row.command = it;
            watch.row.party = party_a;
            watch.acked_at = t0;
            effects.begin(watch);
        }
    }
    Repeated& shows(const Observation& it, Phase phase) {
        seen = it;
        raw = phase;
        return *this;
    }
    [[nodiscard]] bool by(const CommandBuilder& second) const {
        CommandRow row;
        row.command = second;
        row.party = sender;
        return coalesces(row, last, owner, effects, seen, raw, t0 + age, 5s, config);
    }
};

}  // namespace

TEST_CASE("coalesce: the same call while the first is on its way", "[core][coalesce]") {
    const Repeated it{command("1").car_call("3")};
    CHECK(it.by(command("2").car_call("3")));
}

TEST_CASE("coalesce: another action, floor, direction or door is another order",
          "[core][coalesce]") {
    const Repeated it{command("1").hall_call("1")};
    CHECK(it.by(command("2").hall_call("1")));
    CHECK(it.by(command("2").hall_call("1").side(Side::front)));
    CHECK_FALSE(it.by(command("2").hall_call("1").side(Side::rear)));
    CHECK_FALSE(it.by(command("2").hall_call("2")));
    CHECK_FALSE(it.by(command("2").car_call("1")));
    CHECK_FALSE(it.by(command("2").hall_call("1").up()));
}

TEST_CASE("coalesce: only within coalesce_window", "[core][coalesce]") {
    Repeated it{command("1").car_call("3")};
    it.age = 5s;
    CHECK(it.by(command("2").car_call("3")));
    it.age = 5s + 1ns;
    CHECK_FALSE(it.by(command("2").car_call("3")));
}

TEST_CASE("coalesce: the first sender must still own the elevator, or be the same party",
          "[core][coalesce]") {
    Repeated it{command("1").car_call("3")};
    it.owner.reset();
    CHECK_FALSE(it.by(command("2").car_call("3")));
    it.owner = Owner{party_b, std::nullopt, false, t0};
    CHECK_FALSE(it.by(command("2").car_call("3")));
    it.sender = party_a;
    CHECK(it.by(command("2").car_call("3")));
    it.owner.reset();
    CHECK(it.by(command("2").car_call("3")));
}

TEST_CASE("coalesce: nothing to coalesce with", "[core][coalesce]") {
    Repeated it{command("1").car_call("3")};
    it.last.reset();
    CHECK_FALSE(it.by(command("2").car_call("3")));
}

TEST_CASE("coalesce: hold_door, set_mode and release never do", "[core][coalesce]") {
    CHECK_FALSE(Repeated{command("1").hold(5)}.by(command("2").hold(5)));
    CHECK_FALSE(Repeated{command("1").set_mode(OrderedMode::agv)}.by(
        command("2").set_mode(OrderedMode::agv)));
    CHECK_FALSE(Repeated{command("1").car_call("3")}.by(command("2").release()));
}

TEST_CASE("coalesce: a call that was served and whose door is still not closed",
          "[core][coalesce]") {
    Repeated it{command("1").car_call("3"), false};
    CHECK(it.shows(state().at_floor("3").door(DoorState::open), Phase::door_open)
              .by(command("2").car_call("3")));
    CHECK(it.shows(state().at_floor("3").door(DoorState::opening), Phase::door_opening)
              .by(command("2").car_call("3")));
    CHECK_FALSE(it.shows(state().at_floor("3"), Phase::idle).by(command("2").car_call("3")));
}

TEST_CASE("coalesce: a car elsewhere with nothing assumed has lost the effect",
          "[core][coalesce]") {
    Repeated it{command("1").car_call("3"), false};
    CHECK_FALSE(it.shows(state().at_floor("2"), Phase::idle).by(command("2").car_call("3")));
    CHECK_FALSE(it.shows(state().at_floor("2").door(DoorState::open), Phase::door_open)
                    .by(command("2").car_call("3")));
    CHECK_FALSE(it.shows(state().at_floor("3").travel(Travel::up), Phase::moving)
                    .by(command("2").car_call("3")));
    CHECK_FALSE(it.shows(state().at_floor("2").travel(Travel::up), Phase::moving)
                    .by(command("2").car_call("3")));
}

TEST_CASE("coalesce: door commands only while the door still moves that way", "[core][coalesce]") {
    Repeated open{command("1").open()};
    CHECK(open.by(command("2").open()));  // ordered, not begun
    open.watches.front().sign_seen = true;
    CHECK(
        open.shows(state().door(DoorState::opening), Phase::door_opening).by(command("2").open()));
    CHECK_FALSE(
        open.shows(state().door(DoorState::open), Phase::door_open).by(command("2").open()));
    CHECK_FALSE(
        open.shows(state().door(DoorState::closing), Phase::door_closing).by(command("2").open()));
    Repeated close{command("1").close()};
    close.watches.front().sign_seen = true;
    CHECK(close.shows(state().door(DoorState::closing), Phase::door_closing)
              .by(command("2").close()));
    CHECK_FALSE(close.shows(state(), Phase::idle).by(command("2").close()));
    CHECK_FALSE(close.shows(state().door(DoorState::opening), Phase::door_opening)
                    .by(command("2").close()));
}

TEST_CASE("coalesce: the other side moving says nothing of this one", "[core][coalesce]") {
    Repeated open{command("1").open().side(Side::rear), false};
    CHECK_FALSE(
        open.shows(state().door(DoorState::opening).rear(DoorState::open), Phase::door_opening)
            .by(command("2").open().side(Side::rear)));
    CHECK(open.shows(state().door(DoorState::closed).rear(DoorState::opening), Phase::door_opening)
              .by(command("2").open().side(Side::rear)));
}
