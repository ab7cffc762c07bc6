#include "drivers/sim/plc.hpp"
#include "tests/unit/sim/maps.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <vector>

using namespace liftwarden;
using namespace std::chrono_literals;
using core::TimePoint;
using ports::RegisterTable;
using sim::Plc;

namespace {

using Words = std::vector<std::uint16_t>;

struct Stand {
    Stand() : plc(config(), TimePoint{}) {}

    static sim::PlcConfig config() {
        sim::PlcConfig config;
        config.id = core::ElevatorId{"EL001"};
        config.map = sim::test::full_map();
        return config;
    }
    bool fault(const std::string& text) {
        const auto parsed = sim::parse_fault("EL001:" + text);
        REQUIRE(parsed.has_value());
        return plc.apply(*parsed, now).has_value();
    }
    void send(std::uint16_t action, std::uint16_t argument, std::uint16_t seq) {
        const std::array<std::uint16_t, 4> words{action, argument, 0, seq};
        REQUIRE(plc.write(RegisterTable::holding, 100, words, now));
        scan();
    }
    void open(std::uint16_t seq) { send(3, 0, seq); }
    void scan(int times = 1) {
        for (int i = 0; i < times; ++i) {
            now += 200ms;
            plc.run(now);
        }
    }
    [[nodiscard]] Words ack() const { return *plc.read(RegisterTable::holding, 110, 2); }
    [[nodiscard]] std::uint16_t input(std::uint16_t address) const {
        return plc.read(RegisterTable::input, address, 1)->front();
    }
    [[nodiscard]] core::DoorState door() const { return plc.car().door(core::Side::front); }

    TimePoint now{};
    Plc plc;
};

}  // namespace

TEST_CASE("plc faults: a lost acknowledgement executes and shows nothing", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("ack-lost"));
    stand.open(1);
    stand.scan(20);
    CHECK(stand.ack() == Words{0, 0});
    CHECK(stand.door() == core::DoorState::open);
    stand.open(1);  // written again: taken for a duplicate, and answered
    CHECK(stand.ack() == Words{1, 1});
}

TEST_CASE("plc faults: a late acknowledgement shows after its time", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("ack-late:1s"));
    stand.open(1);
    CHECK(stand.door() == core::DoorState::opening);
    stand.scan(4);
    CHECK(stand.ack() == Words{0, 0});
    stand.scan();
    CHECK(stand.ack() == Words{1, 1});
    stand.open(2);
    CHECK(stand.ack() == Words{2, 1});
}

TEST_CASE("plc faults: refused and busy do nothing but say so, so often", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("busy:2"));
    REQUIRE(stand.fault("refuse"));
    stand.open(1);
    CHECK(stand.ack() == Words{1, 3});
    stand.open(2);
    CHECK(stand.ack() == Words{2, 3});
    stand.open(3);
    CHECK(stand.ack() == Words{3, 2});
    CHECK(stand.door() == core::DoorState::closed);
    stand.open(4);
    CHECK(stand.ack() == Words{4, 1});
    CHECK(stand.door() == core::DoorState::opening);
}

TEST_CASE("plc faults: an unknown result code executes", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("result:77"));
    stand.open(1);
    CHECK(stand.ack() == Words{1, 77});
    CHECK(stand.door() == core::DoorState::opening);
}

TEST_CASE("plc faults: a reboot forgets registers, echo, heartbeat and calls", "[sim][faults]") {
    Stand stand;
    const std::array<std::uint16_t, 1> beat{9};
    REQUIRE(stand.plc.write(RegisterTable::holding, 120, beat, stand.now));
    stand.send(2, 3, 41);
    REQUIRE(stand.fault("reboot"));
    CHECK(stand.ack() == Words{0, 0});
    CHECK(stand.plc.read(RegisterTable::holding, 120, 1) == Words{0});
    CHECK(stand.plc.car().target() == nullptr);
}

TEST_CASE("plc faults: a foreign writer's command executes and shows its echo", "[sim][faults]") {
    Stand stand;
    stand.open(10);
    REQUIRE(stand.fault("foreign-write:car_call:3"));
    stand.scan();
    CHECK(stand.ack() == Words{11, 1});
    CHECK(stand.input(5) == 3);
    REQUIRE(stand.fault("foreign-write:open_door::500"));
    stand.scan();
    CHECK(stand.ack()[0] == 500);
    CHECK_FALSE(stand.fault("foreign-write:dance"));
    CHECK_FALSE(stand.fault("foreign-write:car_call:attic"));
}

TEST_CASE("plc faults: modes come and go by their words", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("mode:fire"));
    stand.open(1);
    CHECK(stand.input(3) == 3);
    CHECK(stand.ack() == Words{1, 2});
    REQUIRE(stand.fault("mode:agv"));
    stand.open(2);
    CHECK(stand.ack() == Words{2, 1});
    CHECK_FALSE(stand.fault("mode:seismic"));  // not in this map
    CHECK_FALSE(stand.fault("mode:party"));
}

TEST_CASE("plc faults: emergency stop, fault code and reset", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("emergency-stop"));
    stand.scan();
    CHECK(stand.input(4) == 17);
    REQUIRE(stand.fault("reset"));
    stand.scan();
    CHECK(stand.input(4) == 0);
    REQUIRE(stand.fault("fault-code:42"));
    stand.open(1);
    CHECK(stand.input(4) == 42);
    CHECK(stand.ack() == Words{1, 2});
    REQUIRE(stand.fault("fault-code:none"));
    stand.open(2);
    CHECK(stand.input(4) == 0);
    CHECK(stand.ack() == Words{2, 1});
}

TEST_CASE("plc faults: an unknown door code shows until its time is over", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("door-code:9:1s"));
    stand.scan();
    CHECK(stand.input(2) == 9);
    stand.scan(5);
    CHECK(stand.input(2) == 0);
}

TEST_CASE("plc faults: a stuck door is freed by time or by clear", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("stuck-door"));
    stand.open(1);
    stand.scan(50);
    CHECK(stand.door() == core::DoorState::opening);
    REQUIRE(stand.fault("clear"));
    stand.scan(15);
    CHECK(stand.door() == core::DoorState::open);
}

TEST_CASE("plc faults: inputs follow occupied and door-blocked", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("occupied:on"));
    REQUIRE(stand.fault("door-blocked:on"));
    stand.scan();
    CHECK(stand.plc.read(RegisterTable::discrete, 0, 2) == Words{1, 1});
    REQUIRE(stand.fault("occupied:off"));
    stand.scan();
    CHECK(stand.plc.read(RegisterTable::discrete, 0, 2) == Words{0, 1});
}

TEST_CASE("plc faults: the state names what is active and what is left of it", "[sim][faults]") {
    Stand stand;
    REQUIRE(stand.fault("busy:3"));
    REQUIRE(stand.fault("silence:2s"));
    stand.open(1);
    const auto state = stand.plc.state(stand.now);
    const auto& faults = state.at("faults").as_array();
    REQUIRE(faults.size() == 2);
    CHECK(faults[0].as_string() == "EL001:busy:3 (2 left)");
    CHECK(faults[1].as_string() == "EL001:silence:2s (1800 ms left)");
    CHECK(state.at("floor").as_string() == "B1");
}
