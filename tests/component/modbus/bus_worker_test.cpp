// The bus worker with the mailbox driver over real TCP.
#include "tests/component/modbus/plant.hpp"
#include "tests/support/modbus_peer.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>

using namespace liftwarden;
using namespace std::chrono_literals;
using modbus::BusWorker;
using test::id;
using test::ModbusPeer;
using test::name;
using test::PeerConnection;
using test::PeerRequest;
using test::Plant;
using test::units_of;
using Good = ModbusPeer::Good;
using Outcome = core::WriteOutcome::Kind;
using test::response_timeout;
using IoClock = std::chrono::steady_clock;

TEST_CASE("bus worker: it polls and reports what it reads", "[modbus][worker][E66]") {
    Plant plant;
    const auto before = plant.clock.now();
    REQUIRE(test::wait_until([&] { return plant.sink.all<core::Observed>().size() >= 5; }));
    const auto seen = plant.sink.all<core::Observed>();
    CHECK(seen[0].reading.observation->floor == core::FloorLabel{"1"});
    CHECK(seen[0].reading.ack.echo == core::Echo{0});
    CHECK(seen[0].reading.heartbeat == 120);
    CHECK(seen[0].reading.link == 1);
    CHECK(seen[4].reading.at - seen[1].reading.at >= 3 * 20ms - 5ms);
    CHECK(seen[0].reading.at >= before - 1s);
    const auto status = plant.worker->status();
    CHECK(status.bus == core::BusId{"plc-a"});
    CHECK(status.connected);
    CHECK(status.links == 1);
    CHECK(status.transactions >= 10);
    REQUIRE(status.units.size() == 1);
    CHECK(status.units[0].reads >= 5);
    CHECK_FALSE(status.units[0].suspended);
    const auto beats = plant.worker->heartbeats();
    CHECK(test::wait_until([&] { return plant.worker->heartbeats() > beats; }));
}

TEST_CASE("bus worker: a grant holds the bus until its write, and nothing comes between",
          "[modbus][worker]") {
    Plant plant(2);
    REQUIRE(plant.sink.await<core::Observed>(name(2)));
    const auto opened = plant.grant(1, 7);
    CHECK(opened.reading.observation);
    const auto requests = plant.peer.requests().size();
    plant.worker->request_grant({id(2), core::GrantId{8}});
    plant.worker->read({id(2), core::ReadKind::full});
    plant.worker->heartbeat({id(2), 5});
    std::this_thread::sleep_for(100ms);  // several polls would be due
    CHECK(plant.peer.requests().size() == requests);
    plant.worker->write(plant.call(1, 7));
    const auto done = plant.sink.await<core::WriteDone>(name(1));
    REQUIRE(done);
    CHECK(done->grant == core::GrantId{7});
    CHECK(done->outcome.kind == Outcome::confirmed);
    CHECK(plant.peer.requests().at(requests).pdu ==
          test::Bytes{16, 0, 100, 0, 4, 8, 0, 2, 0, 2, 0, 0, 3, 44});
    CHECK(plant.sink.await<core::GrantOpened>(name(2)));
}

TEST_CASE("bus worker: a grant nobody comes back for ends by itself", "[modbus][worker]") {
    Plant plant;
    plant.grant(1, 7);
    const auto started = IoClock::now();
    const auto closed = plant.sink.await<core::GrantClosed>();
    REQUIRE(closed);
    CHECK(closed->grant == core::GrantId{7});
    CHECK(IoClock::now() - started < modbus::grant_hold_max + 2s);
    plant.worker->write(plant.call(1, 7));
    const auto done = plant.sink.await<core::WriteDone>();
    REQUIRE(done);
    CHECK(done->outcome.kind == Outcome::not_written);
    CHECK(plant.peer.registers().writes().empty());
}

TEST_CASE("bus worker: a released grant frees the bus at once and is not answered",
          "[modbus][worker]") {
    Plant plant;
    plant.grant(1, 7);
    plant.worker->release_grant({id(1), core::GrantId{7}});
    plant.sink.clear();
    CHECK(plant.sink.await<core::Observed>());
    plant.worker->write(plant.call(1, 7));
    CHECK(plant.sink.await<core::WriteDone>()->outcome.kind == Outcome::not_written);
    CHECK(plant.sink.all<core::GrantClosed>().empty());
    CHECK(plant.peer.registers().writes().empty());
}

TEST_CASE("bus worker: a write after its time limit is not made", "[modbus][worker]") {
    Plant plant;
    plant.grant(1, 7);
    auto write = plant.call(1, 7);
    write.not_after = plant.clock.now() - 1ms;
    plant.worker->write(write);
    const auto done = plant.sink.await<core::WriteDone>();
    REQUIRE(done);
    CHECK(done->outcome.kind == Outcome::not_written);
    CHECK(plant.peer.registers().writes().empty());
}

TEST_CASE("bus worker: a write for another grant or elevator is not made", "[modbus][worker]") {
    Plant plant(2);
    plant.grant(1, 7);
    plant.worker->write(plant.call(1, 6));
    CHECK(plant.sink.await<core::WriteDone>(name(1))->outcome.kind == Outcome::not_written);
    plant.worker->write(plant.call(2, 7));
    CHECK(plant.sink.await<core::WriteDone>(name(2))->outcome.kind == Outcome::not_written);
    CHECK(plant.peer.registers().writes().empty());
}

TEST_CASE("bus worker: a reset takes an open grant back and closes the connection",
          "[modbus][worker]") {
    Plant plant;
    plant.grant(1, 7);
    plant.worker->reset({id(1)});
    CHECK(plant.sink.await<core::GrantClosed>());
    REQUIRE(test::wait_until([&] { return plant.worker->status().links == 2; }));
    CHECK(test::wait_until([&] { return plant.peer.resets() == 1; }));
    plant.sink.clear();
    CHECK(plant.sink.await<core::Observed>()->reading.link == 2);
}

TEST_CASE("bus worker: a controller that restarts in an open grant is not written to",
          "[modbus][worker]") {
    std::atomic<bool> cut{false};
    Plant plant(1, [&](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.reply(request, good());
        // The last read of the grant: the state block.
        if (cut && request.pdu[0] == 3 && request.pdu[2] == 120) {
            to.close();
        }
    });
    REQUIRE(plant.sink.await<core::Observed>());
    cut = true;
    plant.grant(1, 7);
    std::this_thread::sleep_for(20ms);  // the FIN is on its way
    plant.worker->write(plant.call(1, 7));
    const auto done = plant.sink.await<core::WriteDone>();
    REQUIRE(done);
    CHECK(done->outcome.kind == Outcome::not_written);
    CHECK(plant.peer.registers().writes().empty());
}

TEST_CASE("bus worker: a requested read goes before polling, a heartbeat is written",
          "[modbus][worker]") {
    Plant plant(1, ModbusPeer::well_behaved, 10s);
    REQUIRE(plant.sink.await<core::Observed>());
    plant.sink.clear();
    plant.worker->read({id(1), core::ReadKind::acknowledgement});
    const auto seen = plant.sink.await<core::Observed>();
    REQUIRE(seen);
    CHECK_FALSE(seen->reading.observation);
    plant.worker->heartbeat({id(1), 77});
    CHECK(test::wait_until([&] { return plant.peer.registers().get('h', 120) == 77; }));
    CHECK(plant.peer.registers().writes().size() == 1);
}

TEST_CASE("bus worker: a silent unit is suspended and does not slow the others",
          "[modbus][worker][C37][C39][E71]") {
    const auto dead = [](std::uint8_t unit) {
        return [unit](PeerConnection& to, const PeerRequest& request, const Good& good) {
            if (request.unit != unit) {
                to.reply(request, good());
            }
        };
    };
    Plant plant(4, dead(3));
    REQUIRE(test::wait_until([&] {
        const auto status = plant.worker->status();
        return status.units[2].faults >= 2 && status.units[2].suspended;
    }));
    // Asked of a suspended unit: an answer at once, not after a time-out.
    plant.sink.clear();
    const auto started = IoClock::now();
    plant.worker->request_grant({id(3), core::GrantId{9}});
    const auto closed = plant.sink.await<core::GrantClosed>(name(3));
    REQUIRE(closed);
    CHECK(IoClock::now() - started < response_timeout);
    CHECK(closed->detail.find("suspended") != std::string::npos);
    plant.worker->read({id(3), core::ReadKind::full});
    CHECK(plant.sink.await<core::ReadFailed>(name(3)));
    // The others go on at their pace.
    plant.sink.clear();
    const auto window = IoClock::now();
    REQUIRE(test::wait_until([&] { return plant.sink.all<core::Observed>(name(4)).size() >= 20; }));
    CHECK(IoClock::now() - window < 20 * response_timeout / 2);  // half a time-out each
    CHECK(plant.sink.all<core::Observed>(name(3)).empty());
    // It comes back.
    plant.peer.behave(ModbusPeer::well_behaved);
    CHECK(plant.sink.await<core::Observed>(name(3)));
    CHECK_FALSE(plant.worker->status().units[2].suspended);
}

TEST_CASE("bus worker: a unit its gateway cannot reach is suspended, the connection kept",
          "[modbus][worker][F76]") {
    const int code = GENERATE(0x0A, 0x0B);
    Plant plant(2, [code](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.sleep(30ms);  // the gateway's own time-out
        to.reply(request,
                 request.unit == 2
                     ? test::exception_reply(request.pdu, static_cast<std::uint8_t>(code))
                     : good());
    });
    REQUIRE(test::wait_until([&] { return plant.worker->status().units[1].suspended; }));
    REQUIRE(plant.sink.await<core::Observed>(name(1)));
    CHECK(plant.sink.await<core::ReadFailed>(name(2)));
    CHECK(plant.worker->status().links == 1);
    CHECK(plant.worker->status().connected);
    CHECK(plant.peer.resets() == 0);
}

TEST_CASE("bus worker: other exceptions to a read suspend nobody and give no state",
          "[modbus][worker][F74]") {
    const int code = GENERATE(1, 2, 3, 4, 5, 6);
    Plant plant(1, [code](PeerConnection& to, const PeerRequest& request, const Good&) {
        to.reply(request, test::exception_reply(request.pdu, static_cast<std::uint8_t>(code)));
    });
    REQUIRE(test::wait_until([&] { return plant.sink.all<core::ReadFailed>().size() >= 5; }));
    CHECK(plant.sink.all<core::Observed>().empty());
    CHECK_FALSE(plant.worker->status().units[0].suspended);
    CHECK(plant.worker->status().links == 1);
    // Asked for again at the usual pace, and there as soon as it may be had.
    plant.peer.behave(ModbusPeer::well_behaved);
    CHECK(plant.sink.await<core::Observed>());
}

TEST_CASE("bus worker: a grant on a unit that falls silent is closed", "[modbus][worker]") {
    Plant plant;
    REQUIRE(plant.sink.await<core::Observed>());
    plant.peer.behave([](PeerConnection&, const PeerRequest&, const Good&) {});
    plant.worker->request_grant({id(1), core::GrantId{7}});
    CHECK(plant.sink.await<core::GrantClosed>());
    CHECK(plant.sink.await<core::ReadFailed>());
    CHECK(plant.sink.all<core::GrantOpened>().empty());
}

TEST_CASE("bus worker: without an answer the outcome of a write is unknown",
          "[modbus][worker][M15]") {
    Plant plant;
    plant.grant(1, 7);
    plant.peer.behave([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        if (request.pdu[0] == 16) {
            static_cast<void>(good());
        } else {
            to.reply(request, good());
        }
    });
    plant.worker->write(plant.call(1, 7));
    const auto done = plant.sink.await<core::WriteDone>();
    REQUIRE(done);
    CHECK(done->outcome.kind == Outcome::unknown);
    plant.sink.clear();
    CHECK(plant.sink.await<core::Observed>()->reading.link == 2);
    CHECK(plant.peer.registers().writes().size() == 1);
}

TEST_CASE("bus worker: it ends quickly whatever it is waiting for", "[modbus][worker]") {
    Plant plant(2);
    SECTION("idle") {
        REQUIRE(plant.sink.await<core::Observed>());
    }
    SECTION("an open grant") {
        plant.grant(1, 7);
    }
    SECTION("a silent peer") {
        plant.peer.behave([](PeerConnection&, const PeerRequest&, const Good&) {});
        plant.worker->read({id(1), core::ReadKind::full});
        std::this_thread::sleep_for(20ms);
    }
    SECTION("nobody there") {
        ports::BusSettings settings;
        settings.host = "192.0.2.1";
        settings.connect_timeout = 60s;
        plant.worker = std::make_unique<BusWorker>(core::BusId{"far"},
                                                   modbus::make_bus(settings),
                                                   units_of(1, 20ms),
                                                   plant.sink,
                                                   plant.clock);
        std::this_thread::sleep_for(20ms);
    }
    const auto before = IoClock::now();
    plant.worker.reset();
    CHECK(IoClock::now() - before < 2s);
}

TEST_CASE("bus worker: one request at a time on an endpoint, whoever asks",
          "[modbus][worker][C32][C34][C35][C46]") {
    std::atomic<int> overlaps{0};
    Plant plant(6, [&overlaps](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.sleep(5ms);
        overlaps += to.more_waits() ? 1 : 0;
        to.reply(request, good());
    });
    plant.peer.allow_clients(1);
    for (std::uint64_t i = 1; i <= 60; ++i) {
        const std::size_t unit = 1 + i % 6;
        plant.worker->request_grant({id(unit), core::GrantId{i}});
        plant.worker->read({id(1 + (i + 3) % 6), core::ReadKind::full});
        plant.worker->heartbeat({id(1 + (i + 1) % 6), static_cast<std::uint16_t>(i)});
        std::this_thread::sleep_for(2ms);
        plant.worker->release_grant({id(unit), core::GrantId{i}});
    }
    CHECK(test::wait_until([&] { return plant.peer.requests().size() > 60; }));
    CHECK(overlaps == 0);
    CHECK(plant.peer.connections() == 1);
    CHECK(plant.peer.refused() == 0);
}

TEST_CASE("bus worker: under full polling a command is next after what is on the wire",
          "[modbus][worker][C40][B22][M21]") {
    // A round of 33 units takes over a second; polling never ends.
    Plant plant(33, [](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.sleep(20ms);
        to.reply(request, good());
    });
    REQUIRE(plant.sink.await<core::Observed>(name(33)));
    for (std::uint64_t i = 1; i <= 10; ++i) {
        const std::size_t unit = 3 * i;
        const std::size_t before = plant.peer.requests().size();
        plant.grant(unit, i);
        plant.worker->write(plant.call(unit, i));
        REQUIRE(test::wait_until(
            [&] { return plant.sink.all<core::WriteDone>(name(unit)).size() == 1; }));
        const auto requests = plant.peer.requests();
        std::size_t others = 0;
        std::size_t at = before;
        while (requests.at(at).unit != unit || requests.at(at).pdu[0] != 16) {
            others += requests.at(at).unit == unit ? 0U : 1U;
            ++at;
        }
        // What was being read, at most two requests, and one overdue poll of two.
        CHECK(others <= 4);
    }
    // And nobody is starved by it.
    CHECK(plant.worker->status().units[0].reads >= 1);
}
