// A simulator of two elevators on one endpoint, running in its own thread with its log in a file.
#pragma once

#include "drivers/sim/simulator.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "tests/support/files.hpp"
#include "tests/support/sim_log.hpp"
#include "tests/unit/sim/maps.hpp"

#include <memory>
#include <stdexcept>
#include <string>

namespace liftwarden::sim::test {

// A short scan, so that tests do not wait long.
inline constexpr auto scan = std::chrono::milliseconds{20};

struct Running {
    explicit Running(SimOptions options = {}) {
        options.log = directory.file("sim.log");
        log_path = options.log;
        auto created = Simulator::create(elevators(), std::move(options), clock);
        if (!created) {
            throw std::runtime_error(created.error().text);
        }
        simulator = std::move(*created);
        simulator->start();
    }
    ~Running() { simulator->stop(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    // EL001 is unit 1, EL002 unit 2; both have four floors, see full_map().
    static std::vector<SimElevator> elevators() {
        std::vector<SimElevator> all(2);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].id = core::ElevatorId{i == 0 ? "EL001" : "EL002"};
            all[i].bus = core::BusId{"plc-a"};
            all[i].map = full_map();
            all[i].map.unit = static_cast<std::uint8_t>(i + 1);
            all[i].scan = scan;
        }
        return all;
    }

    [[nodiscard]] std::uint16_t port() const { return simulator->port(); }
    [[nodiscard]] liftwarden::test::SimLog log() const {
        return liftwarden::test::SimLog::load(log_path);
    }
    void fault(const std::string& text) const {
        if (const std::string answer = simulator->command(text); answer != "ok") {
            throw std::runtime_error(answer);
        }
    }

    liftwarden::test::TempDir directory;
    system::SystemClock clock;
    std::string log_path;
    std::unique_ptr<Simulator> simulator;
};

}  // namespace liftwarden::sim::test
