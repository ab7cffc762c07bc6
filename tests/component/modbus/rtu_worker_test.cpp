// The bus worker on a serial line.
#include "tests/component/modbus/plant.hpp"
#include "tests/support/files.hpp"
#include "tests/support/rtu_peer.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace liftwarden;
using namespace std::chrono_literals;
using test::id;
using test::name;
using test::RtuPeer;
using test::RtuRequest;

TEST_CASE("bus worker: on a serial line one dead unit leaves the others their pace",
          "[modbus][worker][rtu]") {
    test::TempDir dir;
    std::atomic<bool> dead{false};
    RtuPeer peer(dir.file("ttyLIFT"),
                 [&dead](RtuPeer& to, const RtuRequest& request, const RtuPeer::Good& good) {
                     if (!dead || request.unit != 2) {
                         to.reply(request, good());
                     }
                 });
    test::rest_at_floor_1(peer.registers());
    ports::BusSettings settings;
    settings.type = ports::BusType::rtu;
    settings.device = peer.device();
    settings.baud = 115200;
    settings.response_timeout = test::response_timeout;
    test::BootTime clock;
    test::Sink sink;
    modbus::BusWorker worker(
        core::BusId{"rs485"}, modbus::make_bus(settings), test::units_of(4, 250ms), sink, clock);
    const auto reads_of_the_others = [&worker] {
        const auto before = worker.status();
        std::this_thread::sleep_for(6s);
        const auto after = worker.status();
        std::uint64_t reads = 0;
        for (const std::size_t unit : {0U, 2U, 3U}) {
            reads += after.units[unit].reads - before.units[unit].reads;
        }
        return reads;
    };
    REQUIRE(sink.await<core::Observed>(name(4)));
    const auto healthy = reads_of_the_others();
    dead = true;
    // Until it is asked but seldom.
    REQUIRE(test::wait_until([&] { return worker.status().units[1].faults >= 5; }, 30s));
    CHECK(reads_of_the_others() * 10 > healthy * 7);
    CHECK(worker.status().links == 1);
    CHECK(worker.status().units[0].faults == 0);
    worker.request_grant({id(1), core::GrantId{1}});
    REQUIRE(sink.await<core::GrantOpened>(name(1)));
    worker.write(test::car_call(1, 1, clock.now() + 5s));
    CHECK(sink.await<core::WriteDone>(name(1))->outcome.kind ==
          core::WriteOutcome::Kind::confirmed);
    dead = false;
    sink.clear();
    CHECK(sink.await<core::Observed>(name(2)));
}
