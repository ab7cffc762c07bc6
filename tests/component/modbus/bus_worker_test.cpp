// The bus worker with the mailbox driver over real TCP.
#include "drivers/modbus/bus_worker.hpp"

#include "drivers/mailbox/driver.hpp"
#include "drivers/modbus/tcp_bus.hpp"
#include "tests/support/modbus_peer.hpp"
#include "tests/support/net.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>
#include <time.h>

#include <deque>
#include <mutex>
#include <string>
#include <thread>

using namespace liftwarden;
using namespace std::chrono_literals;
using modbus::BusUnit;
using modbus::BusWorker;
using modbus::TcpBus;
using test::ModbusPeer;
using test::PeerConnection;
using test::PeerRequest;
using Good = ModbusPeer::Good;
using Outcome = core::WriteOutcome::Kind;
using IoClock = std::chrono::steady_clock;

namespace {

class BootTime final : public ports::Clock {
  public:
    core::TimePoint now() const override {
        timespec time{};
        ::clock_gettime(CLOCK_BOOTTIME, &time);
        return core::TimePoint{std::chrono::seconds{time.tv_sec} +
                               std::chrono::nanoseconds{time.tv_nsec}};
    }
    core::WallTime wall() const override { return {}; }
    bool wall_is_synchronised() const override { return false; }
};

// Keeps every event with its time of arrival.
class Sink final : public ports::EventSink {
  public:
    void post(core::Event event) override {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
    }

    template <class T>
    std::vector<T> all(const std::string& elevator = {}) const {
        const std::lock_guard lock(mutex_);
        std::vector<T> found;
        for (const core::Event& event : events_) {
            const T* typed = std::get_if<T>(&event);
            if (typed != nullptr && (elevator.empty() || typed->elevator.str() == elevator)) {
                found.push_back(*typed);
            }
        }
        return found;
    }

    template <class T>
    std::optional<T> await(const std::string& elevator = {}) const {
        if (!test::wait_until([&] { return !all<T>(elevator).empty(); })) {
            return std::nullopt;
        }
        return all<T>(elevator).back();
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        events_.clear();
    }

  private:
    mutable std::mutex mutex_;
    std::vector<core::Event> events_;
};

ports::ElevatorMap map_for(std::uint8_t unit) {
    using ports::RegisterSpec;
    using ports::RegisterTable;
    ports::ElevatorMap map;
    map.driver = "mailbox";
    map.unit = unit;
    map.floors = {{core::FloorLabel{"1"}, 1, {core::Side::front}},
                  {core::FloorLabel{"2"}, 2, {core::Side::front}}};
    const auto at = [&map](const char* key, std::uint16_t address) -> RegisterSpec& {
        RegisterSpec& spec = map.registers[key];
        spec.address = address;
        return spec;
    };
    at("command", 100);
    at("ack", 110);
    at("floor", 112);
    at("direction", 113).values = {{0, "stopped"}, {1, "up"}, {2, "down"}};
    at("door", 114).values = {{0, "closed"}, {1, "opening"}, {2, "open"}, {3, "closing"}};
    at("heartbeat", 120);
    map.codes["actions"] = {{"hall_call", 1}, {"car_call", 2}};
    map.codes["results"] = {{"accepted", 1}};
    return map;
}

std::string name(std::size_t unit) {
    return "EL" + std::to_string(unit);
}

core::ElevatorId id(std::size_t unit) {
    return core::ElevatorId{name(unit)};
}

// A peer on which every unit is a resting elevator at floor 1.
struct Plant {
    explicit Plant(std::size_t units = 1,
                   ModbusPeer::Behaviour behaviour = ModbusPeer::well_behaved,
                   core::Duration poll = 20ms)
        : peer(std::move(behaviour)) {
        for (const int address : {110, 111, 113, 114}) {
            peer.registers().set('h', static_cast<std::uint16_t>(address), 0);
        }
        peer.registers().set('h', 112, 1);
        ports::BusSettings settings;
        settings.host = "127.0.0.1";
        settings.port = peer.port();
        settings.response_timeout = 200ms;
        std::vector<BusUnit> list;
        for (std::size_t unit = 1; unit <= units; ++unit) {
            list.push_back(
                {id(unit),
                 std::make_unique<mailbox::MailboxDriver>(map_for(static_cast<std::uint8_t>(unit))),
                 poll,
                 5s});
        }
        worker = std::make_unique<BusWorker>(
            core::BusId{"plc-a"}, std::make_unique<TcpBus>(settings), std::move(list), sink, clock);
    }

    core::GrantOpened grant(std::size_t unit, std::uint64_t number) {
        worker->request_grant({id(unit), core::GrantId{number}});
        const auto opened = sink.await<core::GrantOpened>(name(unit));
        REQUIRE(opened);
        REQUIRE(opened->grant == core::GrantId{number});
        return *opened;
    }

    core::WriteCommand car_call(std::size_t unit, std::uint64_t number) {
        core::WriteCommand write;
        write.elevator = id(unit);
        write.grant = core::GrantId{number};
        write.command.content.action = core::ActionKind::car_call;
        write.command.content.floor = core::FloorLabel{"2"};
        write.command.wire_seq = core::WireSeq{812};
        write.not_after = clock.now() + 5s;
        return write;
    }

    BootTime clock;
    Sink sink;
    ModbusPeer peer;
    std::unique_ptr<BusWorker> worker;
};

}  // namespace

TEST_CASE("bus worker: it polls and reports what it reads", "[modbus][worker]") {
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
    plant.worker->write(plant.car_call(1, 7));
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
    CHECK(IoClock::now() - started < modbus::grant_hold_max + 200ms);
    plant.worker->write(plant.car_call(1, 7));
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
    plant.worker->write(plant.car_call(1, 7));
    CHECK(plant.sink.await<core::WriteDone>()->outcome.kind == Outcome::not_written);
    CHECK(plant.sink.all<core::GrantClosed>().empty());
    CHECK(plant.peer.registers().writes().empty());
}

TEST_CASE("bus worker: a write after its time limit is not made", "[modbus][worker]") {
    Plant plant;
    plant.grant(1, 7);
    auto write = plant.car_call(1, 7);
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
    plant.worker->write(plant.car_call(1, 6));
    CHECK(plant.sink.await<core::WriteDone>(name(1))->outcome.kind == Outcome::not_written);
    plant.worker->write(plant.car_call(2, 7));
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
    CHECK(plant.peer.resets() == 1);
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
    plant.worker->write(plant.car_call(1, 7));
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
          "[modbus][worker]") {
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
        return status.units[2].faults >= 4 && status.units[2].suspended;
    }));
    // Asked of a suspended unit: an answer at once, not after a time-out.
    plant.sink.clear();
    const auto started = IoClock::now();
    plant.worker->request_grant({id(3), core::GrantId{9}});
    const auto closed = plant.sink.await<core::GrantClosed>(name(3));
    REQUIRE(closed);
    CHECK(IoClock::now() - started < 100ms);
    CHECK(closed->detail.find("suspended") != std::string::npos);
    plant.worker->read({id(3), core::ReadKind::full});
    CHECK(plant.sink.await<core::ReadFailed>(name(3)));
    // The others go on at their pace.
    plant.sink.clear();
    const auto window = IoClock::now();
    REQUIRE(test::wait_until([&] { return plant.sink.all<core::Observed>(name(4)).size() >= 20; }));
    CHECK(IoClock::now() - window < 20 * 20ms + 2 * 200ms + 300ms);
    CHECK(plant.sink.all<core::Observed>(name(3)).empty());
    // It comes back.
    plant.peer.behave(ModbusPeer::well_behaved);
    CHECK(plant.sink.await<core::Observed>(name(3)));
    CHECK_FALSE(plant.worker->status().units[2].suspended);
}

TEST_CASE("bus worker: a unit its gateway cannot reach is suspended, the connection kept",
          "[modbus][worker]") {
    Plant plant(2, [](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.reply(request, request.unit == 2 ? test::exception_reply(request.pdu, 0x0B) : good());
    });
    REQUIRE(test::wait_until([&] { return plant.worker->status().units[1].suspended; }));
    REQUIRE(plant.sink.await<core::Observed>(name(1)));
    CHECK(plant.sink.await<core::ReadFailed>(name(2)));
    CHECK(plant.worker->status().links == 1);
    CHECK(plant.worker->status().connected);
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

TEST_CASE("bus worker: without an answer the outcome of a write is unknown", "[modbus][worker]") {
    Plant plant;
    plant.grant(1, 7);
    plant.peer.behave([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        if (request.pdu[0] == 16) {
            static_cast<void>(good());
        } else {
            to.reply(request, good());
        }
    });
    plant.worker->write(plant.car_call(1, 7));
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
        std::vector<BusUnit> units;
        units.push_back({id(1), std::make_unique<mailbox::MailboxDriver>(map_for(1)), 20ms, 5s});
        plant.worker = std::make_unique<BusWorker>(core::BusId{"far"},
                                                   std::make_unique<TcpBus>(settings),
                                                   std::move(units),
                                                   plant.sink,
                                                   plant.clock);
        std::this_thread::sleep_for(20ms);
    }
    const auto before = IoClock::now();
    plant.worker.reset();
    CHECK(IoClock::now() - before < 500ms);
}
