#include "tests/component/sim/client.hpp"
#include "tests/component/sim/running.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace liftwarden;
using namespace std::chrono_literals;
using liftwarden::test::wait_until;
using sim::test::Bytes;
using sim::test::Client;
using sim::test::Running;
using Words = std::vector<std::uint16_t>;

namespace {

constexpr std::uint16_t command_at = 100;
constexpr std::uint16_t ack_at = 110;

bool acknowledged(Client& client, std::uint8_t unit, std::uint16_t seq, std::uint16_t result) {
    return wait_until([&] { return client.read(unit, 3, ack_at, 2) == Words{seq, result}; });
}

}  // namespace

TEST_CASE("sim server: a command is acknowledged and its effect can be read", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    CHECK(client.write_command(1, command_at, {2, 3, 0, 700}) == Bytes{16, 0, 100, 0, 4});
    CHECK(acknowledged(client, 1, 700, 1));
    CHECK(client.read(1, 4, 0, 3) == Words{0xFFFF, 1, 0});  // floor B1, going up, door closed
    CHECK(client.read(1, 3, command_at, 4) == Words{2, 3, 0, 700});

    const auto log = sim.log();
    CHECK(log.executed("EL001") == std::vector<std::string>{"car_call 3 front"});
    CHECK(log.executed("EL002").empty());
    CHECK(log.writes("EL001", 700) == 1);
    CHECK(log.writes("EL001", 701) == 0);
    CHECK(log.commands().at(0).decision == "executed");
}

TEST_CASE("sim server: all functions for reading and writing work", "[sim][net]") {
    Running sim;
    sim.fault("EL001:occupied:on");
    Client client{sim.port()};
    CHECK(wait_until([&] { return client.ask(1, {2, 0, 0, 0, 2}) == Bytes{2, 1, 1}; }));
    CHECK(client.ask(1, {4, 0, 3, 0, 1}) == Bytes{4, 2, 0, 1});
    CHECK(client.ask(1, {6, 0, 120, 0x12, 0x34}) == Bytes{6, 0, 120, 0x12, 0x34});
    CHECK(client.ask(1, {3, 0, 120, 0, 1}) == Bytes{3, 2, 0x12, 0x34});
    // The map has no coils.
    CHECK(client.ask(1, {1, 0, 0, 0, 1}) == Bytes{0x81, 2});
    CHECK(client.ask(1, {5, 0, 0, 0xFF, 0}) == Bytes{0x85, 2});
    CHECK(client.ask(1, {15, 0, 0, 0, 1, 1, 1}) == Bytes{0x8F, 2});
}

TEST_CASE("sim server: coils can be read and written", "[sim][net]") {
    auto elevators = Running::elevators();
    elevators[0].map.registers["occupied"] = sim::test::at(ports::RegisterTable::coil, 5);
    elevators[0].map.registers["door_blocked"] = sim::test::at(ports::RegisterTable::coil, 6);
    elevators[0].scan = 1h;  // or the next scan would put the truth back
    system::SystemClock clock;
    auto created = sim::Simulator::create(elevators, {}, clock);
    REQUIRE(created.has_value());
    (*created)->start();
    Client client{(*created)->port()};
    CHECK(client.ask(1, {5, 0, 5, 0xFF, 0}) == Bytes{5, 0, 5, 0xFF, 0});
    CHECK(client.ask(1, {1, 0, 5, 0, 2}) == Bytes{1, 1, 1});
    CHECK(client.ask(1, {15, 0, 5, 0, 2, 1, 2}) == Bytes{15, 0, 5, 0, 2});
    CHECK(client.ask(1, {1, 0, 5, 0, 2}) == Bytes{1, 1, 2});
}

TEST_CASE("sim server: what cannot be done gets the right exception", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    CHECK(client.ask(1, {7}) == Bytes{0x87, 1});
    CHECK(client.ask(1, {3, 0, 0, 0, 1}) == Bytes{0x83, 2});
    CHECK(client.ask(1, {4, 0, 6, 0, 2}) == Bytes{0x84, 2});
    CHECK(client.ask(1, {6, 0, 121, 0, 1}) == Bytes{0x86, 2});
    CHECK(client.ask(1, {3, 0, 100, 0, 0}) == Bytes{0x83, 3});
    CHECK(client.ask(1, {16, 0, 100, 0, 2, 3, 0, 1, 0}) == Bytes{0x90, 3});
    CHECK(client.ask(9, {3, 0, 100, 0, 1}) == Bytes{0x83, 0x0B});
    CHECK(client.ask(1, {3, 0, 100, 0, 1}) == Bytes{3, 2, 0, 0});
}

TEST_CASE("sim server: requests in one packet and in single bytes are answered in order",
          "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    for (std::uint8_t address = 100; address < 104; ++address) {
        client.send(1, {3, 0, address, 0, 1});
    }
    for (int i = 0; i < 4; ++i) {
        CHECK(client.receive() == Bytes{3, 2, 0, 0});
    }
    client.send(2, {3, 0});  // too short for its function
    CHECK(client.receive() == Bytes{0x83, 3});
    Client dripping{sim.port()};
    for (const std::uint8_t byte : Bytes{0, 9, 0, 0, 0, 6, 1, 3, 0, 100, 0, 1}) {
        dripping.send_raw({byte});
    }
    CHECK(wait_until([&] { return sim.log().lines("frame").size() >= 12; }));
    const auto frames = sim.log().lines("frame");
    CHECK(std::any_of(frames.begin(), frames.end(), [](const auto& frame) {
        return frame.at("tid") == 9 && frame.at("dir") == "out";
    }));
}

TEST_CASE("sim server: what is no Modbus frame ends the connection", "[sim][net]") {
    Running sim;
    for (const Bytes& bytes : {Bytes{0, 1, 0, 7, 0, 6, 1, 3, 0, 0, 0, 1},
                               Bytes{0, 1, 0, 0, 0, 1, 1, 3, 0, 0, 0, 1},
                               Bytes{0, 1, 0, 0, 0xFF, 0xFF, 1, 3, 0, 0, 0, 1}}) {
        Client client{sim.port()};
        client.send_raw(bytes);
        CHECK_FALSE(client.receive());
        CHECK(client.lost() == "reset");
    }
    Client client{sim.port()};
    CHECK(client.ask(1, {3, 0, 100, 0, 1}) == Bytes{3, 2, 0, 0});
}

TEST_CASE("sim server: many clients are served at once", "[sim][net]") {
    Running sim;
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 40; ++i) {
        clients.push_back(std::make_unique<Client>(sim.port()));
    }
    for (auto& client : clients) {
        client->send(2, {3, 0, 100, 0, 1});
    }
    for (auto& client : clients) {
        CHECK(client->receive() == Bytes{3, 2, 0, 0});
    }
}

TEST_CASE("sim server: the incident on the wire ends in an emergency stop", "[sim][net]") {
    sim::SimOptions options;
    options.input = sim::InputKind::queue;
    options.protect = false;
    options.scan = 200ms;
    options.faults = {"*:place:2"};
    Running sim{options};
    Client a{sim.port()};
    Client b{sim.port()};
    static_cast<void>(a.write_command(1, command_at, {2, 2, 0, 1001}));
    static_cast<void>(b.write_command(1, command_at, {2, 2, 0, 1002}));
    static_cast<void>(a.write_command(1, command_at, {3, 0, 0, 1003}));
    static_cast<void>(b.write_command(1, command_at, {2, 3, 0, 1004}));
    static_cast<void>(a.write_command(1, command_at, {4, 0, 0, 1005}));
    CHECK(wait_until([&] { return sim.log().emergency_stops("EL001") == 1; }));
    CHECK(wait_until([&] { return sim.log().commands("EL001").size() == 5; }));
    CHECK(sim.log().reversals("EL001") == 3);
    CHECK(sim.log().reversals("EL002") == 0);
    CHECK(a.read(1, 4, 4, 1) == Words{17});
}
