#pragma once

#include "drivers/sim/control_server.hpp"
#include "drivers/sim/endpoint.hpp"
#include "drivers/sim/file_descriptor.hpp"
#include "drivers/sim/log.hpp"
#include "drivers/sim/plc.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/settings.hpp>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace liftwarden::sim {

// One PLC to simulate. The heartbeat period is in the map.
struct SimElevator {
    core::ElevatorId id;
    core::BusId bus;
    ports::ElevatorMap map;
    core::Duration scan = std::chrono::milliseconds{200};
};

// Where masters find the elevators of one bus.
struct SimEndpoint {
    std::optional<core::BusId> bus;  // nullopt: all elevators, whatever their bus
    ports::BusType type = ports::BusType::tcp;
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;  // 0: the system chooses
    std::string device;      // RTU: a serial port or a pseudo-terminal
    int baud = 19200;
    ports::Parity parity = ports::Parity::even;
    int stop_bits = 1;
};

struct SimOptions {
    std::vector<SimEndpoint> endpoints{SimEndpoint{}};
    InputKind input = InputKind::latch;
    bool protect = true;
    std::optional<core::Duration> scan;  // for all, instead of each elevator's own; 0: no cycle
    CarConfig car;                       // its floors come from the maps
    std::vector<std::string> faults;     // in effect from the start, see parse_fault
    std::string log;                     // path, "-" or empty
    bool log_frames = true;
    std::string control;  // path of the control socket, or empty
};

// Simulated PLCs on real Modbus. The clock must outlive it. Everything happens in one thread: the
// one that calls run(), or one of its own between start() and stop(). command() and port() may be
// called from any thread, the rest by the owner.
class Simulator {
  public:
    // Binds everything, so that clients can connect at once. Errors (class permanent) name the
    // elevator, the endpoint or the fault that is wrong.
    [[nodiscard]] static core::Result<std::unique_ptr<Simulator>> create(
        std::vector<SimElevator> elevators, SimOptions options, const ports::Clock& clock);
    ~Simulator();
    Simulator(const Simulator&) = delete;
    Simulator& operator=(const Simulator&) = delete;

    // Runs until `stop_fd` is readable (-1: none) or stop() is called.
    void run(int stop_fd = -1);
    void start();
    void stop();

    // The port of a TCP endpoint, 0 for RTU.
    [[nodiscard]] std::uint16_t port(std::size_t endpoint = 0) const { return ports_[endpoint]; }
    // "127.0.0.1:1502", for people.
    [[nodiscard]] std::vector<std::string> addresses() const;

    // One line of the control language: a fault, `state`, `state ELEVATOR` or `ping`. Takes effect
    // before it returns. The answer begins with "ok" or "error:".
    [[nodiscard]] std::string command(const std::string& line);

  private:
    struct Site {
        std::unique_ptr<Plc> plc;
        std::size_t endpoint = 0;
    };
    using Order = std::pair<std::string, std::promise<std::string>>;

    Simulator(Log log, const ports::Clock& clock);
    [[nodiscard]] std::optional<std::string> build(std::vector<SimElevator> elevators,
                                                   const SimOptions& options);
    [[nodiscard]] std::optional<std::string> open_endpoint(const SimEndpoint& endpoint,
                                                           Units units,
                                                           bool log_frames);
    void work(core::TimePoint now);
    [[nodiscard]] bool wait(int stop_fd);
    [[nodiscard]] std::optional<core::TimePoint> deadline();
    void write_notes();
    void take_orders();
    [[nodiscard]] std::string execute(const std::string& line);
    [[nodiscard]] std::string state_of(const std::string& elevator);
    [[nodiscard]] std::string apply(const std::string& text);
    void apply_to_endpoint(const Fault& fault, std::size_t endpoint, core::TimePoint now);

    const ports::Clock& clock_;
    Log log_;
    std::vector<Site> sites_;
    std::vector<std::unique_ptr<Endpoint>> endpoints_;
    std::vector<std::uint16_t> ports_;
    std::unique_ptr<ControlServer> control_;
    FileDescriptor wake_;
    std::thread thread_;
    std::mutex mutex_;  // guards the two below
    std::vector<Order> orders_;
    bool running_ = false;
    std::atomic<bool> stopping_ = false;
};

}  // namespace liftwarden::sim
