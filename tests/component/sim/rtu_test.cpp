#include "drivers/sim/rtu_frame.hpp"
#include "drivers/sim/simulator.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "tests/component/sim/running.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>

using namespace liftwarden;
using namespace std::chrono_literals;
using liftwarden::test::TempDir;
using liftwarden::test::wait_until;
using sim::Bytes;
using sim::test::Running;

namespace {

// The master's end of a pseudo-terminal; the other end has a path of our own, as a plugged adapter.
class Line {
  public:
    explicit Line(std::string path) : path_(std::move(path)) { plug(); }
    ~Line() { unplug(); }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    void plug() {
        master_ = ::posix_openpt(O_RDWR | O_NOCTTY);
        if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) {
            throw std::runtime_error("no pseudo-terminal");
        }
        termios settings{};
        ::tcgetattr(master_, &settings);
        ::cfmakeraw(&settings);
        ::tcsetattr(master_, TCSANOW, &settings);
        std::filesystem::create_symlink(::ptsname(master_), path_);
    }
    void unplug() {
        std::filesystem::remove(path_);
        ::close(master_);
    }

    void send(const Bytes& bytes) const {
        if (::write(master_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
            throw std::runtime_error("write");
        }
    }
    // Whatever comes until `size` bytes are there or nothing comes for `limit_ms`.
    [[nodiscard]] Bytes receive(std::size_t size, int limit_ms = 5000) const {
        Bytes received;
        pollfd waiting{master_, POLLIN, 0};
        while (received.size() < size && ::poll(&waiting, 1, limit_ms) > 0) {
            std::array<std::uint8_t, 256> chunk{};
            const ssize_t got = ::read(master_, chunk.data(), chunk.size());
            if (got <= 0) {
                break;
            }
            received.insert(received.end(), chunk.begin(), chunk.begin() + got);
        }
        return received;
    }

  private:
    std::string path_;
    int master_ = -1;
};

struct Serial {
    Serial() : line(directory.file("tty")) {
        sim::SimOptions options;
        options.endpoints[0].type = ports::BusType::rtu;
        options.endpoints[0].device = directory.file("tty");
        options.log = directory.file("sim.log");
        auto created = sim::Simulator::create(Running::elevators(), options, clock);
        if (!created) {
            throw std::runtime_error(created.error().text);
        }
        simulator = std::move(*created);
        simulator->start();
    }
    ~Serial() { simulator->stop(); }
    Serial(const Serial&) = delete;
    Serial& operator=(const Serial&) = delete;

    [[nodiscard]] auto log() const {
        return liftwarden::test::SimLog::load(directory.file("sim.log"));
    }

    TempDir directory;
    Line line;
    system::SystemClock clock;
    std::unique_ptr<sim::Simulator> simulator;
};

const Bytes read_ack = sim::rtu_frame(2, Bytes{3, 0, 110, 0, 2});
const Bytes nothing_yet = sim::rtu_frame(2, Bytes{3, 4, 0, 0, 0, 0});

}  // namespace

TEST_CASE("rtu frame: the CRC is that of the specification", "[sim][rtu]") {
    // A well-known example: read two registers from 0 of unit 2.
    CHECK(sim::rtu_frame(2, Bytes{7}) == Bytes{2, 7, 0x41, 0x12});
    CHECK(sim::crc_fits(Bytes{2, 7, 0x41, 0x12}));
    CHECK_FALSE(sim::crc_fits(Bytes{2, 7, 0x12, 0x41}));
}

TEST_CASE("sim rtu: commands and reads work over a serial line", "[sim][rtu]") {
    Serial serial;
    serial.line.send(sim::rtu_frame(2, Bytes{16, 0, 100, 0, 4, 8, 0, 3, 0, 0, 0, 0, 0, 9}));
    CHECK(serial.line.receive(8) == sim::rtu_frame(2, Bytes{16, 0, 100, 0, 4}));
    const Bytes acknowledged = sim::rtu_frame(2, Bytes{3, 4, 0, 9, 0, 1});
    CHECK(wait_until([&] {
        serial.line.send(read_ack);
        return serial.line.receive(9) == acknowledged;
    }));
    CHECK(serial.log().executed("EL002").size() == 1);
}

TEST_CASE("sim rtu: bytes that drip are one frame, noise before it is dropped", "[sim][rtu]") {
    Serial serial;
    for (const std::uint8_t byte : read_ack) {
        serial.line.send({byte});
    }
    CHECK(serial.line.receive(9) == nothing_yet);
    serial.line.send({0x00, 0xFF});
    CHECK(wait_until([&] { return serial.log().lines("garbled").size() == 1; }));
    serial.line.send(read_ack);
    CHECK(serial.line.receive(9) == nothing_yet);
}

TEST_CASE("sim rtu: other units, bad CRCs and silence are not answered", "[sim][rtu]") {
    Serial serial;
    serial.line.send(sim::rtu_frame(7, Bytes{3, 0, 110, 0, 2}));
    Bytes bad = read_ack;
    bad.back() ^= 1U;
    serial.line.send(bad);
    CHECK(serial.line.receive(1, 100).empty());
    CHECK(serial.simulator->command("EL002:silence:1") == "ok");
    serial.line.send(read_ack);
    CHECK(serial.line.receive(1, 100).empty());
    serial.line.send(sim::rtu_frame(2, Bytes{7}));  // unknown function, known by the silence
    CHECK(serial.line.receive(5) == sim::rtu_frame(2, Bytes{0x87, 1}));
}

TEST_CASE("sim rtu: the line may be unplugged and plugged again", "[sim][rtu]") {
    Serial serial;
    serial.line.unplug();
    CHECK(wait_until([&] { return serial.log().lines("disconnected").size() == 1; }));
    serial.line.plug();
    CHECK(wait_until([&] { return serial.log().lines("listening").size() == 1; }));
    serial.line.send(read_ack);
    CHECK(serial.line.receive(9) == nothing_yet);
}

TEST_CASE("sim rtu: a device that is not there or no terminal is an error", "[sim][rtu]") {
    system::SystemClock clock;
    sim::SimOptions options;
    options.endpoints[0].type = ports::BusType::rtu;
    options.endpoints[0].device = "/dev/null";
    auto created = sim::Simulator::create(Running::elevators(), options, clock);
    REQUIRE_FALSE(created.has_value());
    CHECK(created.error().text == "cannot open /dev/null: Inappropriate ioctl for device");
    options.endpoints[0].baud = 12345;
    created = sim::Simulator::create(Running::elevators(), options, clock);
    REQUIRE_FALSE(created.has_value());
    CHECK(created.error().text == "cannot open /dev/null: a baud rate of 12345 is not supported");
}
