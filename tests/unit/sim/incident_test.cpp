// The incident that the gateway exists for, in the model alone: a car standing at floor 2 with its
// door closed gets five commands of two nodes within 70 ms.
#include "drivers/sim/command_codec.hpp"
#include "drivers/sim/plc.hpp"
#include "tests/unit/sim/maps.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>

using namespace liftwarden;
using namespace std::chrono_literals;
using core::TimePoint;
using sim::CommandBlock;
using sim::InputKind;
using sim::Plc;

namespace {

struct Received {
    core::Duration at;
    const char* action;
    const char* floor;
};

constexpr std::array<Received, 5> incident{{{0ms, "car_call", "2"},
                                            {7ms, "car_call", "2"},
                                            {18ms, "open_door", ""},
                                            {32ms, "car_call", "3"},
                                            {68ms, "close_door", ""}}};

Plc make_plc(core::Duration scan, InputKind input, bool protect) {
    sim::PlcConfig config;
    config.id = core::ElevatorId{"EL001"};
    config.map = sim::test::full_map();
    config.scan = scan;
    config.input = input;
    config.protect = protect;
    Plc plc{std::move(config), TimePoint{}};
    REQUIRE(plc.apply(*sim::parse_fault("EL001:place:2"), TimePoint{}).has_value());
    return plc;
}

void write(Plc& plc, const Received& command, std::uint16_t seq, TimePoint now) {
    const auto block = sim::encode(plc.map(), command.action, command.floor, seq);
    REQUIRE(block.has_value());
    const std::array<std::uint16_t, 4> words{
        block->action, block->argument, block->door, block->wire_seq};
    REQUIRE(plc.write(ports::RegisterTable::holding, 100, words, now));
}

void run_until(Plc& plc, TimePoint& now, TimePoint end) {
    for (; now < end; now += 1ms) {
        plc.run(now);
    }
}

}  // namespace

TEST_CASE("incident: five commands in a queue input reverse the door into an emergency stop",
          "[sim][incident]") {
    const auto scan = GENERATE(100ms, 200ms, 300ms, 500ms);
    const auto phase = GENERATE(0ms, 1ms, 50ms, 99ms);  // of the first write within a scan
    const bool protect = GENERATE(true, false);
    Plc plc = make_plc(scan, InputKind::queue, protect);
    TimePoint now{};
    run_until(plc, now, TimePoint{phase});
    std::uint16_t seq = 1001;
    for (const Received& command : incident) {
        run_until(plc, now, TimePoint{phase + command.at});
        write(plc, command, seq++, now);
    }
    run_until(plc, now, TimePoint{10s});

    CHECK(plc.car().stopped());
    CHECK(plc.car().reversals() == 3);
    const auto notes = plc.drain();
    const auto reversals = std::count_if(
        notes.begin(), notes.end(), [](const sim::Note& note) { return note.what == "reversal"; });
    CHECK(reversals == 3);
    CHECK(plc.read(ports::RegisterTable::input, 4, 1)->front() == 17);
}

TEST_CASE("incident: the same commands one at a time, each after its effect, do no harm",
          "[sim][incident]") {
    const auto input = GENERATE(InputKind::queue, InputKind::latch);
    Plc plc = make_plc(200ms, input, false);
    TimePoint now{};
    std::uint16_t seq = 1001;
    for (const Received& command : incident) {
        write(plc, command, seq++, now);
        run_until(plc, now, now + 10s);
    }
    CHECK(plc.car().reversals() == 0);
    CHECK_FALSE(plc.car().stopped());
    CHECK(plc.car().floor().label == core::FloorLabel{"3"});
    CHECK(plc.car().door(core::Side::front) == core::DoorState::closed);
}

TEST_CASE("incident: a latch input loses all commands of a scan but the last", "[sim][incident]") {
    Plc plc = make_plc(200ms, InputKind::latch, true);
    TimePoint now{1ms};
    std::uint16_t seq = 1001;
    for (const Received& command : incident) {
        run_until(plc, now, TimePoint{1ms + command.at});
        write(plc, command, seq++, now);
    }
    run_until(plc, now, TimePoint{10s});
    const auto notes = plc.drain();
    const auto executed = std::count_if(
        notes.begin(), notes.end(), [](const sim::Note& note) { return note.what == "command"; });
    CHECK(executed == 1);
    CHECK(plc.car().door(core::Side::front) == core::DoorState::closed);
    CHECK(plc.car().floor().label == core::FloorLabel{"2"});
}
