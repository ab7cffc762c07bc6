// Reports from the field, each with a serial line that does what was reported.
#include "tests/component/modbus/line.hpp"

#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

using namespace liftwarden;
using namespace liftwarden::test::line;
using namespace std::chrono_literals;
using ports::BusFault;
using ports::RegisterTable;
using test::Bytes;
using test::RtuPeer;
using test::RtuRequest;

namespace {

// Carries out every write, and confirms it as `confirm` says.
RtuPeer::Behaviour writes(std::function<void(RtuPeer&, const RtuRequest&, const Bytes&)> confirm) {
    return [confirm](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        const Bytes reply = good();
        if (request.pdu[0] < 5) {
            peer.reply(request, reply);
        } else {
            confirm(peer, request, reply);
        }
    };
}

void say_nothing(RtuPeer&, const RtuRequest&, const Good&) {}

}  // namespace

TEST_CASE("rtu faults: a frame of another unit is dropped and the wait goes on",
          "[modbus][rtu][A5][A6][A9][M8]") {
    Line line([](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        const auto other = static_cast<std::uint8_t>(request.unit - 1);
        peer.send(test::rtu_frame(other, {3, 2, 0xDE, 0xAD}));  // as long as the right one
        peer.sleep(30ms);
        if (request.unit == 6) {
            peer.reply(request, good());
        }
    });
    for (std::uint16_t address = 1; address < 5; ++address) {
        CHECK(line.reads_itself(address, 1, 6));
    }
    const auto before = Clock::now();
    CHECK_FALSE(line.bus.read({9, RegisterTable::holding, 1, 1}));  // the foreign frame alone
    CHECK(Clock::now() - before >= response_timeout);
}

TEST_CASE("rtu faults: a write that is carried out but never answered is not repeated",
          "[modbus][rtu][M15][B16]") {
    Line line(writes([](RtuPeer&, const RtuRequest&, const Bytes&) {}));
    REQUIRE(line.reads_itself(1));
    const auto& [write, address] = GENERATE(std::pair{command, 100}, std::pair{beat, 120});
    INFO(address);
    CHECK(line.bus.write(write).kind == Outcome::unknown);
    CHECK(line.reads_itself_soon(2, 2));
    CHECK(line.peer.registers().writes().size() == 1);
}

TEST_CASE("rtu faults: a confirmation with a bad checksum leaves the write unknown, made once",
          "[modbus][rtu][B30]") {
    Line line(writes([](RtuPeer& peer, const RtuRequest& request, const Bytes& reply) {
        Bytes raw = test::rtu_frame(request.unit, reply);
        raw[4] = static_cast<std::uint8_t>(raw[4] ^ 0x10U);
        peer.send(raw);
    }));
    REQUIRE(line.reads_itself(1));
    CHECK(line.bus.write(command).kind == Outcome::unknown);
    CHECK(line.reads_itself_soon(2, 2));
    CHECK(line.peer.registers().writes().size() == 1);
}

TEST_CASE("rtu faults: accepted and still working is taken, and never sent again",
          "[modbus][rtu][F75]") {
    Line line(writes([](RtuPeer& peer, const RtuRequest& request, const Bytes&) {
        peer.reply(request, test::exception_reply(request.pdu, 5));
    }));
    const auto outcome = line.bus.write(command);
    CHECK(outcome.kind == Outcome::confirmed);
    CHECK(outcome.exception == 5);
    CHECK(line.peer.requests().size() == 1);
}

TEST_CASE("rtu faults: three time-outs, then all is well: the unit is found again",
          "[modbus][rtu][E71]") {
    Line line(say_nothing);
    int missed = 0;
    REQUIRE(test::wait_until([&] {
        missed += line.bus.read({1, RegisterTable::holding, 7, 1}) ? 0 : 1;
        return line.peer.requests().size() >= 3;
    }));
    CHECK(missed >= 3);
    line.peer.behave(RtuPeer::well_behaved);
    CHECK(line.reads_itself_soon(7));
    CHECK(line.bus.link() == 1);
}

TEST_CASE("rtu faults: cut off in the middle of a frame, the line is right again after it",
          "[modbus][rtu][D55][A8]") {
    std::atomic<bool> cut{false};
    Line line([&cut](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        if (!cut.exchange(true)) {
            Bytes raw = test::rtu_frame(request.unit, good());
            raw.resize(raw.size() / 2);
            peer.send(raw);
            peer.sleep(20ms);
            peer.unplug();
            return;
        }
        peer.reply(request, good());
    });
    CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 1000, 8}));
    line.peer.plug_in();
    CHECK(line.reads_itself_soon(2000, 8));
    CHECK(line.reads_itself(3000, 8));
}

TEST_CASE("rtu faults: a unit that answers just before or after the time-out gives no wrong value",
          "[modbus][rtu][D56]") {
    Line line([](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        peer.sleep(response_timeout * (96 + request.number % 3 * 4) / 100);
        peer.reply(request, good());
    });
    const auto until = Clock::now() + 8s;
    int good = 0;
    for (std::uint16_t address = 1; Clock::now() < until; ++address) {
        good += line.reads_itself(address) ? 1 : 0;  // checks the value
        std::this_thread::sleep_for(1ms);
    }
    CHECK(good > 0);
}

TEST_CASE("rtu faults: the time-out is for all of a transaction, once", "[modbus][rtu][D57]") {
    Line line(say_nothing);
    auto settings = line.settings(300ms);
    settings.baud = 1200;  // 125 registers take 2.3 s
    modbus::RtuBus slow(settings);
    const auto before = Clock::now();
    CHECK_FALSE(slow.read({1, RegisterTable::holding, 0, 125}));
    const auto took = Clock::now() - before;
    CHECK(took >= 300ms);
    CHECK(took < 300ms + slack);
}

TEST_CASE("rtu faults: opening a device again and again leaves no descriptor behind",
          "[modbus][rtu][E62][M13]") {
    Line line;
    REQUIRE(line.reads_itself(1));
    line.bus.abort();
    const auto lowest_free = [] {
        const int fd = ::dup(0);
        ::close(fd);
        return fd;
    };
    const int before = lowest_free();
    for (std::uint16_t i = 0; i < 20; ++i) {
        CHECK(line.reads_itself(i));
        line.bus.abort();
    }
    CHECK(lowest_free() == before);
}
