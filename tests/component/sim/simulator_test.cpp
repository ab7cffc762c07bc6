#include "tests/component/sim/client.hpp"
#include "tests/component/sim/running.hpp"
#include "tests/support/wait.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <thread>

using namespace liftwarden;
using namespace std::chrono_literals;
using liftwarden::test::TempDir;
using liftwarden::test::wait_until;
using sim::SimOptions;
using sim::Simulator;
using sim::test::Bytes;
using sim::test::Client;
using sim::test::Running;

namespace {

std::string create_error(std::vector<sim::SimElevator> elevators, SimOptions options = {}) {
    system::SystemClock clock;
    const auto created = Simulator::create(std::move(elevators), std::move(options), clock);
    return created ? "" : created.error().text;
}

}  // namespace

TEST_CASE("simulator: what cannot be simulated is named", "[sim]") {
    auto elevators = Running::elevators();
    elevators[1].map.unit = 1;
    CHECK(create_error(elevators) == "elevator EL002: unit 1 is taken on the same endpoint");

    elevators = Running::elevators();
    elevators[0].map.registers.erase("ack");
    CHECK(create_error(elevators) ==
          "elevator EL001: the map needs the register `ack`, two holding or input registers");

    elevators = Running::elevators();
    elevators[0].map.registers["command"].address = 65533;
    CHECK(create_error(elevators) ==
          "elevator EL001: the map needs the register `command`, four holding registers");

    SimOptions options;
    options.faults = {"EL003:busy"};
    CHECK(create_error(Running::elevators(), options) == "there is no elevator 'EL003'");
    options.faults = {"EL001:bizy"};
    CHECK(create_error(Running::elevators(), options) ==
          "fault 'EL001:bizy': there is no fault 'bizy'");

    options = {};
    options.endpoints[0].bus = core::BusId{"plc-b"};
    CHECK(create_error(Running::elevators(), options) ==
          "elevator EL001: no endpoint serves its bus plc-a");

    Running running;
    options = {};
    options.endpoints[0].port = running.port();
    CHECK(create_error(Running::elevators(), options) ==
          "cannot listen on 127.0.0.1:" + std::to_string(running.port()) +
              ": Address already in use");
    options.endpoints[0].host = "localhost";
    CHECK(create_error(Running::elevators(), options).find("not a numeric IPv4 address") !=
          std::string::npos);

    options = {};
    options.log = "/nonexistent/sim.log";
    CHECK(create_error(Running::elevators(), options) ==
          "cannot write the log /nonexistent/sim.log: No such file or directory");
}

TEST_CASE("simulator: buses with an endpoint each may use the same units", "[sim][net]") {
    auto elevators = Running::elevators();
    elevators[1].map.unit = 1;
    elevators[1].bus = core::BusId{"plc-b"};
    SimOptions options;
    options.endpoints.resize(2);
    options.endpoints[0].bus = core::BusId{"plc-a"};
    options.endpoints[1].bus = core::BusId{"plc-b"};
    options.faults = {"EL002:place:3"};
    system::SystemClock clock;
    auto created = Simulator::create(elevators, options, clock);
    REQUIRE(created.has_value());
    Simulator& simulator = **created;
    simulator.start();
    CHECK(simulator.addresses().size() == 2);
    Client a{simulator.port(0)};
    Client b{simulator.port(1)};
    CHECK(a.read(1, 4, 0, 1).front() == 0xFFFF);
    CHECK(wait_until([&] { return b.read(1, 4, 0, 1).front() == 3; }));
}

TEST_CASE("simulator: the control socket answers each line with a line", "[sim][net]") {
    TempDir directory;
    SimOptions options;
    options.control = directory.file("control");
    {
        Running sim{options};
        const auto ask = [&options](const std::string& line) {
            const auto answer = sim::control_call(options.control, line);
            return answer ? *answer : "no answer: " + answer.error().text;
        };
        CHECK(ask("ping") == "ok");
        CHECK(ask("fault EL001:place:3") == "ok");
        CHECK(ask("EL001:busy:2") == "ok");
        CHECK(ask("EL001:bizy") == "error: fault 'EL001:bizy': there is no fault 'bizy'");
        CHECK(ask("EL009:busy") == "error: there is no elevator 'EL009'");
        CHECK(ask("") == "error: fault '': expected ELEVATOR:FAULT, with * for all elevators");
        const std::string state = ask("state EL001");
        REQUIRE(state.starts_with("ok {"));
        const auto parsed = boost::json::parse(state.substr(3)).as_object();
        CHECK(parsed.at("floor") == "3");
        CHECK(parsed.at("faults").as_array().size() == 1);
        CHECK(boost::json::parse(ask("state").substr(3)).as_array().size() == 2);
        CHECK(sim.log().lines("fault_requested", "EL001").size() == 2);
    }
    struct stat status {};
    CHECK(::stat(options.control.c_str(), &status) != 0);
    CHECK_FALSE(sim::control_call(options.control, "ping").has_value());
}

TEST_CASE("simulator: a file in the way of the control socket is left alone", "[sim]") {
    TempDir directory;
    SimOptions options;
    options.control = directory.file("precious");
    liftwarden::test::write_file(options.control, "data");
    CHECK(create_error(Running::elevators(), options).find("cannot listen") == 0);
    CHECK(liftwarden::test::read_file(options.control) == "data");
}

TEST_CASE("simulator: run() ends when its descriptor becomes readable", "[sim][net]") {
    system::SystemClock clock;
    auto created = Simulator::create(Running::elevators(), {}, clock);
    REQUIRE(created.has_value());
    std::array<int, 2> pair{};
    REQUIRE(::pipe(pair.data()) == 0);
    std::thread runner{[&] { (*created)->run(pair[0]); }};
    Client client{(*created)->port()};
    CHECK(client.ask(1, {3, 0, 110, 0, 2}));
    REQUIRE(::write(pair[1], "x", 1) == 1);
    runner.join();
    ::close(pair[0]);
    ::close(pair[1]);
    CHECK((*created)->command("ping") == "ok");
}

TEST_CASE("simulator: every frame stands in the log with its values", "[sim][net]") {
    Running sim;
    Client client{sim.port()};
    CHECK(client.write_command(2, 100, {3, 0, 0, 9}));
    CHECK(client.ask(2, {3, 0, 99, 0, 1}) == Bytes{0x83, 2});
    const auto frames = sim.log().lines("frame", "EL002");
    REQUIRE(frames.size() == 4);
    CHECK(frames[0].at("dir") == "in");
    CHECK(frames[0].at("unit") == 2);
    CHECK(frames[0].at("fn") == 16);
    CHECK(frames[0].at("addr") == 100);
    CHECK(frames[0].at("values") == boost::json::array{3, 0, 0, 9});
    CHECK(frames[1].at("dir") == "out");
    CHECK(frames[3].at("exception") == 2);
    CHECK(frames[0].at("t").as_int64() <= frames[1].at("t").as_int64());
    CHECK(frames[0].at("wall").as_string().size() == 24);
}

TEST_CASE("simulator: idle, it hardly uses the processor", "[sim][net]") {
    SimOptions options;
    options.scan = 200ms;
    Running sim{options};
    // Processor time of the whole process, over as long as the simulator sees no heartbeat.
    const auto used = [] {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        const auto time = [](const timeval& t) {
            return std::chrono::seconds{t.tv_sec} + std::chrono::microseconds{t.tv_usec};
        };
        return time(usage.ru_utime) + time(usage.ru_stime);
    };
    const auto before = used();
    const auto begin = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(1s);  // the thing measured is time that passes
    const auto share = (used() - before) * 100 / (std::chrono::steady_clock::now() - begin);
    CHECK(share < 5);
}
