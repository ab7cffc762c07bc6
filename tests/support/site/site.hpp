// A whole site on loopback: broker, simulated PLCs, the built daemon, and dispatch nodes.
#pragma once

#include "drivers/sim/simulator.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "tests/support/files.hpp"
#include "tests/support/mosquitto.hpp"
#include "tests/support/mqtt_peer.hpp"
#include "tests/support/process.hpp"
#include "tests/support/relay.hpp"
#include "tests/support/serial_cable.hpp"
#include "tests/support/sim_log.hpp"
#include "tests/support/wait.hpp"

#include <boost/json/object.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::test {

struct SiteOptions {
    std::vector<std::string> elevators{"EL001"};
    // Further keys of every elevator, and of the file, as YAML lines ("poll: 50ms").
    std::vector<std::string> elevator_keys;
    std::vector<std::string> file_keys;
    std::string mqtt_keys = "version: 5";  // inside the braces of `mqtt`
    std::string site = "test";
    MosquittoOptions broker;
    sim::InputKind input = sim::InputKind::latch;
    sim::CarConfig car;
    std::optional<core::Duration> scan;  // of the simulated PLCs, if not the map's; 0: no cycle
    bool log_frames = true;
    bool serial = false;  // the PLCs are on one RTU line, not behind TCP
    bool start_daemon = true;
    // The daemon reaches PLC (on TCP) or broker through a relay in the test's hands.
    bool plc_through_relay = false;
    bool broker_through_relay = false;
    std::map<std::string, std::string> daemon_environment;
    std::string journal;       // path; empty: in the site's own directory
    std::string journal_keys;  // further keys of `journal`, each with a comma in front
};

// Starts broker, simulator and daemon and waits until the daemon is online and has read every PLC.
// Everything ends with the object. For one thread.
class Site {
  public:
    explicit Site(const SiteOptions& options = {});
    ~Site();
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;

    [[nodiscard]] Mosquitto& broker() { return broker_; }
    [[nodiscard]] Process& daemon() { return *daemon_; }
    [[nodiscard]] const std::string& config() const { return config_; }
    [[nodiscard]] const TempDir& dir() const { return dir_; }
    [[nodiscard]] std::uint16_t plc_port() const { return plc_port_; }
    [[nodiscard]] std::string journal() const { return journal_; }
    [[nodiscard]] ModbusRelay& plc_relay() { return *plc_relay_; }
    [[nodiscard]] Relay& broker_relay() { return *broker_relay_; }
    [[nodiscard]] std::string daemon_log() const { return read_file(dir_.file("daemon.log")); }

    void start_daemon();
    // The process alone, with the observer as it is.
    void spawn_daemon();
    // SIGKILL and start again.
    void crash_daemon();
    // Waits until the observer has seen `state` of every elevator with quality good from a daemon
    // that was started last.
    void wait_ready();

    // One line of the simulator's control language; fails the test if it is refused.
    void plc(const std::string& order);
    void start_plc();
    void stop_plc();
    // Between daemon and PLCs, with `serial`.
    [[nodiscard]] SerialCable& cable() { return *cable_; }
    [[nodiscard]] SimLog truth() const { return SimLog::load(dir_.file("sim.jsonl")); }

    // Runs `liftwarden ARGS...` with the site's configuration and returns exit code and output.
    struct Output {
        int code = 0;
        std::string text;
    };
    [[nodiscard]] Output command_line(std::vector<std::string> arguments) const;

    // Sees every message below the prefix.
    [[nodiscard]] MqttPeer& observer() { return *observer_; }
    // The last retained `state` or `session` of an elevator, parsed.
    [[nodiscard]] boost::json::object last(const std::string& elevator,
                                           const std::string& topic) const;

    // True if the last `topic` of the elevator has this text under `key`; false if there is none
    // yet.
    [[nodiscard]] bool shows(const std::string& elevator,
                             const std::string& topic,
                             const std::string& key,
                             const std::string& text) const;

  private:
    // The bus as the configuration writes it; lays the cable if there is one.
    [[nodiscard]] std::string bus_yaml();

    TempDir dir_;
    SiteOptions options_;
    Mosquitto broker_;
    system::SystemClock clock_;
    std::uint16_t plc_port_;
    std::unique_ptr<ModbusRelay> plc_relay_;
    std::unique_ptr<PlainRelay> broker_relay_;
    std::string config_;
    std::string journal_;
    std::unique_ptr<SerialCable> cable_;
    std::unique_ptr<sim::Simulator> simulator_;
    std::unique_ptr<Process> daemon_;
    std::unique_ptr<MqttPeer> observer_;
    int starts_ = 0;
};

// A dispatch node: publishes commands and collects the results of its own topic. The site outlives
// it.
class Node {
  public:
    Node(Site& site, std::string source, std::string elevator = "EL001");

    // `fields` is the inside of a JSON object: R"("seq":"1","action":"car_call","floor":"2")"
    void send(const std::string& fields, const MqttProperties& properties = {});
    void send_raw(const std::string& payload, bool retained = false);
    // The first result of `seq` with this status; fails the test (throws) after `limit`.
    boost::json::object expect(const std::string& seq,
                               const std::string& status,
                               Millis limit = 10s) const;
    // The final result of `seq`.
    boost::json::object final_of(const std::string& seq, Millis limit = 15s) const;
    [[nodiscard]] std::vector<boost::json::object> results(const std::string& seq = "") const;
    [[nodiscard]] std::size_t count(const std::string& seq, const std::string& status) const;
    // How many final outcomes have come; counted without keeping the messages.
    [[nodiscard]] std::size_t final_count();
    [[nodiscard]] MqttPeer& peer() { return peer_; }
    [[nodiscard]] const std::string& source() const { return source_; }

  private:
    // For failures: the last the daemon said.
    [[nodiscard]] std::string daemon_words() const;

    const Site& site_;
    std::string source_;
    std::string elevator_;
    std::string base_;
    MqttPeer peer_;
    std::size_t finals_ = 0;
};

}  // namespace liftwarden::test
