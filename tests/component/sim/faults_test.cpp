#include "tests/component/sim/client.hpp"
#include "tests/component/sim/running.hpp"
#include "tests/support/net.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>

using namespace liftwarden;
using namespace std::chrono_literals;
using liftwarden::test::accepts_connections;
using liftwarden::test::wait_until;
using sim::test::Bytes;
using sim::test::Client;
using sim::test::Running;
using Words = std::vector<std::uint16_t>;

namespace {

constexpr std::uint16_t command_at = 100;
constexpr std::uint16_t ack_at = 110;
constexpr int soon = 200;  // ms: long enough for what must not come
const Bytes written{16, 0, 100, 0, 4};
const Bytes ack_request{3, 0, ack_at, 0, 2};

std::optional<Bytes> open_door(Client& client, std::uint16_t seq, std::uint8_t unit = 1) {
    return client.write_command(unit, command_at, {3, 0, 0, seq});
}

bool shows(Client& client, const Words& ack) {
    return wait_until([&] { return client.read(1, 3, ack_at, 2) == ack; });
}

void send_open_door(Client& client, std::uint8_t seq) {
    client.send(1, {16, 0, command_at, 0, 4, 8, 0, 3, 0, 0, 0, 0, 0, seq});
}

}  // namespace

TEST_CASE("sim faults: the reply of a write is lost, the command is executed", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    sim.fault("EL001:reply-lost");
    send_open_door(client, 5);
    CHECK_FALSE(client.receive(soon));
    CHECK(shows(client, {5, 1}));
    CHECK(sim.log().executed("EL001").size() == 1);
    CHECK(open_door(client, 6) == written);
}

TEST_CASE("sim faults: a write is confirmed and ignored", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    sim.fault("EL001:ignore-write");
    // A heartbeat does not use it up.
    CHECK(client.ask(1, {6, 0, 120, 0, 1}) == Bytes{6, 0, 120, 0, 1});
    CHECK(open_door(client, 5) == written);
    CHECK(open_door(client, 6) == written);
    CHECK(shows(client, {6, 1}));
    CHECK(sim.log().writes("EL001", 5) == 0);
    CHECK(sim.log().writes("EL001", 6) == 1);
}

TEST_CASE("sim faults: silence concerns one unit and ends by itself", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    sim.fault("EL001:silence:2");
    client.send(1, ack_request);
    send_open_door(client, 5);
    CHECK_FALSE(client.receive(soon));
    CHECK(client.ask(2, ack_request) == Bytes{3, 4, 0, 0, 0, 0});
    CHECK(client.ask(1, ack_request) == Bytes{3, 4, 0, 0, 0, 0});
    CHECK(sim.log().writes() == 0);
}

TEST_CASE("sim faults: exceptions on reads, on commands, or on everything", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    sim.fault("EL001:exception-read:4");
    sim.fault("EL001:exception-write:6");
    CHECK(client.ask(1, {6, 0, 120, 0, 1}) == Bytes{6, 0, 120, 0, 1});
    CHECK(open_door(client, 5) == Bytes{0x90, 6});
    CHECK(client.ask(1, ack_request) == Bytes{0x83, 4});
    CHECK(client.ask(1, ack_request) == Bytes{3, 4, 0, 0, 0, 0});
    sim.fault("EL001:exception:11:2");
    CHECK(client.ask(1, {6, 0, 120, 0, 1}) == Bytes{0x86, 11});
    CHECK(client.ask(1, ack_request) == Bytes{0x83, 11});
    CHECK(sim.log().writes() == 0);
}

TEST_CASE("sim faults: the link breaks before or after the write", "[sim][net]") {
    Running sim;
    sim.fault("EL001:drop-before-write");
    {
        Client client{sim.port()};
        send_open_door(client, 5);
        CHECK_FALSE(client.receive());
        CHECK(client.lost() == "reset");
    }
    sim.fault("EL001:drop-after-write");
    {
        Client client{sim.port()};
        send_open_door(client, 6);
        CHECK_FALSE(client.receive());
        CHECK(client.lost() == "reset");
    }
    Client client{sim.port()};
    CHECK(shows(client, {6, 1}));
    CHECK(sim.log().writes("EL001", 5) == 0);
    CHECK(sim.log().writes("EL001", 6) == 1);
}

TEST_CASE("sim faults: drop-link resets connections, new ones are served", "[sim][net]") {
    Running sim;
    Client idle{sim.port()};
    CHECK(idle.ask(1, ack_request));
    sim.fault("EL001:drop-link");
    CHECK_FALSE(idle.receive());
    CHECK(idle.lost() == "reset");
    Client client{sim.port()};
    CHECK(client.ask(1, ack_request));
}

TEST_CASE("sim faults: the endpoint refuses connections for a time", "[sim][net]") {
    Running sim;
    Client idle{sim.port()};
    CHECK(idle.ask(1, ack_request));
    const auto begin = std::chrono::steady_clock::now();
    sim.fault("EL001:refuse-connections:1s");
    CHECK_FALSE(accepts_connections(sim.port()));
    CHECK_FALSE(idle.receive());
    CHECK(wait_until([&] { return accepts_connections(sim.port()); }));
    CHECK(std::chrono::steady_clock::now() - begin >= 990ms);
    Client client{sim.port()};
    CHECK(client.ask(1, ack_request));
}

TEST_CASE("sim faults: slow replies come late and in order", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    sim.fault("EL001:slow:150ms:1");
    const auto begin = std::chrono::steady_clock::now();
    client.send(1, ack_request);
    client.send(1, {3, 0, 120, 0, 1});
    CHECK(client.receive() == Bytes{3, 4, 0, 0, 0, 0});
    CHECK(std::chrono::steady_clock::now() - begin >= 150ms);
    CHECK(client.receive() == Bytes{3, 2, 0, 0});
}

TEST_CASE("sim faults: a reboot with a time is gone for that time and comes back empty",
          "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    CHECK(open_door(client, 60000) == written);
    CHECK(shows(client, {60000, 1}));
    sim.fault("EL001:reboot:200ms");
    CHECK_FALSE(client.receive());
    CHECK(client.lost() == "reset");
    CHECK(wait_until([&] { return accepts_connections(sim.port()); }));
    Client again{sim.port()};
    CHECK(again.read(1, 3, ack_at, 2) == Words{0, 0});
    CHECK(open_door(again, 60001) == written);
    CHECK(shows(again, {60001, 1}));
    CHECK(sim.log().lines("reboot", "EL001").size() == 1);
}

TEST_CASE("sim faults: given at the start they are in effect at once", "[sim][net]") {
    sim::SimOptions options;
    options.faults = {"EL001:mode:fire", "EL002:busy"};
    Running sim{options};
    Client client{sim.port()};
    CHECK(wait_until([&] { return client.read(1, 4, 3, 1) == Words{3}; }));
    CHECK(open_door(client, 5) == written);
    CHECK(shows(client, {5, 2}));
    CHECK(open_door(client, 5, 2) == written);
    CHECK(wait_until([&] { return client.read(2, 3, ack_at, 2) == Words{5, 3}; }));
}
