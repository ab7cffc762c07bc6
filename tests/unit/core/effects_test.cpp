// The table of assumed phases: phase until the first sign, the sign, served, not served, settle.
#include "src/core/effects.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

constexpr TimePoint t0{std::chrono::hours(1)};

// Watches of one elevator and what it shows; time in offsets from the acknowledgement.
struct Watching {
    explicit Watching(ElevatorConfig it = elevator_config()) : config(std::move(it)) {}

    void acked(const Command& command, bool car_was_here = false, Duration at = {}) {
        Watch watch;
        watch.row.command = command;
        watch.row.party = {command.source.str(), Party::Kind::trip, "1"};
        watch.car_was_here = car_was_here;
        watch.acked_at = t0 + at;
        CHECK_FALSE(effects.begin(watch));
    }
    // Ended watches as "served" or "not_served", in order; "" if none.
    std::string see(Duration at, const Observation& seen) {
        sight.take(reading(t0 + at, seen));
        return update(at);
    }
    std::string update(Duration at) {
        const Phase raw = sight.phase(t0 + at);
        if (raw != Phase::idle) {
            idle_since.reset();
        } else if (!idle_since) {
            idle_since = t0 + at;
        }
        std::string out;
        for (const Effect& effect : effects.update(t0 + at, sight, idle_since)) {
            out += effect.served ? "served" : "not_served";
        }
        return out;
    }
    [[nodiscard]] Phase phase(Duration at) const { return effects.phase(sight.phase(t0 + at)); }

    ElevatorConfig config;
    std::vector<Watch> watches;
    Effects effects{config, watches};
    Sight sight{config};
    std::optional<TimePoint> idle_since;
};

const StateBuilder at1 = state();

}  // namespace

TEST_CASE("effect: a call elsewhere counts as moving until its first sign", "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    CHECK(it.see(100ms, at1).empty());
    CHECK(it.phase(100ms) == Phase::moving);
    CHECK(it.see(4s, at1).empty());
    CHECK(it.phase(4s) == Phase::moving);
}

TEST_CASE("effect: the signs of a call elsewhere are moving, a door closing, or its target",
          "[core][effects]") {
    for (const Observation& sign : {Observation(state().travel(Travel::up)),
                                    Observation(state().door(DoorState::closing)),
                                    Observation(state().target("3"))}) {
        Watching it;
        it.acked(command("1").car_call("3"));
        it.see(100ms, sign);
        CHECK(it.watches.front().sign_seen);
        // Without a sign it would end at effect_timeout.
        CHECK(it.update(600ms).empty());
        it.see(5s + 1ms, sign);
        CHECK(it.watches.size() == 1);
    }
}

TEST_CASE("effect: another target or an open door is no sign of a call elsewhere",
          "[core][effects]") {
    for (const Observation& none : {Observation(state().target("2")),
                                    Observation(state().door(DoorState::open)),
                                    Observation(state().door(DoorState::opening))}) {
        Watching it;
        it.acked(command("1").car_call("3"));
        it.see(100ms, none);
        CHECK_FALSE(it.watches.front().sign_seen);
        CHECK(it.phase(100ms) == Phase::moving);
    }
}

TEST_CASE("effect: without a sign within effect_timeout a call is not served and assumes nothing",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    CHECK(it.see(5s - 1ns, at1).empty());
    CHECK(it.phase(5s - 1ns) == Phase::moving);
    CHECK(it.update(5s) == "not_served");
    CHECK(it.phase(5s) == Phase::idle);
}

TEST_CASE("effect: a call is served when stopped there with that door opening or open",
          "[core][effects]") {
    for (const DoorState door : {DoorState::opening, DoorState::open}) {
        Watching it;
        it.acked(command("1").car_call("3"));
        CHECK(it.see(1s, state().travel(Travel::up)).empty());
        CHECK(it.see(2s, state().at_floor("3").travel(Travel::up)).empty());
        CHECK(it.see(3s, state().at_floor("3")).empty());
        CHECK(it.see(3500ms, state().at_floor("3").travel(Travel::up).door(door)).empty());
        CHECK(it.see(4s, state().at_floor("3").door(door)) == "served");
    }
}

TEST_CASE("effect: a door open elsewhere or at the wrong side serves no call", "[core][effects]") {
    Watching it{two_sided_config()};
    it.acked(command("1").car_call("2"));
    it.see(1s, state().travel(Travel::up));
    CHECK(it.see(2s, state().at_floor("1").door(DoorState::open)).empty());
    CHECK(it.see(3s, state().at_floor("2").door(DoorState::open)).empty());
    CHECK(it.see(4s, state().at_floor("2").rear(DoorState::opening)) == "served");
}

TEST_CASE("effect: a call to the floor of the car counts as door_opening until the door moves",
          "[core][effects]") {
    for (const DoorState door : {DoorState::opening, DoorState::open}) {
        Watching it;
        it.acked(command("1").car_call("1"), true);
        CHECK(it.see(100ms, at1).empty());
        CHECK(it.phase(100ms) == Phase::door_opening);
        CHECK(it.see(200ms, state().door(door)) == "served");
    }
    Watching silent;
    silent.acked(command("1").car_call("1"), true);
    CHECK(silent.see(4900ms, at1).empty());
    CHECK(silent.update(5s) == "not_served");
    CHECK(silent.phase(5s) == Phase::idle);
}

TEST_CASE("effect: open_door counts as door_opening, is signed by opening, served by open",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").open());
    CHECK(it.see(100ms, at1).empty());
    CHECK(it.phase(100ms) == Phase::door_opening);
    CHECK(it.see(200ms, state().door(DoorState::opening)).empty());
    CHECK(it.watches.front().sign_seen);
    CHECK(it.see(6s, state().door(DoorState::opening)).empty());
    CHECK(it.see(7s, state().door(DoorState::open)) == "served");
}

TEST_CASE("effect: close_door counts as door_closing, is signed by closing, served by closed",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").close());
    CHECK(it.see(100ms, state().door(DoorState::open)).empty());
    CHECK(it.phase(100ms) == Phase::door_closing);
    CHECK(it.see(200ms, state().door(DoorState::closing)).empty());
    CHECK(it.watches.front().sign_seen);
    CHECK(it.see(1s, state()) == "served");
}

TEST_CASE("effect: door commands without a sign in time are not served", "[core][effects]") {
    Watching open;
    open.acked(command("1").open());
    open.see(4900ms, state());
    CHECK(open.update(5s) == "not_served");
    Watching close;
    close.acked(command("1").close());
    close.see(4900ms, state().door(DoorState::open));
    CHECK(close.update(5s) == "not_served");
}

TEST_CASE("effect: door commands look at their own side", "[core][effects]") {
    Watching it{two_sided_config()};
    it.acked(command("1").open().side(Side::rear));
    CHECK(it.see(100ms, state().door(DoorState::open).rear(DoorState::closed)).empty());
    CHECK_FALSE(it.watches.front().sign_seen);
    CHECK(it.see(200ms, state().rear(DoorState::open)) == "served");
}

TEST_CASE("effect: hold_door counts as read and is served at once if a door is open",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").hold(5));
    it.sight.take(reading(t0 - 1ms, state().door(DoorState::open)));
    CHECK(it.phase({}) == Phase::door_open);
    CHECK(it.see(100ms, state().door(DoorState::open)) == "served");
    Watching closed;
    closed.acked(command("1").hold(5));
    CHECK(closed.see(100ms, state()).empty());
    CHECK(closed.phase(100ms) == Phase::idle);
    closed.see(4900ms, state());
    CHECK(closed.update(5s) == "not_served");
    Watching opening;
    opening.acked(command("1").hold(5));
    CHECK(opening.see(100ms, state().door(DoorState::opening)).empty());
    CHECK(opening.see(600ms, state().door(DoorState::open)) == "served");
}

TEST_CASE("effect: after set_mode everything waits until the mode reads as ordered",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").set_mode(OrderedMode::agv));
    CHECK(it.see(100ms, state()).empty());
    CHECK(it.effects.mode_pending());
    CHECK(it.see(200ms, state().mode(ServiceMode::agv)) == "served");
    CHECK_FALSE(it.effects.mode_pending());
    Watching silent;
    silent.acked(command("1").set_mode(OrderedMode::normal));
    silent.see(4900ms, state().mode(ServiceMode::agv));
    CHECK(silent.update(5s) == "not_served");
    CHECK_FALSE(silent.effects.mode_pending());
}

TEST_CASE("effect: a sign that was there already counts at once", "[core][effects]") {
    Watching open;
    open.acked(command("1").open());
    CHECK(open.see({}, state().door(DoorState::open)) == "served");
    Watching moving;
    moving.acked(command("1").car_call("3"));
    moving.see({}, state().travel(Travel::down));
    CHECK(moving.watches.front().sign_seen);
}

TEST_CASE("effect: what was read before the acknowledgement is no effect of it",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").open());
    CHECK(it.see(-1ms, state().door(DoorState::open)).empty());
    CHECK(it.watches.size() == 1);
}

TEST_CASE("effect: after the first sign idle counts as moving until the call is served",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    it.see(1s, state().travel(Travel::up));
    it.see(2s, state().at_floor("2"));
    CHECK(it.phase(2s) == Phase::moving);
    it.see(4s, state().travel(Travel::up));
    it.see(8s, state().at_floor("3"));
    CHECK(it.phase(8s) == Phase::moving);
    CHECK(it.see(9s, state().at_floor("3").door(DoorState::opening)) == "served");
    it.see(20s, state().at_floor("3"));
    CHECK(it.phase(20s) == Phase::idle);
}

TEST_CASE("effect: a car that stood closed for settle no longer counts as moving",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    it.see(1s, state().travel(Travel::up));
    it.see(10s, state().at_floor("2"));
    it.see(10s + 500ms, state().at_floor("2"));
    it.see(13s - 1ms, state().at_floor("2"));
    CHECK(it.phase(13s - 1ms) == Phase::moving);
    it.see(13s, state().at_floor("2"));
    CHECK(it.phase(13s) == Phase::idle);
    CHECK(it.watches.size() == 1);
}

TEST_CASE("effect: settle alone does not end it before effect_timeout", "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    it.see(500ms, state().door(DoorState::closing));
    it.see(1s, state());
    it.see(4900ms, state());
    CHECK(it.phase(4900ms) == Phase::moving);
    it.see(5s, state());
    CHECK(it.phase(5s) == Phase::idle);
}

TEST_CASE("effect: a break while settling starts it again", "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    it.see(1s, state().travel(Travel::up));
    it.see(10s, state());
    it.see(12s, state().travel(Travel::up));
    it.see(12500ms, state());
    it.see(14s, state());
    CHECK(it.phase(14s) == Phase::moving);
    it.see(15500ms, state());
    CHECK(it.phase(15500ms) == Phase::idle);
}

TEST_CASE("effect: not served within served_timeout is not_served", "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    it.see(1s, state().travel(Travel::up));
    it.see(120s - 1ns, state().travel(Travel::up));
    CHECK(it.watches.size() == 1);
    CHECK(it.see(120s, state().travel(Travel::up)) == "not_served");
}

TEST_CASE("effect: time-outs run while the elevator cannot be read", "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    CHECK(it.update(4s).empty());
    CHECK(it.update(5s) == "not_served");
}

TEST_CASE("effect: error and offline stay what they are, whatever is assumed", "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    CHECK(it.phase({}) == Phase::offline);
    it.see(100ms, state().fault(3));
    CHECK(it.phase(100ms) == Phase::error);
}

TEST_CASE("effect: the newest command without a sign decides the phase", "[core][effects]") {
    Watching it;
    it.acked(command("1").close());
    it.acked(command("2").car_call("3"), false, 100ms);
    it.see(200ms, state().door(DoorState::open));
    CHECK(it.phase(200ms) == Phase::moving);
    it.acked(command("3").close(), false, 300ms);
    it.see(400ms, state().door(DoorState::open));
    CHECK(it.phase(400ms) == Phase::door_closing);
}

TEST_CASE("effect: a call of a party is pending until it is served or has settled",
          "[core][effects]") {
    Watching it;
    it.acked(command("1").car_call("3"));
    const Party party{"node-a", Party::Kind::trip, "1"};
    CHECK(it.effects.call_pending(party, FloorLabel{"3"}));
    CHECK_FALSE(it.effects.call_pending(party, FloorLabel{"2"}));
    CHECK_FALSE(it.effects.call_pending({"node-b", Party::Kind::trip, "1"}, FloorLabel{"3"}));
    it.see(1s, state().travel(Travel::up));
    it.see(9s, state().at_floor("3").door(DoorState::open));
    CHECK_FALSE(it.effects.call_pending(party, FloorLabel{"3"}));
}

TEST_CASE("effect: the number of watches has a limit, the oldest gives way visibly",
          "[core][effects]") {
    Watching it;
    for (int i = 0; i < 16; ++i) {
        it.acked(command(std::to_string(i)).car_call("3"));
    }
    Watch one_more;
    one_more.row.command = command("16").car_call("3");
    const auto dropped = it.effects.begin(one_more);
    REQUIRE(dropped);
    CHECK_FALSE(dropped->served);
    CHECK(dropped->watch.row.command.seq == Seq{"0"});
}

TEST_CASE("effect: the next deadline is the earliest that can end something", "[core][effects]") {
    Watching it;
    CHECK_FALSE(it.effects.next(std::nullopt, t0));
    it.acked(command("1").car_call("3"));
    CHECK(it.effects.next(std::nullopt, t0) == t0 + 5s);
    CHECK(it.effects.next(std::nullopt, t0 + 5s) == t0 + 120s);
    it.see(6s, state().travel(Travel::up));
}
