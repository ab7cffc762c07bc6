#include "drivers/sim/plc.hpp"

#include "tests/unit/sim/maps.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <vector>

using namespace liftwarden;
using namespace std::chrono_literals;
using core::TimePoint;
using ports::RegisterTable;
using sim::InputKind;
using sim::Plc;

namespace {

constexpr std::uint16_t car_call = 2;
constexpr std::uint16_t open_door = 3;
constexpr std::uint16_t set_mode = 6;

struct Stand {
    explicit Stand(InputKind input = InputKind::latch,
                   bool protect = true,
                   ports::ElevatorMap map = sim::test::full_map(),
                   core::Duration scan = 200ms)
        : plc(config(input, protect, std::move(map), scan), TimePoint{}) {}

    static sim::PlcConfig config(InputKind input,
                                 bool protect,
                                 ports::ElevatorMap map,
                                 core::Duration scan) {
        sim::PlcConfig config;
        config.id = core::ElevatorId{"EL001"};
        config.map = std::move(map);
        config.input = input;
        config.protect = protect;
        config.scan = scan;
        return config;
    }

    void send(std::uint16_t action, std::uint16_t argument, std::uint16_t seq) {
        const std::array<std::uint16_t, 4> words{action, argument, 0, seq};
        REQUIRE(plc.write(RegisterTable::holding, 100, words, now));
    }
    void pass(core::Duration time) {
        for (const TimePoint end = now + time; now < end;) {
            now += 10ms;
            plc.run(now);
        }
    }
    void scan() { pass(200ms); }
    void fault(const std::string& text) {
        const auto parsed = sim::parse_fault("EL001:" + text);
        REQUIRE(parsed.has_value());
        REQUIRE(plc.apply(*parsed, now).has_value());
    }
    void beat(std::uint16_t value) {
        const std::array<std::uint16_t, 1> words{value};
        REQUIRE(plc.write(RegisterTable::holding, 120, words, now));
    }

    [[nodiscard]] std::uint16_t input(std::uint16_t address) const {
        return plc.read(RegisterTable::input, address, 1)->front();
    }
    using Ack = std::vector<std::uint16_t>;
    [[nodiscard]] Ack ack() const { return *plc.read(RegisterTable::holding, 110, 2); }
    std::vector<std::string> decisions() {
        std::vector<std::string> words;
        for (const sim::Note& note : plc.drain()) {
            if (note.what == "command") {
                words.emplace_back(note.data.at("decision").as_string());
            }
        }
        return words;
    }
    using Words = std::vector<std::string>;

    TimePoint now{};
    Plc plc;
};

}  // namespace

TEST_CASE("plc: result and echo show in the scan that executes, not before", "[sim][plc]") {
    Stand stand;
    CHECK(stand.ack() == Stand::Ack{0, 0});
    stand.pass(50ms);
    stand.send(car_call, 3, 700);
    stand.pass(140ms);
    CHECK(stand.ack() == Stand::Ack{0, 0});
    CHECK(stand.input(1) == 0);
    stand.pass(10ms);
    CHECK(stand.ack() == Stand::Ack{700, 1});
    CHECK(stand.input(1) == 1);  // up
    CHECK(stand.input(5) == 3);  // target
}

TEST_CASE("plc: a command executes once, however often it is written", "[sim][plc]") {
    Stand stand;
    stand.send(open_door, 0, 5);
    stand.scan();
    stand.send(open_door, 0, 5);
    stand.scan();
    CHECK(stand.decisions() == Stand::Words{"executed", "duplicate"});
}

TEST_CASE("plc: only what is 1..32767 ahead is newer", "[sim][plc]") {
    CHECK(sim::is_newer(1, 2));
    CHECK(sim::is_newer(1, 32768));
    CHECK_FALSE(sim::is_newer(1, 32769));
    CHECK_FALSE(sim::is_newer(2, 1));
    CHECK_FALSE(sim::is_newer(7, 7));
    CHECK(sim::is_newer(65535, 1));  // 0 is left out
    CHECK(sim::is_newer(65534, 65535));
    CHECK_FALSE(sim::is_newer(1, 65535));

    Stand stand;
    stand.send(open_door, 0, 100);
    stand.scan();
    stand.send(car_call, 3, 99);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{100, 1});
    stand.send(car_call, 3, 0);
    stand.scan();
    CHECK(stand.decisions() == Stand::Words{"executed", "old", "empty"});
}

TEST_CASE("plc: after power-up any other number counts as new", "[sim][plc]") {
    Stand stand;
    stand.send(open_door, 0, 60000);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{60000, 1});
    stand.fault("reboot");
    CHECK(stand.ack() == Stand::Ack{0, 0});
    CHECK(stand.plc.read(RegisterTable::holding, 103, 1)->front() == 0);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{0, 0});
    stand.send(open_door, 0, 60001);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{60001, 1});
}

TEST_CASE("plc: a latch input sees only the last write before a scan", "[sim][plc]") {
    Stand stand;
    stand.send(car_call, 1, 1);
    stand.send(car_call, 3, 2);
    stand.pass(1s);
    CHECK(stand.decisions() == Stand::Words{"executed"});
    CHECK(stand.input(5) == 3);
}

TEST_CASE("plc: a queue input takes writes in order, one a scan", "[sim][plc]") {
    Stand stand{InputKind::queue};
    stand.send(car_call, 0xFFFF, 1);  // -1, where it stands
    stand.send(open_door, 0, 2);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{1, 1});
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{2, 1});
}

TEST_CASE("plc: a full queue input loses what comes then", "[sim][plc]") {
    Stand stand{InputKind::queue};
    for (std::uint16_t seq = 1; seq <= sim::MailboxInput::queue_max + 3; ++seq) {
        stand.send(open_door, 0, seq);
    }
    stand.pass(30s);
    CHECK(stand.decisions().size() == sim::MailboxInput::queue_max);
}

TEST_CASE("plc: without protection a repeated write executes again", "[sim][plc]") {
    Stand stand{InputKind::queue, false};
    stand.send(open_door, 0, 5);
    stand.scan();
    stand.send(open_door, 0, 5);
    stand.scan();
    CHECK(stand.decisions() == Stand::Words{"executed", "executed"});
}

TEST_CASE("plc: what it cannot carry out is refused with an echo", "[sim][plc]") {
    Stand stand;
    stand.send(99, 0, 1);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{1, 2});
    stand.send(car_call, 55, 2);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{2, 2});
    stand.send(set_mode, 3, 3);  // fire is not for clients to set
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{3, 2});
    CHECK(stand.input(1) == 0);
}

TEST_CASE("plc: set_mode changes the mode by the map's numbers", "[sim][plc]") {
    Stand stand;
    CHECK(stand.input(3) == 1);
    stand.send(set_mode, 2, 1);
    stand.scan();
    CHECK(stand.input(3) == 2);
    CHECK(stand.plc.car().mode() == core::ServiceMode::agv);
}

TEST_CASE("plc: a heartbeat that stands still gives the elevator back", "[sim][plc]") {
    Stand stand;
    stand.send(set_mode, 2, 1);
    stand.beat(1);
    stand.pass(5s);
    stand.beat(2);
    stand.pass(5800ms);
    CHECK(stand.plc.car().mode() == core::ServiceMode::agv);
    stand.pass(400ms);
    CHECK(stand.plc.car().mode() == core::ServiceMode::normal);
    stand.pass(1min);
    std::size_t lost = 0;
    for (const sim::Note& note : stand.plc.drain()) {
        lost += note.what == "heartbeat_lost" ? 1U : 0U;
    }
    CHECK(lost == 1);
}

TEST_CASE("plc: without a heartbeat ever seen the mode stays", "[sim][plc]") {
    Stand stand;
    stand.send(set_mode, 2, 1);
    stand.pass(1min);
    CHECK(stand.plc.car().mode() == core::ServiceMode::agv);
}

TEST_CASE("plc: status may stand in bits, coils and negative numbers", "[sim][plc]") {
    ports::ElevatorMap map = sim::test::full_map();
    map.registers["floor"] = sim::test::at(RegisterTable::holding, 9);
    map.registers["direction"] =
        sim::test::at(RegisterTable::holding, 10, {{1, "stopped"}, {2, "up"}, {3, "down"}});
    map.registers["direction"].bits = ports::BitRange{4, 6};
    map.registers["door"] = sim::test::at(
        RegisterTable::holding, 10, {{0, "closed"}, {1, "opening"}, {2, "open"}, {3, "closing"}});
    map.registers["door"].bits = ports::BitRange{0, 1};
    map.registers["occupied"] = sim::test::at(RegisterTable::coil, 4);
    Stand stand{InputKind::latch, true, map};
    CHECK(stand.plc.read(RegisterTable::holding, 9, 2) == Stand::Ack{0xFFFF, 0x10});
    stand.fault("occupied:on");
    stand.send(open_door, 0, 1);
    stand.scan();
    CHECK(stand.plc.read(RegisterTable::holding, 10, 1) == Stand::Ack{0x11});
    CHECK(stand.plc.read(RegisterTable::coil, 4, 1) == Stand::Ack{1});
}

TEST_CASE("plc: only mapped addresses exist", "[sim][plc]") {
    Stand stand;
    CHECK_FALSE(stand.plc.read(RegisterTable::holding, 99, 1));
    CHECK_FALSE(stand.plc.read(RegisterTable::holding, 103, 2));
    CHECK_FALSE(stand.plc.read(RegisterTable::holding, 0xFFFF, 2));
    CHECK(stand.plc.read(RegisterTable::input, 0, 7));
    const std::array<std::uint16_t, 2> words{1, 2};
    CHECK_FALSE(stand.plc.write(RegisterTable::holding, 103, words, stand.now));
    CHECK(stand.plc.read(RegisterTable::holding, 103, 1) == Stand::Ack{0});
}

TEST_CASE("plc: hall calls may carry their direction in the action", "[sim][plc]") {
    ports::ElevatorMap map = sim::test::full_map();
    map.codes["actions"].erase("hall_call");
    map.codes["actions"]["hall_call_up"] = 11;
    map.codes["actions"]["hall_call_down"] = 12;
    Stand stand{InputKind::latch, true, map};
    stand.send(12, 3, 1);
    stand.scan();
    CHECK(stand.ack() == Stand::Ack{1, 1});
    CHECK(stand.input(5) == 3);
}

TEST_CASE("plc: without a scan cycle everything shows at once", "[sim][plc]") {
    Stand stand{InputKind::latch, true, sim::test::full_map(), 0ms};
    CHECK_FALSE(stand.plc.deadline());
    stand.send(car_call, 1, 1);
    stand.plc.run(stand.now);
    CHECK(stand.ack() == Stand::Ack{1, 1});
    CHECK(stand.plc.deadline() == stand.now + 2s);
}

TEST_CASE("plc: one that was held up does not make up for lost scans", "[sim][plc]") {
    Stand stand{InputKind::queue};
    stand.send(open_door, 0, 1);
    stand.send(open_door, 0, 2);
    stand.now += 5s + 50ms;
    stand.plc.run(stand.now);
    CHECK(stand.ack() == Stand::Ack{1, 1});
    CHECK(stand.plc.deadline() == TimePoint{5200ms});
}

TEST_CASE("plc: the log names the door only where there are two", "[sim][plc]") {
    ports::ElevatorMap map = sim::test::full_map();
    map.floors[1].doors = {core::Side::front};
    const auto content = [](Stand stand) {
        stand.send(car_call, 3, 1);
        stand.scan();
        for (const sim::Note& note : stand.plc.drain()) {
            if (note.what == "command") {
                return std::string(note.data.at("content").as_string());
            }
        }
        return std::string("none");
    };
    CHECK(content(Stand{InputKind::latch, true, map}) == "car_call 3");
    CHECK(content(Stand{}) == "car_call 3 front");
}
