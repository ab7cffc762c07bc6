// The bus worker on a serial line.
#include "tests/component/modbus/plant.hpp"
#include "tests/support/files.hpp"
#include "tests/support/rtu_peer.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <memory>
#include <thread>

using namespace liftwarden;
using namespace std::chrono_literals;
using test::id;
using test::name;
using test::RtuPeer;
using test::RtuRequest;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto poll = 250ms;
constexpr std::size_t units = 8;
constexpr std::size_t dead_unit = 3;  // EL3, number 2 in lists

// A serial line with eight elevators, of which one can die, and a worker on it.
struct SerialPlant {
    SerialPlant()
        : peer(dir.file("ttyLIFT"),
               [this](RtuPeer& to, const RtuRequest& request, const RtuPeer::Good& good) {
                   overlaps += to.more_waits() ? 1 : 0;
                   if (!dead || request.unit != dead_unit) {
                       to.reply(request, good());
                   }
               }) {
        test::rest_at_floor_1(peer.registers());
        ports::BusSettings settings;
        settings.type = ports::BusType::rtu;
        settings.device = peer.device();
        settings.baud = 115200;
        settings.response_timeout = test::response_timeout;
        worker = std::make_unique<modbus::BusWorker>(core::BusId{"rs485"},
                                                     modbus::make_bus(settings),
                                                     test::units_of(units, poll),
                                                     sink,
                                                     clock);
    }

    std::uint64_t probes() const {
        const auto requests = peer.requests();
        return static_cast<std::uint64_t>(
            std::count_if(requests.begin(), requests.end(), [](const RtuRequest& request) {
                return request.unit == dead_unit;
            }));
    }
    // From one question to the dead unit to the next.
    bool await_probe() const {
        const auto before = probes();
        return test::wait_until([&] { return probes() > before; }, 30s);
    }
    std::uint64_t reads_of_the_others() const {
        const auto status = worker->status();
        std::uint64_t reads = 0;
        for (std::size_t unit = 0; unit < units; ++unit) {
            reads += unit + 1 == dead_unit ? 0 : status.units[unit].reads;
        }
        return reads;
    }

    test::TempDir dir;
    std::atomic<bool> dead{false};
    std::atomic<int> overlaps{0};
    test::BootTime clock;
    test::Sink sink;
    RtuPeer peer;
    std::unique_ptr<modbus::BusWorker> worker;
};

}  // namespace

TEST_CASE(
    "bus worker: of eight units on a serial line one is dead: the others keep over nine tenths of "
    "their polling, and their commands wait one time-out a period",
    "[modbus][worker][rtu][C39][M22]") {
    SerialPlant plant;
    REQUIRE(plant.sink.await<core::Observed>(name(units)));
    plant.dead = true;
    const auto suspended = [&] { return plant.worker->status().units[dead_unit - 1].suspended; };
    // Failed twice for good: asked once more and left alone.
    REQUIRE(test::wait_until([&] { return plant.probes() > 0 && suspended(); }));
    REQUIRE(plant.await_probe());

    REQUIRE(plant.await_probe());
    const auto from = Clock::now();
    const auto before = plant.reads_of_the_others();
    REQUIRE(plant.await_probe());
    REQUIRE(plant.await_probe());
    const auto window = Clock::now() - from;
    const auto reads = plant.reads_of_the_others() - before;
    const double share = static_cast<double>(reads) /
                         (static_cast<double>(units - 1) * std::chrono::duration<double>(window) /
                          std::chrono::duration<double>(poll));
    std::cout << "one dead unit of eight: the others keep " << share * 100 << " %\n";
    CHECK(share > 0.9);
    CHECK(plant.worker->status().links == 1);
    CHECK(plant.worker->status().units[0].faults == 0);

    // Commands of another unit, one after the other, through one whole period.
    const auto probed = plant.probes();
    int waited = 0;
    std::uint64_t number = 0;
    while (plant.probes() == probed) {
        plant.sink.clear();
        const auto asked = Clock::now();
        plant.worker->request_grant({id(1), core::GrantId{++number}});
        REQUIRE(plant.sink.await<core::GrantOpened>(name(1)));
        waited += Clock::now() - asked > test::response_timeout / 2 ? 1 : 0;
        plant.worker->release_grant({id(1), core::GrantId{number}});
        std::this_thread::sleep_for(50ms);
    }
    CHECK(number > 20);
    CHECK(waited <= 1);

    plant.dead = false;
    plant.sink.clear();
    CHECK(plant.sink.await<core::Observed>(name(dead_unit)));
    CHECK(plant.overlaps == 0);
}

TEST_CASE("bus worker: two units on one line are never asked at once",
          "[modbus][worker][rtu][C33]") {
    SerialPlant plant;
    REQUIRE(plant.sink.await<core::Observed>(name(units)));
    for (std::uint64_t i = 1; i <= 30; ++i) {
        plant.worker->read({id(1), core::ReadKind::full});
        plant.worker->request_grant({id(2), core::GrantId{i}});
        std::this_thread::sleep_for(5ms);
        plant.worker->release_grant({id(2), core::GrantId{i}});
    }
    CHECK(plant.overlaps == 0);
    CHECK(plant.worker->status().faults == 0);
}
