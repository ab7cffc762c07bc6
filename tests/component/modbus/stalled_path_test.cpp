// A cable that is pulled and comes back. Needs a network of its own, which not every place where
// tests run can give; there it is skipped with a warning.
#include "drivers/modbus/tcp_bus.hpp"
#include "tests/component/modbus/printing.hpp"
#include "tests/support/modbus_peer.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <thread>

using namespace liftwarden;
using namespace std::chrono_literals;
using Outcome = core::WriteOutcome::Kind;

namespace {

bool set_loopback(bool up) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
    request.ifr_flags = up ? IFF_UP : 0;
    const bool done = ::ioctl(fd, SIOCSIFFLAGS, &request) == 0;
    ::close(fd);
    return done;
}

// Runs `body` on a thread with a loopback interface that nobody else has. False: not possible here.
bool in_private_network(const std::function<void()>& body) {
    bool possible = false;
    std::thread thread([&] {
        possible = ::unshare(CLONE_NEWNET) == 0 && set_loopback(true);
        if (possible) {
            body();
        }
    });
    thread.join();
    return possible;
}

}  // namespace

TEST_CASE("tcp bus: writes into a pulled cable are not delivered when it is back",
          "[modbus][tcp][M10][B13][E67][E68][E69]") {
    std::vector<Outcome> outcomes;
    std::vector<test::ModbusRegisters::Write> writes;
    std::size_t requests = 0;
    bool reads_again = false;
    const bool possible = in_private_network([&] {
        test::ModbusPeer peer;
        ports::BusSettings settings;
        settings.host = "127.0.0.1";
        settings.port = peer.port();
        settings.response_timeout = 200ms;
        settings.connect_timeout = 300ms;
        modbus::TcpBus bus(settings);
        outcomes.push_back(bus.write({1, 6, 1, {1}}).kind);
        set_loopback(false);
        for (std::uint16_t value = 2; value <= 5; ++value) {
            outcomes.push_back(bus.write({1, 6, 1, {value}}).kind);
            std::this_thread::sleep_for(100ms);
        }
        set_loopback(true);
        reads_again = test::wait_until([&] {
            return bus.read({1, ports::RegisterTable::holding, 7, 1}).has_value();
        });
        // Longer than the kernel waits before it sends again what it still had.
        std::this_thread::sleep_for(1500ms);
        writes = peer.registers().writes();
        requests = peer.requests().size();
    });
    if (!possible) {
        WARN("no network namespace here: not tested");
        return;
    }
    REQUIRE(outcomes.size() == 5);
    CHECK(outcomes[0] == Outcome::confirmed);
    CHECK(outcomes[1] == Outcome::unknown);  // it had left for all the gateway knows
    for (std::size_t i = 2; i < 5; ++i) {
        CHECK(outcomes[i] == Outcome::not_written);
    }
    CHECK(reads_again);
    CHECK(writes.size() == 1);
    CHECK(requests == 2);
}
