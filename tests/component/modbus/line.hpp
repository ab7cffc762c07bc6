// A serial line with its peer and a bus, for tests of the bus.
#pragma once

#include "drivers/modbus/rtu_bus.hpp"
#include "tests/component/modbus/printing.hpp"
#include "tests/support/files.hpp"
#include "tests/support/rtu_peer.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace liftwarden::test::line {

using namespace std::chrono_literals;
using modbus::RtuBus;
using ports::RegisterTable;
using ports::WriteRequest;
using Good = RtuPeer::Good;
using Outcome = core::WriteOutcome::Kind;
using Clock = std::chrono::steady_clock;

constexpr auto response_timeout = 200ms;
constexpr auto slack = 1s;  // for a busy machine

// A line with its peer and the bus at its other end.
struct Line {
    explicit Line(RtuPeer::Behaviour behaviour = RtuPeer::well_behaved,
                  test::Millis timeout = response_timeout)
        : peer(dir.file("ttyLIFT"), std::move(behaviour)), bus(settings(timeout)) {}

    ports::BusSettings settings(test::Millis timeout = response_timeout) const {
        ports::BusSettings result;
        result.type = ports::BusType::rtu;
        result.device = peer.device();
        result.baud = 115200;
        result.response_timeout = timeout;
        return result;
    }

    // Registers of the peer read as their own address.
    bool reads_itself(std::uint16_t address, std::uint16_t count = 1, std::uint8_t unit = 1) {
        const auto words = bus.read({unit, RegisterTable::holding, address, count});
        if (!words) {
            return false;
        }
        std::vector<std::uint16_t> expected;
        for (std::uint16_t i = 0; i < count; ++i) {
            expected.push_back(static_cast<std::uint16_t>(address + i));
        }
        CHECK(*words == expected);
        return true;
    }

    bool reads_itself_soon(std::uint16_t address, std::uint16_t count = 1, std::uint8_t unit = 1) {
        return test::wait_until([&] { return reads_itself(address, count, unit); });
    }

    test::TempDir dir;
    RtuPeer peer;
    RtuBus bus;
};

inline const WriteRequest command{1, 16, 100, {2, 3, 0, 812}};
inline const WriteRequest beat{1, 6, 120, {7}};

inline RtuPeer::Behaviour first(RtuPeer::Behaviour fault) {
    return [fault](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        (request.number == 0 ? fault : RtuPeer::well_behaved)(peer, request, good);
    };
}

// Answers request `number` after `time`, all others at once.
inline RtuPeer::Behaviour late(std::size_t number, test::Millis time) {
    return [=](RtuPeer& peer, const RtuRequest& request, const Good& good) {
        if (request.number == number) {
            peer.sleep(time);
        }
        peer.reply(request, good());
    };
}

}  // namespace liftwarden::test::line
