// What a valid file becomes.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;
using namespace liftwarden::config::test;
using namespace std::chrono_literals;
using config::Loaded;
using core::ActionKind;
using core::Side;
using ports::RegisterSpec;
using ports::RegisterTable;

namespace {

RegisterSpec at(RegisterTable table, std::uint16_t address) {
    RegisterSpec spec;
    spec.table = table;
    spec.address = address;
    return spec;
}

RegisterSpec words(RegisterTable table,
                   std::uint16_t address,
                   std::map<std::int64_t, std::string> values) {
    RegisterSpec spec = at(table, address);
    spec.values = std::move(values);
    return spec;
}

ports::ElevatorMap expected_map() {
    const std::map<std::int64_t, std::string> door = {
        {0, "closed"}, {1, "opening"}, {2, "open"}, {3, "closing"}};
    ports::ElevatorMap map;
    map.driver = "mailbox";
    map.unit = 1;
    map.floors = {{core::FloorLabel{"B1"}, 0, {Side::front}},
                  {core::FloorLabel{"1"}, 1, {Side::front, Side::rear}},
                  {core::FloorLabel{"2"}, 2, {Side::front}}};
    map.registers["command"] = at(RegisterTable::holding, 100);
    map.registers["ack"] = at(RegisterTable::holding, 110);
    map.registers["floor"] = at(RegisterTable::input, 0);
    map.registers["direction"] =
        words(RegisterTable::input, 1, {{0, "stopped"}, {1, "up"}, {2, "down"}});
    map.registers["door"] = words(RegisterTable::input, 2, door);
    map.registers["door_rear"] = words(RegisterTable::input, 3, door);
    map.registers["mode"] =
        words(RegisterTable::holding, 9, {{1, "normal"}, {2, "agv"}, {3, "fire"}});
    map.registers["mode"].bits = ports::BitRange{0, 3};
    map.registers["fault"] = at(RegisterTable::input, 5);
    map.registers["fault"].none = 0;
    map.registers["occupied"] = at(RegisterTable::discrete, 0);
    map.registers["heartbeat"] = at(RegisterTable::holding, 120);
    map.registers["heartbeat"].period = 2s;
    map.codes["actions"] = {{"hall_call", 1},
                            {"car_call", 2},
                            {"open_door", 3},
                            {"close_door", 4},
                            {"hold_door", 5},
                            {"set_mode", 6}};
    map.codes["results"] = {{"accepted", 1}, {"refused", 2}, {"busy", 3}};
    map.codes["sides"] = {{"front", 0}, {"rear", 1}};
    return map;
}

ports::ElevatorSettings expected_elevator() {
    ports::ElevatorSettings elevator;
    elevator.bus = core::BusId{"plc-a"};
    elevator.map = expected_map();
    elevator.core.id = core::ElevatorId{"EL001"};
    elevator.core.floors = elevator.map.floors;
    elevator.core.actions = {ActionKind::hall_call,
                             ActionKind::car_call,
                             ActionKind::open_door,
                             ActionKind::close_door,
                             ActionKind::hold_door,
                             ActionKind::set_mode};
    elevator.core.maps_mode = true;
    elevator.core.maps_occupied = true;
    elevator.core.maps_heartbeat = true;
    return elevator;
}

ports::Settings expected() {
    ports::Settings settings;
    settings.gateway = core::GatewayId{"gw-01"};
    settings.site = "dc-east";
    settings.mqtt.host = "broker.example";
    settings.mqtt.port = 8883;
    settings.mqtt.tls = true;
    settings.mqtt.client_id = "gw-01";
    ports::BusSettings bus;
    bus.id = core::BusId{"plc-a"};
    bus.host = "10.0.0.5";
    settings.buses = {bus};
    settings.elevators = {expected_elevator()};
    return settings;
}

// The settings of a changed sample, which must load without any problem.
ports::Settings settings_of(const std::string& text) {
    const Loaded loaded = load_sample(text);
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.empty());
    return loaded.settings;
}

}  // namespace

TEST_CASE("config: a file that says little gets the defaults for all the rest", "[config][good]") {
    const ports::Settings settings = settings_of(sample());
    REQUIRE(settings.elevators.size() == 1);
    CHECK(settings.elevators[0].map == expected_map());
    CHECK(settings.elevators[0] == expected_elevator());
    CHECK(settings == expected());
}

TEST_CASE("config: every process-wide key arrives", "[config][good]") {
    const std::string text =
        changed("mqtt:\n  url: mqtts://broker.example:8883\n", R"(control: {socket: /run/x.sock}
journal: {path: /tmp/j.db, retention: 60d, max_size: 1GiB}
queue:
  depth: 32
  source_share: 1/4
  default_ttl: {calls: 2min, door_commands: 5s}
  coalesce_window: 0s
  repeat_window: 1h
source_groups: {dispatch: [node-a, node-b], other: [node-c]}
mqtt:
  url: "mqtts://[2001:db8::1]:1234/"
  version: 3.1.1
  prefix: building
  username: "user name"
  password_file: /etc/pw
  ca_file: /etc/ca
  cert_file: /etc/cert
  key_file: /etc/key
  keepalive: 1min
)");
    ports::Settings wanted = expected();
    wanted.control.socket = "/run/x.sock";
    wanted.journal = {"/tmp/j.db", 24h * 60, 1ULL << 30};
    wanted.queue = {32, 0.25, 2min, 5s, 0s, 1h};
    wanted.source_groups = {{core::SourceId{"node-a"}, "dispatch"},
                            {core::SourceId{"node-b"}, "dispatch"},
                            {core::SourceId{"node-c"}, "other"}};
    wanted.mqtt.host = "2001:db8::1";
    wanted.mqtt.port = 1234;
    wanted.mqtt.version = 4;
    wanted.mqtt.prefix = "building";
    wanted.mqtt.username = "user name";
    wanted.mqtt.password_file = "/etc/pw";
    wanted.mqtt.ca_file = "/etc/ca";
    wanted.mqtt.cert_file = "/etc/cert";
    wanted.mqtt.key_file = "/etc/key";
    wanted.mqtt.keepalive = 60s;
    CHECK(settings_of(text) == wanted);
}

TEST_CASE("config: every key of an elevator's decisions arrives", "[config][good]") {
    const std::string text = changed("    unit: 1\n", R"(    unit: 247
    poll: 100ms
    scan: 150ms
    ack_timeout: 4s
    effect_timeout: 6s
    settle: 2s
    served_timeout: 3min
    stale_after: 1500ms
    owner_grace: 20s
    boarding_grace: 2min
    unowned_open: 0s
    parks_open: true
    door_reversal_guard: 7s
    calls_while_moving: allow
    require_mode: agv
    hold_door_max: 90
)");
    ports::Settings wanted = expected();
    wanted.elevators[0].map.unit = 247;
    core::ElevatorConfig& core = wanted.elevators[0].core;
    core.poll = 100ms;
    core.scan = 150ms;
    core.ack_timeout = 4s;
    core.effect_timeout = 6s;
    core.settle = 2s;
    core.served_timeout = 180s;
    core.stale_after = 1500ms;
    core.owner_grace = 20s;
    core.boarding_grace = 120s;
    core.unowned_open = 0s;
    core.parks_open = true;
    core.door_reversal_guard = 7s;
    core.calls_while_moving = core::CallsWhileMoving::allow;
    core.require_agv_mode = true;
    core.hold_door_max = 90;
    CHECK(settings_of(text) == wanted);
}

TEST_CASE("config: every key of a bus arrives", "[config][good]") {
    SECTION("tcp") {
        const auto bus = settings_of(changed("    host: 10.0.0.5\n", R"(    host: "fe80::5"
    port: 1502
    response_timeout: 700ms
    connect_timeout: 3s
    quiet_after_timeout: 250ms
    turnaround: 5ms
)"))
                             .buses.at(0);
        ports::BusSettings wanted = expected().buses[0];
        wanted.host = "fe80::5";
        wanted.port = 1502;
        wanted.response_timeout = 700ms;
        wanted.connect_timeout = 3s;
        wanted.quiet_after_timeout = 250ms;
        wanted.turnaround = 5ms;
        CHECK(bus == wanted);
    }
    SECTION("rtu") {
        const auto bus = settings_of(changed("    type: tcp\n    host: 10.0.0.5\n", R"(    type: rtu
    device: /dev/serial/by-id/usb-1
    baud: 38400
    parity: none
    stop_bits: 2
    response_timeout: 700ms
    quiet_after_timeout: adaptive
)"))
                             .buses.at(0);
        ports::BusSettings wanted;
        wanted.id = core::BusId{"plc-a"};
        wanted.type = ports::BusType::rtu;
        wanted.device = "/dev/serial/by-id/usb-1";
        wanted.baud = 38400;
        wanted.parity = ports::Parity::none;
        wanted.stop_bits = 2;
        wanted.response_timeout = 700ms;
        CHECK(bus == wanted);
    }
}

TEST_CASE("config: all notations of one register mean the same", "[config][good][F80]") {
    const ports::Settings plain = settings_of(sample());
    for (const char* text :
         {"40111", "400111", "{at: 40111}", "\"40111\"", "{at: 'holding:110'}"}) {
        INFO(text);
        CHECK(settings_of(changed("holding:110", text)) == plain);
    }
    CHECK(settings_of(changed("discrete:0", "10001")) == plain);
    CHECK(settings_of(changed("floor: input:0", "floor: 30001")) == plain);
}

TEST_CASE("config: floors below zero and several numbers for one word are fine", "[config][good]") {
    CHECK(settings_of(changed("B1: {value: 0}", "B1: {value: -1}"))
              .elevators[0]
              .map.floors[0]
              .value == -1);
    const auto modes = settings_of(changed("3: fire}", "3: fire, 7: fire}"))
                           .elevators[0]
                           .map.registers.at("mode")
                           .values;
    CHECK(modes.at(3) == "fire");
    CHECK(modes.at(7) == "fire");
}

TEST_CASE("config: parks_open without unowned_open means zero", "[config][good]") {
    const auto settings = settings_of(changed("unit: 1\n", "unit: 1\n    parks_open: true\n"));
    CHECK(settings.elevators[0].core.unowned_open == 0s);
}

TEST_CASE("config: JSON loads as the YAML that it is", "[config][good]") {
    const std::string json = R"({
	"gateway": {"id": "gw-01", "site": "dc-east"},
	"mqtt": {"url": "mqtts://broker.example:8883", "version": 5},
	"buses": {"plc-a": {"type": "tcp", "host": "10.0.0.5", "port": 502}},
	"elevators": {"EL001": {
		"bus": "plc-a", "unit": 1, "driver": "mailbox", "parks_open": false,
		"poll": "200ms",
		"floors": {"B1": {"value": 0}, "1": {"value": 1, "doors": ["front", "rear"]},
			"2": {"value": 2}},
		"registers": {
			"command": "holding:100", "ack": "holding:110", "floor": "input:0",
			"direction": {"at": "input:1", "values": {"0": "stopped", "1": "up", "2": "down"}},
			"door": {"at": "input:2",
				"values": {"0": "closed", "1": "opening", "2": "open", "3": "closing"}},
			"door_rear": {"at": "input:3",
				"values": {"0": "closed", "1": "opening", "2": "open", "3": "closing"}},
			"mode": {"at": "holding:9", "bits": "0..3",
				"values": {"1": "normal", "2": "agv", "3": "fire"}},
			"fault": {"at": "input:5", "none": 0}, "occupied": "discrete:0",
			"heartbeat": {"at": "holding:120", "period": "2s"}},
		"actions": {"hall_call": 1, "car_call": 2, "open_door": 3, "close_door": 4,
			"hold_door": 5, "set_mode": 6},
		"results": {"1": "accepted", "2": "refused", "3": "busy"},
		"sides": {"front": 0, "rear": 1}}}
})";
    CHECK(settings_of(json) == expected());
}

TEST_CASE("config: elevators from further files join those of the main file", "[config][good]") {
    const std::string text = sample();
    const std::string second =
        "elevators:\n" + replaced(replaced(text.substr(text.find("  EL001:")), "EL001", "EL002"),
                                  "unit: 1",
                                  "unit: 2");
    const Loaded loaded =
        config::load_text("a.yaml", text, drivers(), {{"elevators.d/b.yaml", second}});
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.empty());
    REQUIRE(loaded.settings.elevators.size() == 2);
    CHECK(loaded.settings.elevators[1].core.id.str() == "EL002");
    CHECK(loaded.settings.elevators[1].map.unit == 2);
}
