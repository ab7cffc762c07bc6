// Reports from the field, each with a TCP peer that does what was reported.
#include "drivers/modbus/tcp_bus.hpp"
#include "tests/component/modbus/printing.hpp"
#include "tests/support/modbus_peer.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <fstream>
#include <string>

using namespace liftwarden;
using namespace std::chrono_literals;
using modbus::TcpBus;
using ports::BusFault;
using ports::RegisterTable;
using test::Bytes;
using test::ModbusPeer;
using test::PeerConnection;
using test::PeerRequest;
using Good = ModbusPeer::Good;
using Outcome = core::WriteOutcome::Kind;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto response_timeout = 200ms;
constexpr auto slack = 1s;  // for a busy machine
const ports::WriteRequest command{1, 16, 100, {2, 3, 0, 812}};
const ports::ReadRequest register_7{1, RegisterTable::holding, 7, 1};

ports::BusSettings settings_for(const ModbusPeer& peer) {
    ports::BusSettings settings;
    settings.host = "127.0.0.1";
    settings.port = peer.port();
    settings.response_timeout = response_timeout;
    return settings;
}

bool reads_7(TcpBus& bus) {
    const auto words = bus.read(register_7);
    return words && *words == std::vector<std::uint16_t>{7};
}

long resident_kib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmRSS:", 0) == 0) {
            return std::stol(line.substr(6));
        }
    }
    return 0;
}

}  // namespace

TEST_CASE("tcp faults: a reply with the id of the request before is none", "[modbus][tcp][A12]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.send(
            test::mbap(static_cast<std::uint16_t>(request.transaction - 1), request.unit, good()));
    });
    TcpBus bus(settings_for(peer));
    for (int i = 0; i < 3; ++i) {
        const auto words = bus.read(register_7);
        REQUIRE_FALSE(words);
        CHECK(words.error().kind == BusFault::Kind::silent);
    }
    CHECK(bus.write(command).kind == Outcome::unknown);
}

TEST_CASE("tcp faults: three time-outs, then all is well: the next call is answered",
          "[modbus][tcp][E71][E64]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        if (request.number >= 3) {
            to.reply(request, good());
        }
    });
    TcpBus bus(settings_for(peer));
    for (int i = 0; i < 3; ++i) {
        CHECK_FALSE(bus.read(register_7));
    }
    CHECK(reads_7(bus));
}

TEST_CASE("tcp faults: a path that swallows everything after good traffic ends each call in time",
          "[modbus][tcp][E65][E67][E69]") {
    ModbusPeer peer;
    TcpBus bus(settings_for(peer));
    for (int i = 0; i < 5; ++i) {
        CHECK(reads_7(bus));
    }
    peer.behave([](PeerConnection&, const PeerRequest&, const Good&) {});
    for (int i = 0; i < 3; ++i) {
        const auto before = Clock::now();
        CHECK(bus.write(command).kind == Outcome::unknown);
        CHECK(Clock::now() - before < response_timeout + slack);
    }
    peer.behave(ModbusPeer::well_behaved);
    CHECK(reads_7(bus));
    CHECK(bus.link() == 4);
    CHECK(peer.registers().writes().empty());
}

TEST_CASE("tcp faults: a write that is carried out but never answered is not repeated",
          "[modbus][tcp][M15][B16]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        const Bytes reply = good();
        if (request.pdu[0] < 5) {
            to.reply(request, reply);
        }
    });
    TcpBus bus(settings_for(peer));
    CHECK(bus.write({1, 6, 100, {2}}).kind == Outcome::unknown);
    CHECK(reads_7(bus));
    CHECK(peer.registers().writes().size() == 1);
}

TEST_CASE("tcp faults: accepted and still working is taken, and never sent again",
          "[modbus][tcp][F75]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        static_cast<void>(good());
        to.reply(request, test::exception_reply(request.pdu, 5));
    });
    TcpBus bus(settings_for(peer));
    const auto outcome = bus.write(command);
    CHECK(outcome.kind == Outcome::confirmed);
    CHECK(outcome.exception == 5);
    CHECK(peer.registers().writes().size() == 1);
}

TEST_CASE("tcp faults: an hour of 0x0B, ten a second, leaves nothing behind",
          "[modbus][tcp][C43]") {
    std::atomic<std::size_t> asked{0};
    ModbusPeer peer([&asked](PeerConnection& to, const PeerRequest& request, const Good&) {
        ++asked;
        to.reply(request, test::exception_reply(request.pdu, 0x0B));
    });
    peer.forget_requests();
    TcpBus bus(settings_for(peer));
    const auto ask = [&bus](int times) {
        for (int i = 0; i < times; ++i) {
            const auto words = bus.read(register_7);
            REQUIRE_FALSE(words);
            REQUIRE(words.error().exception == 0x0B);
        }
    };
    ask(2000);
    const long before = resident_kib();
    ask(34000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // A sanitizer keeps what was freed.
    CHECK(resident_kib() - before < 2048);
#else
    static_cast<void>(before);
#endif
    CHECK(asked == 36000);
    CHECK(bus.link() == 1);
}
