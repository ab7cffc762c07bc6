// A serial Modbus line over a pseudo terminal, with everything that lines, adapters and units do.
#include "tests/component/modbus/line.hpp"
#include "tests/support/process.hpp"

#include <unistd.h>

#include <atomic>
#include <string>
#include <thread>

using namespace liftwarden;
using namespace liftwarden::test::line;
using namespace std::chrono_literals;
using modbus::RtuBus;
using ports::BusFault;
using ports::ReadRequest;
using ports::RegisterTable;
using ports::WriteRequest;
using test::Bytes;
using test::RtuPeer;
using test::RtuRequest;

TEST_CASE("rtu bus: all four tables are read and all four functions write", "[modbus][rtu]") {
    Line line;
    line.peer.registers().set('h', 5, 0xABCD);
    line.peer.registers().set('i', 6, 7);
    line.peer.registers().set('c', 2, 0);
    line.peer.registers().set('d', 3, 1);
    const ReadRequest holding{1, RegisterTable::holding, 5, 2};
    CHECK(*line.bus.read(holding) == std::vector<std::uint16_t>{0xABCD, 6});
    CHECK(*line.bus.read({1, RegisterTable::input, 6, 1}) == std::vector<std::uint16_t>{7});
    CHECK(*line.bus.read({1, RegisterTable::coil, 2, 2}) == std::vector<std::uint16_t>{0, 1});
    CHECK(*line.bus.read({1, RegisterTable::discrete, 3, 1}) == std::vector<std::uint16_t>{1});
    CHECK(line.bus.write(command).kind == Outcome::confirmed);
    CHECK(line.bus.write(beat).kind == Outcome::confirmed);
    CHECK(line.bus.write({1, 5, 3, {1}}).kind == Outcome::confirmed);
    CHECK(line.bus.write({1, 15, 8, {1, 0, 1}}).kind == Outcome::confirmed);
    const std::vector<test::ModbusRegisters::Write> expected{
        {100, {2, 3, 0, 812}}, {120, {7}}, {3, {1}}, {8, {1, 0, 1}}};
    CHECK(line.peer.registers().writes() == expected);
    CHECK(line.bus.link() == 1);
}

TEST_CASE("rtu bus: after a late reply no read ever returns another register",
          "[modbus][rtu][M1][M2][M3][A2][A7]") {
    Line line(late(1, response_timeout * 6 / 5));
    REQUIRE(line.reads_itself(10));
    const auto missed = line.bus.read({1, RegisterTable::holding, 1000, 1});
    REQUIRE_FALSE(missed);
    CHECK(missed.error().kind == BusFault::Kind::silent);
    for (std::uint16_t address = 1001; address < 1010; ++address) {
        CHECK(line.reads_itself(address));
    }
}

TEST_CASE("rtu bus: a reply later than every quiet time is still not taken for another",
          "[modbus][rtu][M5]") {
    // The unit was silent from the start, so that nothing of it is known.
    Line line(late(0, response_timeout * 7 / 2));
    CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 1000, 2}));
    const auto until = Clock::now() + 3s;
    int good = 0;
    for (std::uint16_t address = 1001; Clock::now() < until && good < 10; ++address) {
        good += line.reads_itself(address, 2) ? 1 : 0;  // checks the values
    }
    CHECK(good == 10);
}

TEST_CASE("rtu bus: of single registers too", "[modbus][rtu]") {
    Line line(late(0, response_timeout * 7 / 2));
    CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 1000, 1}));
    const auto until = Clock::now() + 15s;
    int good = 0;
    for (std::uint16_t address = 1001; Clock::now() < until && good < 10; ++address) {
        good += line.reads_itself(address) ? 1 : 0;
        std::this_thread::sleep_for(1ms);
    }
    CHECK(good == 10);
}

TEST_CASE("rtu bus: five percent of late replies give no wrong value", "[modbus][rtu][M4][M6]") {
    constexpr auto timeout = 60ms;
    Line line(
        [=](RtuPeer& peer, const RtuRequest& request, const Good& good) {
            if (request.number % 20 == 11) {
                peer.sleep(test::Millis{timeout} * (105 + request.number % 95) / 100);
            }
            peer.reply(request, good());
        },
        timeout);
    int good = 0;
    int asked = 0;
    const auto until = Clock::now() + 60s;
    while (good < 300 && Clock::now() < until) {
        good += line.reads_itself(static_cast<std::uint16_t>(++asked)) ? 1 : 0;
        std::this_thread::sleep_for(1ms);
    }
    CHECK(good == 300);
}

TEST_CASE("rtu bus: the late echo of a write does not confirm the same write made again",
          "[modbus][rtu][M7]") {
    Line line([](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        if (request.pdu[0] == 16) {
            if (request.number == 1) {
                peer.sleep(response_timeout * 6 / 5);
                peer.reply(request, good());
            }
            return;
        }
        peer.reply(request, good());
    });
    REQUIRE(line.reads_itself(10, 2));
    CHECK(line.bus.write(command).kind == Outcome::unknown);
    CHECK(line.bus.write(command).kind == Outcome::unknown);
    CHECK(line.peer.registers().writes().size() == 1);
}

TEST_CASE("rtu bus: a late unit does not disturb another", "[modbus][rtu][M8][A5][A9]") {
    Line line(late(2, response_timeout * 6 / 5));
    REQUIRE(line.reads_itself(10, 1, 1));
    REQUIRE(line.reads_itself(10, 1, 2));
    CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 1000, 1}));
    for (std::uint16_t address = 2; address < 6; ++address) {
        CHECK(line.reads_itself(address, 1, 2));
        CHECK(line.reads_itself(address, 1, 1));
    }
}

TEST_CASE("rtu bus: a unit that has missed before costs the others no quiet time",
          "[modbus][rtu]") {
    Line line([](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        if (request.unit == 2) {
            peer.reply(request, good());
        }
    });
    CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 1, 2}));
    const auto before = Clock::now();
    CHECK(line.reads_itself(10, 1, 2));
    // Asked again at once it is still left alone, without another time-out.
    const auto again = line.bus.read({1, RegisterTable::holding, 1, 2});
    REQUIRE_FALSE(again);
    CHECK(again.error().detail.find("left alone") != std::string::npos);
    CHECK(Clock::now() - before < response_timeout);
}

TEST_CASE("rtu bus: noise around a reply does not hide it", "[modbus][rtu][M14]") {
    Line line([](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        Bytes raw{0};
        const Bytes frame = test::rtu_frame(request.unit, good());
        raw.insert(raw.end(), frame.begin(), frame.end());
        raw.push_back(0xFF);
        peer.send(raw);
    });
    for (std::uint16_t address = 1; address < 6; ++address) {
        CHECK(line.reads_itself(address));
    }
    CHECK(line.bus.write(command).kind == Outcome::confirmed);
}

TEST_CASE("rtu bus: a wrong reply is a fault, never a value", "[modbus][rtu][A12][D51][D55]") {
    const std::vector<std::pair<const char*, std::function<Bytes(const Bytes& good)>>> cases{
        {"checksum",
         [](const Bytes& good) {
             Bytes raw = test::rtu_frame(1, good);
             raw.back() = static_cast<std::uint8_t>(raw.back() ^ 1U);
             return raw;
         }},
        {"other unit", [](const Bytes& good) { return test::rtu_frame(2, good); }},
        {"other function",
         [](const Bytes&) {
             return test::rtu_frame(1, {4, 4, 0, 1, 0, 2});
         }},
        {"byte count",
         [](const Bytes&) {
             return test::rtu_frame(1, {3, 2, 0, 1, 0, 2});
         }},
        {"too few",
         [](const Bytes&) {
             return test::rtu_frame(1, {3, 2, 0, 1});
         }},
        {"too many",
         [](const Bytes&) {
             return test::rtu_frame(1, {3, 6, 0, 1, 0, 2, 0, 3});
         }},
        {"first byte cut off [D51]",
         [](const Bytes& good) {
             Bytes raw = test::rtu_frame(1, good);
             raw.erase(raw.begin());
             return raw;
         }},
        {"half",
         [](const Bytes& good) {
             Bytes raw = test::rtu_frame(1, good);
             raw.resize(5);
             return raw;
         }},
        {"nothing but noise",
         [](const Bytes&) {
             return Bytes{0, 0xFF, 0, 0xFF, 0};
         }},
    };
    for (const auto& [name, wrong] : cases) {
        INFO(name);
        Line line(first([&wrong = wrong](RtuPeer& peer, const RtuRequest&, const Good& good) {
            peer.send(wrong(good()));
        }));
        const auto words = line.bus.read({1, RegisterTable::holding, 500, 2});
        REQUIRE_FALSE(words);
        CHECK(words.error().kind == BusFault::Kind::garbled);
        CHECK(line.reads_itself_soon(600, 2));
    }
}

TEST_CASE("rtu bus: a write counts only by its whole own confirmation", "[modbus][rtu]") {
    for (const Bytes& wrong :
         {Bytes{16, 0, 101, 0, 4}, Bytes{16, 0, 100, 0, 3}, Bytes{6, 0, 100, 0, 4}}) {
        Line line([&wrong](RtuPeer& peer, const RtuRequest& request, const Good& good) {
            peer.reply(request, request.pdu[0] == 16 ? wrong : good());
        });
        REQUIRE(line.reads_itself(1));
        CHECK(line.bus.write(command).kind == Outcome::unknown);
    }
}

TEST_CASE("rtu bus: two answers to one question are none", "[modbus][rtu]") {
    Line line(first([](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        Bytes raw = test::rtu_frame(request.unit, {3, 2, 0, 5});
        const Bytes frame = test::rtu_frame(request.unit, good());
        raw.insert(raw.end(), frame.begin(), frame.end());
        peer.send(raw);
    }));
    const auto words = line.bus.read({1, RegisterTable::holding, 500, 1});
    REQUIRE_FALSE(words);
    CHECK(words.error().kind == BusFault::Kind::garbled);
}

TEST_CASE("rtu bus: exceptions mean what they prove", "[modbus][rtu][B26][F74][F75][F76]") {
    std::atomic<int> code{0};
    Line line([&code](RtuPeer& peer, const RtuRequest& request, const Good&) {
        peer.reply(request,
                   test::exception_reply(request.pdu, static_cast<std::uint8_t>(code.load())));
    });
    const std::vector<std::pair<int, Outcome>> cases{{1, Outcome::refused},
                                                     {2, Outcome::refused},
                                                     {3, Outcome::refused},
                                                     {4, Outcome::unknown},
                                                     {5, Outcome::confirmed},
                                                     {6, Outcome::busy},
                                                     {0x0A, Outcome::unknown},
                                                     {0x0B, Outcome::unknown}};
    for (const auto& [exception, kind] : cases) {
        INFO(exception);
        code = exception;
        CHECK(line.bus.write(command).kind == kind);
        const auto words = line.bus.read({1, RegisterTable::holding, 1, 1});
        REQUIRE_FALSE(words);
        CHECK(words.error().exception == exception);
    }
}

TEST_CASE("rtu bus: a reply in single bytes is put together, a dripping one is not waited for",
          "[modbus][rtu]") {
    std::atomic<int> gap_ms{1};
    Line line([&gap_ms](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        peer.send_in_pieces(test::rtu_frame(request.unit, good()), 1, test::Millis{gap_ms.load()});
    });
    CHECK(line.reads_itself(77));
    gap_ms = 60;
    const auto before = Clock::now();
    CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 1, 100}));
    CHECK(Clock::now() - before < response_timeout + slack);
}

TEST_CASE("rtu bus: a line that is never quiet is given up on in time", "[modbus][rtu]") {
    Line line([](RtuPeer& peer, const RtuRequest&, const Good&) {
        for (int i = 0; i < 10000; ++i) {
            peer.send({0x55});
            peer.sleep(1ms);
        }
    });
    CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 1, 1}));
    const auto before = Clock::now();
    CHECK_FALSE(line.bus.read({2, RegisterTable::holding, 1, 1}));
    CHECK(Clock::now() - before < 2 * response_timeout + slack);
}

TEST_CASE("rtu bus: an adapter that echoes is understood", "[modbus][rtu][D52]") {
    std::atomic<bool> answers{true};
    Line line([&answers](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        if (request.pdu[0] != 6 || answers) {
            peer.reply(request, good());
        }
    });
    line.peer.echo(true);
    CHECK(line.reads_itself(5));
    CHECK(line.bus.write(command).kind == Outcome::confirmed);
    CHECK(line.bus.write(beat).kind == Outcome::confirmed);
    // Its own request come back is no confirmation, although it looks like one.
    answers = false;
    CHECK(line.bus.write(beat).kind == Outcome::unknown);
    CHECK(line.peer.registers().writes().size() == 2);
}

TEST_CASE("rtu bus: before anything was read, a single register is not written", "[modbus][rtu]") {
    Line line;
    CHECK(line.bus.write(beat).kind == Outcome::not_written);
    REQUIRE(line.reads_itself(1));
    CHECK(line.bus.write(beat).kind == Outcome::confirmed);
    // After the device was opened anew it is found out by reading what is known.
    line.bus.abort();
    CHECK(line.bus.write(beat).kind == Outcome::confirmed);
    CHECK(line.peer.requests().size() == 4);
    line.bus.abort();
    CHECK(line.bus.write(command).kind == Outcome::confirmed);  // needs none of that
}

TEST_CASE("rtu bus: an adapter that is pulled out and put back is found again",
          "[modbus][rtu][M12][E60]") {
    Line line;
    REQUIRE(line.reads_itself(3));
    line.peer.unplug();
    const auto down_until = Clock::now() + 600ms;
    while (Clock::now() < down_until) {
        const auto before = Clock::now();
        CHECK_FALSE(line.bus.read({1, RegisterTable::holding, 3, 1}));
        CHECK(line.bus.write(command).kind == Outcome::not_written);
        CHECK(Clock::now() - before < slack);
        std::this_thread::sleep_for(20ms);
    }
    line.peer.plug_in();
    CHECK(line.reads_itself_soon(3));
    CHECK(line.bus.link() == 2);
    CHECK(line.peer.registers().writes().empty());
}

TEST_CASE("rtu bus: an abort opens the device anew", "[modbus][rtu]") {
    Line line;
    for (std::uint16_t i = 1; i <= 5; ++i) {
        CHECK(line.reads_itself(i));
        CHECK(line.bus.link() == i);
        line.bus.abort();
    }
}

TEST_CASE("rtu bus: a device as a killed process left it can be opened", "[modbus][rtu]") {
    Line line;
    modbus_t* dead = ::modbus_new_rtu(line.peer.device().c_str(), 115200, 'E', 8, 1);
    ::modbus_set_slave(dead, 1);
    REQUIRE(::modbus_connect(dead) == 0);
    ::close(::modbus_get_socket(dead));  // without setting back what it had set
    ::modbus_set_socket(dead, -1);
    ::modbus_free(dead);
    const auto words = line.bus.read({1, RegisterTable::holding, 1, 1});
    CHECK(words);
}

TEST_CASE("rtu bus: an adapter pulled out during a write leaves it unknown", "[modbus][rtu]") {
    Line line([](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        if (request.pdu[0] == 16) {
            peer.unplug();
        } else {
            peer.reply(request, good());
        }
    });
    REQUIRE(line.reads_itself(3));
    const auto before = Clock::now();
    CHECK(line.bus.write(command).kind == Outcome::unknown);
    CHECK(Clock::now() - before < response_timeout + slack);
}

TEST_CASE("rtu bus: a device that is missing is said by name", "[modbus][rtu]") {
    test::TempDir dir;
    ports::BusSettings settings;
    settings.device = dir.file("ttyNONE");
    RtuBus bus(settings);
    const auto words = bus.read({1, RegisterTable::holding, 1, 1});
    REQUIRE_FALSE(words);
    CHECK(words.error().kind == BusFault::Kind::not_connected);
    CHECK(words.error().detail.find("ttyNONE") != std::string::npos);
    CHECK(bus.write(command).kind == Outcome::not_written);
}

TEST_CASE("rtu bus: a device that somebody else holds is refused, and who it is",
          "[modbus][rtu][D59]") {
    Line line;
    test::ProcessOptions options;
    options.argv = {"flock", "--no-fork", line.peer.device(), "sleep", "60"};
    test::Process holder(options);
    const std::string who = "in use by sleep (process " + std::to_string(holder.pid()) + ")";
    // Once that process has got so far.
    CHECK(test::wait_until([&] {
        RtuBus bus(line.settings());
        const auto words = bus.read({1, RegisterTable::holding, 1, 1});
        return !words && words.error().detail.find(who) != std::string::npos;
    }));
    holder.kill();
    CHECK(line.reads_itself_soon(1));
    // And nobody else gets it from us.
    RtuBus second(line.settings());
    const auto words = second.read({1, RegisterTable::holding, 1, 1});
    REQUIRE_FALSE(words);
    CHECK_THAT(words.error().detail, Catch::Contains("in use by"));
    CHECK(line.reads_itself(2));
}

TEST_CASE("rtu bus: frames keep their silence", "[modbus][rtu][D47][D48][D49][D50]") {
    Line line;
    auto settings = line.settings();
    settings.baud = 9600;
    RtuBus slow(settings);
    CHECK(modbus::RtuLine::line_time(settings, 96) == 110ms);  // 11 bits a byte
    auto two_stop_bits = settings;
    two_stop_bits.stop_bits = 2;
    CHECK(modbus::RtuLine::line_time(two_stop_bits, 96) == 120ms);
    for (std::uint16_t i = 0; i < 5; ++i) {
        CHECK(slow.read({1, RegisterTable::holding, i, 1}));
    }
    const auto requests = line.peer.requests();
    REQUIRE(requests.size() == 5);
    for (std::size_t i = 1; i < requests.size(); ++i) {
        // The peer replies at once; 3.5 characters of 11 bits at 9600 baud are 4.01 ms.
        CHECK(requests[i].at - requests[i - 1].at >= 4ms);
    }
}

TEST_CASE("rtu bus: nobody answers a broadcast, so there is none", "[modbus][rtu][B16][F78]") {
    Line line;
    WriteRequest everybody = command;
    everybody.unit = 0;
    CHECK(line.bus.write(everybody).kind == Outcome::not_written);
    everybody.unit = 248;
    CHECK(line.bus.write(everybody).kind == Outcome::not_written);
    CHECK(line.peer.requests().empty());
}

TEST_CASE("rtu bus: stop ends a wait", "[modbus][rtu]") {
    Line line([](RtuPeer&, const RtuRequest&, const Good&) {}, 60s);
    std::thread stopper([&] {
        std::this_thread::sleep_for(50ms);
        line.bus.stop();
    });
    const auto before = Clock::now();
    CHECK(line.bus.write(command).kind == Outcome::unknown);
    CHECK(Clock::now() - before < 2s);
    stopper.join();
    CHECK(line.bus.write(command).kind == Outcome::not_written);
}
