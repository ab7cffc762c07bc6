#include "drivers/sim/car.hpp"

#include "tests/unit/sim/maps.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace liftwarden;
using namespace std::chrono_literals;
using core::ActionKind;
using core::DoorState;
using core::FloorLabel;
using core::ServiceMode;
using core::Side;
using core::TimePoint;
using core::Travel;
using sim::Car;
using sim::CarConfig;

namespace {

// A car of the shared map standing at floor 2, and a clock that tests move.
struct Stand {
    explicit Stand(CarConfig config = {}) : car(with_floors(std::move(config))) {
        REQUIRE(car.place(now, FloorLabel{"2"}));
    }

    static CarConfig with_floors(CarConfig config) {
        config.floors = sim::test::full_map().floors;
        return config;
    }

    bool take(ActionKind action, const char* floor = nullptr, std::optional<Side> door = {}) {
        core::Content content;
        content.action = action;
        content.door = door;
        if (floor != nullptr) {
            content.floor = FloorLabel{floor};
        }
        return car.take(now, content).accepted;
    }
    bool call(const char* floor) { return take(ActionKind::car_call, floor); }
    bool hold(int seconds) {
        core::Content content;
        content.action = ActionKind::hold_door;
        content.seconds = seconds;
        return car.take(now, content).accepted;
    }

    void pass(core::Duration time) {
        now += time;
        car.advance(now);
    }
    [[nodiscard]] DoorState door() const { return car.door(Side::front); }

    TimePoint now{};
    Car car;
};

std::size_t count(const sim::Notes& notes, const std::string& what) {
    return static_cast<std::size_t>(std::count_if(
        notes.begin(), notes.end(), [&what](const sim::Note& note) { return note.what == what; }));
}

}  // namespace

TEST_CASE("car: a call to the floor where it stands opens the door", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("2"));
    CHECK(stand.door() == DoorState::opening);
    stand.pass(1999ms);
    CHECK(stand.door() == DoorState::opening);
    stand.pass(1ms);
    CHECK(stand.door() == DoorState::open);
    CHECK(stand.car.target() == nullptr);
    stand.pass(10min);
    CHECK(stand.door() == DoorState::open);
}

TEST_CASE("car: a call travels floor by floor and opens the door there", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("B1"));
    CHECK(stand.car.travel() == Travel::down);
    CHECK(stand.car.target()->label == FloorLabel{"B1"});
    stand.pass(2s);
    CHECK(stand.car.floor().label == FloorLabel{"1"});
    CHECK(stand.car.travel() == Travel::down);
    stand.pass(2s);
    CHECK(stand.car.floor().label == FloorLabel{"B1"});
    CHECK(stand.car.travel() == Travel::stopped);
    CHECK(stand.door() == DoorState::opening);
    stand.pass(2s);
    CHECK(stand.door() == DoorState::open);
}

TEST_CASE("car: a call to another floor closes an open door first", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("2"));
    stand.pass(3s);
    REQUIRE(stand.call("3"));
    CHECK(stand.door() == DoorState::closing);
    CHECK(stand.car.travel() == Travel::stopped);
    stand.pass(2s);
    CHECK(stand.car.travel() == Travel::up);
    stand.pass(4s);
    CHECK(stand.car.floor().label == FloorLabel{"3"});
    CHECK(stand.door() == DoorState::open);
    CHECK(stand.car.reversals() == 0);
}

TEST_CASE("car: told to close while the door opens, it reverses", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(500ms);
    REQUIRE(stand.take(ActionKind::close_door));
    CHECK(stand.door() == DoorState::closing);
    CHECK(stand.car.reversals() == 1);
    stand.pass(2s);
    CHECK(stand.door() == DoorState::closed);
    stand.pass(1min);
    CHECK(stand.door() == DoorState::closed);
    CHECK(stand.car.reversals() == 1);
}

TEST_CASE("car: told to open while the door closes, it reverses", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(2s);
    REQUIRE(stand.take(ActionKind::close_door));
    stand.pass(500ms);
    REQUIRE(stand.take(ActionKind::open_door));
    CHECK(stand.door() == DoorState::opening);
    CHECK(stand.car.reversals() == 1);
    CHECK_FALSE(stand.car.stopped());
}

TEST_CASE("car: a call to elsewhere while the door opens reverses it and leaves", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(500ms);
    REQUIRE(stand.call("3"));
    CHECK(stand.car.reversals() == 1);
    stand.pass(2s);
    CHECK(stand.car.travel() == Travel::up);
}

TEST_CASE("car: a repeated call while the door opens costs a reversal", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("2"));
    stand.pass(500ms);
    REQUIRE(stand.call("2"));
    CHECK(stand.door() == DoorState::closing);
    CHECK(stand.car.reversals() == 1);
    stand.pass(2s);  // closed, and the call is still there
    CHECK(stand.door() == DoorState::opening);
    stand.pass(2s);
    CHECK(stand.door() == DoorState::open);
    CHECK(stand.car.reversals() == 1);
}

TEST_CASE("car: a repeated call with the door open changes nothing", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("2"));
    stand.pass(2s);
    REQUIRE(stand.call("2"));
    CHECK(stand.door() == DoorState::open);
    stand.pass(1min);
    CHECK(stand.door() == DoorState::open);
}

TEST_CASE("car: a call to this floor while the door closes reopens it", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("2"));
    stand.pass(2s);
    REQUIRE(stand.take(ActionKind::close_door));
    stand.pass(1s);
    REQUIRE(stand.call("2"));
    CHECK(stand.door() == DoorState::opening);
    CHECK(stand.car.reversals() == 1);
}

TEST_CASE("car: three reversals within 10 s are an emergency stop", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.take(ActionKind::open_door));
    for (const ActionKind action :
         {ActionKind::close_door, ActionKind::open_door, ActionKind::close_door}) {
        CHECK_FALSE(stand.car.stopped());
        stand.pass(1s);
        REQUIRE(stand.take(action));
    }
    CHECK(stand.car.stopped());
    CHECK(stand.car.fault() == 17);
    stand.pass(1min);
    CHECK(stand.door() == DoorState::closing);  // stands where it was
    CHECK_FALSE(stand.call("3"));
    CHECK_FALSE(stand.take(ActionKind::open_door));
    CHECK(count(stand.car.drain(), "emergency_stop") == 1);
}

TEST_CASE("car: three reversals over more than 10 s are none", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(1s);
    REQUIRE(stand.take(ActionKind::close_door));
    stand.pass(1s);
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(9001ms);
    REQUIRE(stand.take(ActionKind::close_door));
    stand.pass(1s);
    REQUIRE(stand.take(ActionKind::open_door));
    CHECK(stand.car.reversals() == 3);
    CHECK_FALSE(stand.car.stopped());
}

TEST_CASE("car: reset ends the stop, the door opens and commands work again", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(1s);
    stand.car.emergency_stop(stand.now, "test");
    stand.pass(1min);
    stand.car.reset(stand.now);
    CHECK_FALSE(stand.car.fault());
    stand.pass(2s);
    CHECK(stand.door() == DoorState::open);
    REQUIRE(stand.call("3"));
    stand.pass(1min);
    CHECK(stand.car.floor().label == FloorLabel{"3"});
}

TEST_CASE("car: stopped between floors, it goes on to the next one after reset", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("B1"));
    stand.pass(1s);
    stand.car.emergency_stop(stand.now, "test");
    CHECK(stand.car.travel() == Travel::stopped);
    stand.pass(1min);
    CHECK(stand.car.floor().label == FloorLabel{"2"});
    stand.car.reset(stand.now);
    CHECK(stand.car.travel() == Travel::down);
    stand.pass(2s);
    CHECK(stand.car.floor().label == FloorLabel{"1"});
    CHECK(stand.car.travel() == Travel::stopped);
    CHECK(stand.door() == DoorState::closed);
}

TEST_CASE("car: a call while it travels waits in the list", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("3"));
    stand.pass(1s);
    REQUIRE(stand.call("1"));
    stand.pass(3s);
    CHECK(stand.car.floor().label == FloorLabel{"3"});
    CHECK(stand.door() == DoorState::open);
    stand.pass(3s);  // dwell
    CHECK(stand.door() == DoorState::closing);
    stand.pass(2s + 4s + 2s);
    CHECK(stand.car.floor().label == FloorLabel{"1"});
    CHECK(stand.door() == DoorState::open);
    CHECK(stand.car.reversals() == 0);
}

TEST_CASE("car: door commands between floors are refused", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("3"));
    stand.pass(1s);
    CHECK_FALSE(stand.take(ActionKind::open_door));
    CHECK_FALSE(stand.hold(5));
}

TEST_CASE("car: a floor's two doors are apart, and both close before it leaves", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.car.place(stand.now, FloorLabel{"1"}));
    REQUIRE(stand.take(ActionKind::car_call, "1", Side::rear));
    stand.pass(2s);
    CHECK(stand.car.door(Side::rear) == DoorState::open);
    CHECK(stand.car.door(Side::front) == DoorState::closed);
    REQUIRE(stand.take(ActionKind::open_door, nullptr, Side::front));
    stand.pass(2s);
    REQUIRE(stand.call("2"));
    CHECK(stand.car.door(Side::rear) == DoorState::closing);
    CHECK(stand.car.door(Side::front) == DoorState::closing);
    stand.pass(2s);
    CHECK(stand.car.travel() == Travel::up);
}

TEST_CASE("car: a side that the floor lacks is refused", "[sim][car]") {
    Stand stand;
    CHECK_FALSE(stand.take(ActionKind::open_door, nullptr, Side::rear));
    CHECK(stand.car.door(Side::rear) == DoorState::closed);
}

TEST_CASE("car: automatic closing is off, and obeys hold when it is on", "[sim][car]") {
    CarConfig config;
    config.auto_close = 5s;
    Stand stand{config};
    REQUIRE(stand.call("2"));
    stand.pass(3s);
    REQUIRE(stand.hold(30));
    stand.pass(29s);
    CHECK(stand.door() == DoorState::open);
    stand.pass(1s);
    CHECK(stand.door() == DoorState::closing);
}

TEST_CASE("car: hold turns a closing door round and leaves a closed one", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.hold(5));
    CHECK(stand.door() == DoorState::closed);
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(2s);
    REQUIRE(stand.take(ActionKind::close_door));
    stand.pass(1s);
    REQUIRE(stand.hold(5));
    CHECK(stand.door() == DoorState::opening);
}

TEST_CASE("car: an obstacle turns a closing door round half-way", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.take(ActionKind::open_door));
    stand.pass(2s);
    stand.car.set_door_blocked(true);
    REQUIRE(stand.take(ActionKind::close_door));
    stand.pass(1s);
    CHECK(stand.door() == DoorState::opening);
    CHECK(stand.car.reversals() == 1);
    stand.pass(2s);
    CHECK(stand.door() == DoorState::open);
}

TEST_CASE("car: a stuck door goes on moving until it is freed", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("2"));
    stand.pass(1s);
    stand.car.set_stuck(stand.now, true);
    stand.pass(1min);
    CHECK(stand.door() == DoorState::opening);
    stand.car.set_stuck(stand.now, false);
    stand.pass(2s);
    CHECK(stand.door() == DoorState::open);
}

TEST_CASE("car: in fire it takes no commands and drops its calls", "[sim][car]") {
    Stand stand;
    REQUIRE(stand.call("B1"));
    stand.pass(1s);
    stand.car.set_mode(stand.now, ServiceMode::fire);
    CHECK_FALSE(stand.call("3"));
    stand.pass(1min);
    CHECK(stand.car.floor().label == FloorLabel{"1"});
    CHECK(stand.door() == DoorState::closed);
    core::Content content;
    content.action = ActionKind::set_mode;
    content.mode = core::OrderedMode::agv;
    CHECK_FALSE(stand.car.take(stand.now, content).accepted);
}

TEST_CASE("car: the same commands at the same times give the same notes", "[sim][car]") {
    const auto run = [] {
        Stand stand;
        std::vector<std::pair<TimePoint, std::string>> seen;
        for (const char* floor : {"2", "3", "2", "1"}) {
            static_cast<void>(stand.call(floor));
            stand.pass(1300ms);
        }
        stand.pass(1min);
        for (const sim::Note& note : stand.car.drain()) {
            seen.emplace_back(note.at, note.what);
        }
        return seen;
    };
    const auto first = run();
    CHECK(first.size() > 5);
    CHECK(first == run());
}
