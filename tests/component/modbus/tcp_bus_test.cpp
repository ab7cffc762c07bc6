// A Modbus TCP client among peers that do everything wrong that has been seen in the field.
#include "drivers/modbus/tcp_bus.hpp"

#include "tests/component/modbus/printing.hpp"
#include "tests/support/modbus_peer.hpp"
#include "tests/support/net.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <string>
#include <thread>

using namespace liftwarden;
using namespace std::chrono_literals;
using modbus::TcpBus;
using ports::BusFault;
using ports::ReadRequest;
using ports::RegisterTable;
using ports::WriteRequest;
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

ports::BusSettings settings_for(std::uint16_t port) {
    ports::BusSettings settings;
    settings.id = core::BusId{"plc"};
    settings.host = "127.0.0.1";
    settings.port = port;
    settings.response_timeout = response_timeout;
    return settings;
}

ReadRequest holding(std::uint16_t address, std::uint16_t count = 1, std::uint8_t unit = 1) {
    return {unit, RegisterTable::holding, address, count};
}

const WriteRequest command{1, 16, 100, {2, 3, 0, 812}};

// A register of the peer reads as its own address unless it was set.
bool reads_itself(TcpBus& bus, std::uint16_t address) {
    const auto words = bus.read(holding(address));
    return words && *words == std::vector<std::uint16_t>{address};
}

// Until the back-off of a broken connection is over.
bool reads_itself_soon(TcpBus& bus, std::uint16_t address) {
    return test::wait_until([&] { return reads_itself(bus, address); });
}

// The first request gets `fault`, all others the right reply.
ModbusPeer::Behaviour first(ModbusPeer::Behaviour fault) {
    return [fault](PeerConnection& peer, const PeerRequest& request, const Good& good) {
        (request.number == 0 ? fault : ModbusPeer::well_behaved)(peer, request, good);
    };
}

}  // namespace

TEST_CASE("tcp bus: all four tables are read", "[modbus][tcp]") {
    ModbusPeer peer;
    peer.registers().set('h', 5, 0xABCD);
    peer.registers().set('i', 6, 7);
    for (const char table : {'c', 'd'}) {
        for (std::uint16_t bit = 0; bit < 10; ++bit) {
            peer.registers().set(table, bit, bit % 3 == 0 ? 1 : 0);
        }
    }
    TcpBus bus(settings_for(peer.port()));
    CHECK(*bus.read(holding(5, 2)) == std::vector<std::uint16_t>{0xABCD, 6});
    CHECK(*bus.read({1, RegisterTable::input, 6, 1}) == std::vector<std::uint16_t>{7});
    const std::vector<std::uint16_t> bits{1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    CHECK(*bus.read({1, RegisterTable::coil, 0, 10}) == bits);
    CHECK(*bus.read({1, RegisterTable::discrete, 0, 10}) == bits);
    CHECK(peer.connections() == 1);
    CHECK(bus.link() == 1);
}

TEST_CASE("tcp bus: a command is one request of four registers", "[modbus][tcp]") {
    ModbusPeer peer;
    TcpBus bus(settings_for(peer.port()));
    CHECK(bus.write(command).kind == Outcome::confirmed);
    CHECK(bus.write({1, 6, 120, {9}}).kind == Outcome::confirmed);
    CHECK(bus.write({1, 5, 3, {1}}).kind == Outcome::confirmed);
    CHECK(bus.write({1, 15, 8, {1, 0, 1}}).kind == Outcome::confirmed);
    const std::vector<test::ModbusRegisters::Write> expected{
        {100, {2, 3, 0, 812}}, {120, {9}}, {3, {1}}, {8, {1, 0, 1}}};
    CHECK(peer.registers().writes() == expected);
    CHECK(peer.requests().size() == 4);
}

TEST_CASE("tcp bus: after a late reply no read ever returns another register",
          "[modbus][tcp][M9][A1][A2][A3][A11]") {
    // One queue for the whole controller, as many have: the late reply also delays the next ones.
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.sleep(request.number == 0 ? response_timeout * 6 / 5 : 60ms);
        to.reply(request, good());
    });
    TcpBus bus(settings_for(peer.port()));
    const auto late = bus.read(holding(1000));
    REQUIRE_FALSE(late);
    CHECK(late.error().kind == BusFault::Kind::silent);
    for (std::uint16_t address = 1001; address < 1010; ++address) {
        CHECK(reads_itself(bus, address));
    }
}

TEST_CASE("tcp bus: a reply to an earlier request is discarded while the wait goes on",
          "[modbus][tcp][A1][A3]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        for (std::uint16_t old = 1; old <= 3; ++old) {
            const auto transaction = static_cast<std::uint16_t>(request.transaction - old);
            to.send(test::mbap(transaction, request.unit, {3, 2, 0xDE, 0xAD}));
        }
        to.reply(request, good());
        to.reply(request, good());  // and the right one twice
    });
    TcpBus bus(settings_for(peer.port()));
    for (std::uint16_t address = 20; address < 40; ++address) {
        CHECK(reads_itself(bus, address));
    }
    CHECK(bus.link() == 1);
}

TEST_CASE("tcp bus: foreign replies do not extend the wait", "[modbus][tcp]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good&) {
        for (int i = 0; i < 800; ++i) {
            to.send(
                test::mbap(static_cast<std::uint16_t>(request.transaction + 1), 1, {3, 2, 0, 1}));
            to.sleep(5ms);
        }
    });
    TcpBus bus(settings_for(peer.port()));
    const auto before = Clock::now();
    CHECK(bus.read(holding(1)).error().kind == BusFault::Kind::silent);
    CHECK(Clock::now() - before < response_timeout + slack);
}

TEST_CASE("tcp bus: a wrong reply to a read is a fault, never a value", "[modbus][tcp][A11][A12]") {
    struct Case {
        const char* name;
        std::function<Bytes(const PeerRequest&, Bytes good)> reply;
        BusFault::Kind kind;
    };
    const auto frame = [](const PeerRequest& request, const Bytes& pdu) {
        return test::mbap(request.transaction, request.unit, pdu);
    };
    const std::vector<Case> cases{
        {"other unit",
         [](const PeerRequest& r, Bytes good) { return test::mbap(r.transaction, 2, good); },
         BusFault::Kind::garbled},
        {"other function",
         [frame](const PeerRequest& r, Bytes good) {
             good[0] = 4;
             return frame(r, good);
         },
         BusFault::Kind::garbled},
        {"byte count too small",
         [frame](const PeerRequest& r, Bytes good) {
             good[1] = 2;
             return frame(r, good);
         },
         BusFault::Kind::garbled},
        {"one register too few",
         [frame](const PeerRequest& r, Bytes) {
             return frame(r, {3, 2, 0, 7});
         },
         BusFault::Kind::garbled},
        {"one register too many",
         [frame](const PeerRequest& r, Bytes) {
             return frame(r, {3, 6, 0, 7, 0, 8, 0, 9});
         },
         BusFault::Kind::garbled},
        {"byte count alone",
         [frame](const PeerRequest& r, Bytes) { return frame(r, {3}); },
         BusFault::Kind::garbled},
        {"exception of another function",
         [frame](const PeerRequest& r, Bytes) {
             return frame(r, {0x84, 2});
         },
         BusFault::Kind::garbled},
        {"protocol id",
         [frame](const PeerRequest& r, Bytes good) {
             Bytes raw = frame(r, good);
             raw[3] = 1;
             return raw;
         },
         BusFault::Kind::garbled},
        {"length of nothing",
         [frame](const PeerRequest& r, Bytes good) {
             Bytes raw = frame(r, good);
             raw[5] = 0;
             return raw;
         },
         BusFault::Kind::garbled},
        {"length beyond the largest frame",
         [frame](const PeerRequest& r, Bytes good) {
             Bytes raw = frame(r, good);
             raw[4] = 1;
             return raw;
         },
         BusFault::Kind::garbled},
        {"length longer than what comes",
         [frame](const PeerRequest& r, Bytes good) {
             Bytes raw = frame(r, good);
             raw[5] = static_cast<std::uint8_t>(raw[5] + 1);
             return raw;
         },
         BusFault::Kind::silent},
        {"half a header",
         [](const PeerRequest&, Bytes) {
             return Bytes{0, 1, 0};
         },
         BusFault::Kind::silent},
        {"half a reply",
         [frame](const PeerRequest& r, Bytes good) {
             Bytes raw = frame(r, good);
             raw.resize(raw.size() - 1);
             return raw;
         },
         BusFault::Kind::silent},
    };
    for (const Case& wrong : cases) {
        INFO(wrong.name);
        ModbusPeer peer(
            first([&](PeerConnection& to, const PeerRequest& request, const Good& good) {
                to.send(wrong.reply(request, good()));
            }));
        TcpBus bus(settings_for(peer.port()));
        const auto words = bus.read(holding(500, 2));
        REQUIRE_FALSE(words);
        CHECK(words.error().kind == wrong.kind);
        CHECK_FALSE(words.error().detail.empty());
        // A new connection, and everything is right again.
        CHECK(*bus.read(holding(600, 2)) == std::vector<std::uint16_t>{600, 601});
        CHECK(bus.link() == 2);
        CHECK(test::wait_until([&] { return peer.resets() == 1; }));
    }
}

TEST_CASE("tcp bus: a write counts only by its whole own confirmation", "[modbus][tcp]") {
    struct Case {
        const char* name;
        Bytes confirmation;
    };
    for (const Case& wrong : std::vector<Case>{
             {"other address", {16, 0, 101, 0, 4}},
             {"other quantity", {16, 0, 100, 0, 3}},
             {"other function", {6, 0, 100, 0, 4}},
             {"short", {16, 0, 100, 0}},
             {"long", {16, 0, 100, 0, 4, 0}},
             {"a read reply", {3, 2, 0, 4}},
         }) {
        INFO(wrong.name);
        ModbusPeer peer(first([&](PeerConnection& to, const PeerRequest& request, const Good&) {
            to.reply(request, wrong.confirmation);
        }));
        TcpBus bus(settings_for(peer.port()));
        const auto outcome = bus.write(command);
        CHECK(outcome.kind == Outcome::unknown);
        CHECK_FALSE(outcome.exception);
        CHECK(bus.write(command).kind == Outcome::confirmed);
        CHECK(peer.requests().size() == 2);  // never sent again by itself
    }
    ModbusPeer peer(first([&](PeerConnection& to, const PeerRequest& request, const Good&) {
        to.reply(request, {6, 0, 120, 0, 8});
    }));
    TcpBus bus(settings_for(peer.port()));
    CHECK(bus.write({1, 6, 120, {7}}).kind == Outcome::unknown);
}

TEST_CASE("tcp bus: the late echo of a write does not confirm the same write made again",
          "[modbus][tcp]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        if (request.number == 0) {
            to.sleep(response_timeout * 6 / 5);
            to.reply(request, good());
        }
    });
    TcpBus bus(settings_for(peer.port()));
    CHECK(bus.write(command).kind == Outcome::unknown);
    CHECK(bus.write(command).kind == Outcome::unknown);
}

TEST_CASE("tcp bus: exceptions keep the connection and mean what they prove",
          "[modbus][tcp][B26][F74][F75][F76]") {
    const std::vector<std::pair<std::uint8_t, Outcome>> cases{{1, Outcome::refused},
                                                              {2, Outcome::refused},
                                                              {3, Outcome::refused},
                                                              {4, Outcome::unknown},
                                                              {5, Outcome::confirmed},
                                                              {6, Outcome::busy},
                                                              {0x0A, Outcome::unknown},
                                                              {0x0B, Outcome::unknown},
                                                              {0x55, Outcome::unknown}};
    std::uint8_t code = 0;
    ModbusPeer peer([&code](PeerConnection& to, const PeerRequest& request, const Good&) {
        to.reply(request, test::exception_reply(request.pdu, code));
    });
    TcpBus bus(settings_for(peer.port()));
    for (const auto& [exception, kind] : cases) {
        INFO(int{exception});
        code = exception;
        const auto outcome = bus.write(command);
        CHECK(outcome.kind == kind);
        CHECK(outcome.exception == exception);
        const auto words = bus.read(holding(1));
        REQUIRE_FALSE(words);
        CHECK(words.error().kind == BusFault::Kind::exception);
        CHECK(words.error().exception == exception);
    }
    CHECK(bus.link() == 1);
    CHECK(peer.resets() == 0);
}

TEST_CASE("tcp bus: a reply in single bytes is put together", "[modbus][tcp]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.send_in_pieces(test::mbap(request.transaction, request.unit, good()), 1, 1ms);
    });
    TcpBus bus(settings_for(peer.port()));
    CHECK(reads_itself(bus, 77));
    CHECK(bus.write(command).kind == Outcome::confirmed);
}

TEST_CASE("tcp bus: a dripping peer cannot stretch the deadline", "[modbus][tcp]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.send_in_pieces(test::mbap(request.transaction, request.unit, good()), 1, 60ms);
    });
    TcpBus bus(settings_for(peer.port()));
    const auto before = Clock::now();
    CHECK(bus.read(holding(1, 100)).error().kind == BusFault::Kind::silent);
    CHECK(bus.write(command).kind == Outcome::unknown);
    CHECK(Clock::now() - before < 2 * response_timeout + slack);
}

TEST_CASE("tcp bus: nothing of a reply that was cut off is carried over", "[modbus][tcp][A8]") {
    ModbusPeer peer(first([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        Bytes raw = test::mbap(request.transaction, request.unit, good());
        raw.resize(raw.size() - 3);
        to.send(raw);
        to.reset();
    }));
    TcpBus bus(settings_for(peer.port()));
    CHECK_FALSE(bus.read(holding(1000, 4)));
    CHECK(reads_itself_soon(bus, 4321));
}

TEST_CASE("tcp bus: a connection that ends in a request leaves a write unknown", "[modbus][tcp]") {
    for (const bool by_reset : {true, false}) {
        ModbusPeer peer(first([=](PeerConnection& to, const PeerRequest&, const Good& good) {
            static_cast<void>(good());  // carried out
            by_reset ? to.reset() : to.close();
        }));
        TcpBus bus(settings_for(peer.port()));
        CHECK(bus.write(command).kind == Outcome::unknown);
        CHECK(reads_itself_soon(bus, 9));
        CHECK(peer.registers().writes().size() == 1);
    }
}

TEST_CASE("tcp bus: half-open silence ends at the deadline, and the next call is a new connection",
          "[modbus][tcp][E64][E65][E67]") {
    ModbusPeer peer(first([](PeerConnection&, const PeerRequest&, const Good&) {}));
    TcpBus bus(settings_for(peer.port()));
    const auto before = Clock::now();
    CHECK(bus.write(command).kind == Outcome::unknown);
    const auto took = Clock::now() - before;
    CHECK(took >= response_timeout);
    CHECK(took < response_timeout + slack);
    CHECK(reads_itself(bus, 1));
    CHECK(bus.link() == 2);
    CHECK(test::wait_until([&] { return peer.resets() == 1; }));
}

TEST_CASE("tcp bus: nobody there: not written, and the next calls cost nothing",
          "[modbus][tcp][M11][B14]") {
    TcpBus bus(settings_for(test::free_port()));
    const auto outcome = bus.write(command);
    CHECK(outcome.kind == Outcome::not_written);
    CHECK(outcome.detail.find("127.0.0.1:") != std::string::npos);
    const auto before = Clock::now();
    for (int i = 0; i < 50; ++i) {
        const auto words = bus.read(holding(1));
        REQUIRE_FALSE(words);
        CHECK(words.error().kind == BusFault::Kind::not_connected);
    }
    CHECK(Clock::now() - before < slack);
    CHECK(bus.link() == 0);
}

TEST_CASE("tcp bus: a controller that comes back is found again", "[modbus][tcp][M11][B14][B15]") {
    auto peer = std::make_unique<ModbusPeer>();
    const std::uint16_t port = peer->port();
    TcpBus bus(settings_for(port));
    CHECK(reads_itself(bus, 3));
    peer.reset();
    const auto down_until = Clock::now() + 700ms;
    while (Clock::now() < down_until) {
        CHECK_FALSE(bus.read(holding(3)));
        CHECK(bus.write(command).kind == Outcome::not_written);
        std::this_thread::sleep_for(20ms);
    }
    peer = std::make_unique<ModbusPeer>(ModbusPeer::well_behaved, port);
    CHECK(reads_itself_soon(bus, 3));
    CHECK(bus.link() == 2);
    CHECK(peer->registers().writes().empty());
}

TEST_CASE("tcp bus: a server that closes idle connections is simply connected again",
          "[modbus][tcp]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        to.reply(request, good());
        to.close();
    });
    TcpBus bus(settings_for(peer.port()));
    for (std::uint16_t i = 1; i <= 5; ++i) {
        CHECK(reads_itself(bus, i));
        CHECK(bus.link() == i);
        REQUIRE(test::wait_until([&] { return peer.connections() == i; }));
        std::this_thread::sleep_for(5ms);  // its FIN is on the way
    }
    // A write finds out before it sends, so its outcome is known.
    CHECK(bus.write(command).kind == Outcome::not_written);
    CHECK(peer.registers().writes().empty());
}

TEST_CASE("tcp bus: a server that takes one client gets one connection", "[modbus][tcp][C35]") {
    ModbusPeer peer(first([](PeerConnection&, const PeerRequest&, const Good&) {}));
    peer.allow_clients(1);
    TcpBus bus(settings_for(peer.port()));
    CHECK_FALSE(bus.read(holding(1)));  // silent: the connection is reset
    CHECK(reads_itself_soon(bus, 2));
    for (std::uint8_t unit = 1; unit < 20; ++unit) {
        CHECK(bus.read(holding(2, 1, unit)));
    }
    CHECK(peer.connections() == 2);
}

TEST_CASE("tcp bus: a signal storm changes nothing", "[modbus][tcp][F83]") {
    struct sigaction ignore_it {};
    ignore_it.sa_handler = [](int) {};
    struct sigaction before {};
    REQUIRE(::sigaction(SIGUSR1, &ignore_it, &before) == 0);  // no SA_RESTART
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        if (request.number % 5 == 4) {
            return;
        }
        to.send_in_pieces(test::mbap(request.transaction, request.unit, good()), 3, 2ms);
    });
    std::atomic<bool> done{false};
    const pthread_t target = ::pthread_self();
    std::thread storm([&] {
        while (!done) {
            ::pthread_kill(target, SIGUSR1);
            std::this_thread::sleep_for(100us);
        }
    });
    {
        TcpBus bus(settings_for(peer.port()));
        for (std::uint16_t i = 0; i < 20; ++i) {
            const auto started = Clock::now();
            const auto words = bus.read(holding(i));
            if (i % 5 == 4) {
                CHECK(words.error().kind == BusFault::Kind::silent);
                CHECK(Clock::now() - started >= response_timeout);
                CHECK(Clock::now() - started < response_timeout + slack);
            } else {
                REQUIRE(words);
                CHECK(words->front() == i);
            }
        }
    }
    done = true;
    storm.join();
    ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_CASE("tcp bus: stop ends a wait for a reply and a wait for a connection", "[modbus][tcp]") {
    test::SilentServer silent;
    auto settings = settings_for(silent.port());
    settings.response_timeout = 60s;
    SECTION("reply") {}
    SECTION("connection") {
        settings.host = "192.0.2.1";  // an address reserved for examples: nobody is there
        settings.connect_timeout = 60s;
    }
    TcpBus bus(settings);
    std::thread stopper([&] {
        std::this_thread::sleep_for(50ms);
        bus.stop();
    });
    const auto before = Clock::now();
    const auto outcome = bus.write(command);
    CHECK(Clock::now() - before < 2s);
    CHECK(outcome.kind != Outcome::confirmed);
    stopper.join();
    CHECK(bus.write(command).kind == Outcome::not_written);
    CHECK(bus.read(holding(1)).error().kind == BusFault::Kind::not_connected);
}

TEST_CASE("tcp bus: a descriptor beyond 1023 is refused, not fatal", "[modbus][tcp]") {
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    const rlimit before = limit;
    limit.rlim_cur = std::min<rlim_t>(2048, limit.rlim_max);
    REQUIRE(limit.rlim_cur >= 1100);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    ModbusPeer peer;
    TcpBus bus(settings_for(peer.port()));
    std::vector<int> taken;
    while (taken.empty() || taken.back() < 1023) {
        taken.push_back(::dup(0));
        REQUIRE(taken.back() >= 0);
    }
    const auto words = bus.read(holding(1));
    REQUIRE_FALSE(words);
    CHECK(words.error().kind == BusFault::Kind::not_connected);
    CHECK(words.error().detail.find("descriptor") != std::string::npos);
    for (const int fd : taken) {
        ::close(fd);
    }
    CHECK(reads_itself_soon(bus, 1));
    ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST_CASE("tcp bus: connections that break leave no descriptor behind", "[modbus][tcp][M13][E62]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest&, const Good&) { to.reset(); });
    TcpBus bus(settings_for(peer.port()));
    const int before = ::dup(0);
    ::close(before);
    for (int i = 0; i < 30; ++i) {
        CHECK_FALSE(bus.read(holding(1)));
        std::this_thread::sleep_for(1ms);
    }
    REQUIRE(test::wait_until([&] {
        const int after = ::dup(0);
        ::close(after);
        return after <= before + 1;
    }));
}

TEST_CASE("tcp bus: what is no numeric address is not looked up", "[modbus][tcp][E66]") {
    for (const char* host : {"", "localhost", "plc.example", "999.1.1.1", "127.0.0.1:502"}) {
        INFO(host);
        auto settings = settings_for(502);
        settings.host = host;
        TcpBus bus(settings);
        const auto words = bus.read(holding(1));
        REQUIRE_FALSE(words);
        CHECK(words.error().kind == BusFault::Kind::not_connected);
        CHECK(words.error().detail.find("numeric address") != std::string::npos);
    }
}

TEST_CASE("tcp bus: the turnaround is kept between transactions", "[modbus][tcp]") {
    ModbusPeer peer;
    auto settings = settings_for(peer.port());
    settings.turnaround = 20ms;
    TcpBus bus(settings);
    const auto before = Clock::now();
    for (std::uint16_t i = 0; i < 6; ++i) {
        CHECK(reads_itself(bus, i));
    }
    CHECK(Clock::now() - before >= 5 * 20ms);
}

TEST_CASE("tcp bus: four percent of late replies give no wrong value", "[modbus][tcp]") {
    ModbusPeer peer([](PeerConnection& to, const PeerRequest& request, const Good& good) {
        if (request.number % 25 == 7) {
            to.sleep(response_timeout * (105 + request.number % 90) / 100);
        }
        to.reply(request, good());
    });
    auto settings = settings_for(peer.port());
    settings.response_timeout = 50ms;
    TcpBus bus(settings);
    int good = 0;
    for (std::uint16_t i = 0; i < 400; ++i) {
        if (const auto words = bus.read(holding(i))) {
            REQUIRE(*words == std::vector<std::uint16_t>{i});
            ++good;
        }
    }
    CHECK(good >= 380);
}
