#include "tests/support/site/site.hpp"

#include "drivers/mailbox/schema.hpp"
#include "src/adapters/config/load.hpp"
#include "tests/support/net.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace liftwarden::test {
namespace {

// Where the map below has the command block.
constexpr std::uint16_t command_register = 100;

boost::json::object parse_object(const std::string& text) {
    boost::json::error_code error;
    const auto value = boost::json::parse(text, error);
    if (error || !value.is_object()) {
        throw std::runtime_error("not a JSON object: " + text);
    }
    return value.as_object();
}

std::string elevator_yaml(const std::string& id,
                          std::size_t unit,
                          const std::vector<std::string>& keys) {
    std::string text = "  " + id + ":\n    bus: plc\n    unit: " + std::to_string(unit) + R"(
    driver: mailbox
    floors: {"1": {value: 1}, "2": {value: 2}, "3": {value: 3}, "4": {value: 4}}
    registers:
      command: holding:100
      ack: holding:110
      floor: input:0
      direction: {at: input:1, values: {0: stopped, 1: up, 2: down}}
      door: {at: input:2, values: {0: closed, 1: opening, 2: open, 3: closing}}
      mode: {at: input:3, values: {1: normal, 2: agv, 3: fire, 4: inspection, 5: out_of_service}}
      fault: {at: input:4, none: 0}
      occupied: discrete:0
      heartbeat: {at: holding:120, period: 1s}
    actions: {hall_call: 1, car_call: 2, open_door: 3, close_door: 4, hold_door: 5, set_mode: 6}
    results: {1: accepted, 2: refused, 3: busy}
    sides: {front: 0, rear: 1}
)";
    for (const std::string& key : keys) {
        text += "    " + key + "\n";
    }
    return text;
}

}  // namespace

Site::Site(const SiteOptions& options)
    : options_(options), broker_(options.broker), plc_port_(free_port()) {
    config_ = dir_.file("liftwarden.yaml");
    journal_ = options.journal.empty() ? dir_.file("journal.db") : options.journal;
    std::uint16_t broker_port = broker_.port();
    if (options.broker_through_relay) {
        broker_relay_ = std::make_unique<PlainRelay>(broker_.port());
        broker_port = broker_relay_->port();
    }
    std::string text = "gateway: {id: gw-test, site: " + options.site + "}\n" +
                       "control: {socket: " + dir_.file("control.sock") + "}\n" +
                       "mqtt: {url: \"mqtt://127.0.0.1:" + std::to_string(broker_port) + "\", " +
                       options.mqtt_keys + "}\njournal: {path: " + journal_ + options.journal_keys +
                       "}\n" + "buses:\n  plc: " + bus_yaml() + "\n";
    for (const std::string& key : options.file_keys) {
        text += key + "\n";
    }
    text += "elevators:\n";
    std::size_t unit = 0;
    for (const std::string& id : options.elevators) {
        text += elevator_yaml(id, ++unit, options.elevator_keys);
    }
    write_file(config_, text);
    start_plc();
    if (options.start_daemon) {
        start_daemon();
        wait_ready();
    }
}

Site::~Site() = default;

std::string Site::bus_yaml() {
    if (!options_.serial) {
        std::uint16_t port = plc_port_;
        if (options_.plc_through_relay) {
            plc_relay_ = std::make_unique<ModbusRelay>(plc_port_, command_register);
            port = plc_relay_->port();
        }
        return "{type: tcp, host: 127.0.0.1, port: " + std::to_string(port) + "}";
    }
    cable_ = std::make_unique<SerialCable>(dir_.file("ttyLIFT"), dir_.file("ttyPLC"));
    return "{type: rtu, device: " + cable_->gateway_end() + ", baud: 115200}";
}

void Site::start_plc() {
    const auto loaded = config::load(config_, {&mailbox::schema()});
    if (!loaded.ok()) {
        throw std::runtime_error("the test's configuration is wrong: " +
                                 loaded.problems.front().text);
    }
    std::vector<sim::SimElevator> elevators;
    for (const auto& elevator : loaded.settings.elevators) {
        elevators.push_back({elevator.core.id, elevator.bus, elevator.map, elevator.core.scan});
    }
    sim::SimOptions options;
    if (options_.serial) {
        options.endpoints.front().type = ports::BusType::rtu;
        options.endpoints.front().device = cable_->plc_end();
    } else {
        options.endpoints.front().port = plc_port_;
    }
    options.input = options_.input;
    options.car = options_.car;
    options.scan = options_.scan;
    options.log_frames = options_.log_frames;
    options.log = dir_.file("sim.jsonl");
    auto made = sim::Simulator::create(std::move(elevators), std::move(options), clock_);
    if (!made) {
        throw std::runtime_error(made.error().text);
    }
    simulator_ = std::move(*made);
    simulator_->start();
}

void Site::stop_plc() {
    simulator_->stop();
    simulator_.reset();
}

void Site::plc(const std::string& order) {
    const std::string answer = simulator_->command(order);
    if (answer.rfind("ok", 0) != 0) {
        throw std::runtime_error(order + ": " + answer);
    }
}

void Site::start_daemon() {
    ++starts_;
    observer_ = std::make_unique<MqttPeer>(broker_.port(), "observer-" + std::to_string(starts_));
    spawn_daemon();
    observer_->subscribe("lift/#");
}

void Site::spawn_daemon() {
    ProcessOptions options;
    options.argv = {LIFTWARDEN_BINARY, "run", "-c", config_};
    options.env = options_.daemon_environment;
    options.stdout_file = dir_.file("daemon.log");
    options.stderr_file = dir_.file("daemon.log");
    daemon_ = std::make_unique<Process>(options);
}

void Site::crash_daemon() {
    daemon_->kill();
    start_daemon();
}

void Site::wait_ready() {
    const bool ready = wait_until(
        [&] {
            const auto status = command_line({"status", "-c", config_, "--json"});
            std::size_t good = 0;
            for (std::size_t at = status.text.find("\"quality\":\"good\""); at != std::string::npos;
                 at = status.text.find("\"quality\":\"good\"", at + 1)) {
                ++good;
            }
            return good == options_.elevators.size() &&
                   status.text.find("\"online\":true") != std::string::npos;
        },
        20s);
    if (!ready) {
        throw std::runtime_error("the daemon did not become ready:\n" + daemon_log());
    }
}

boost::json::object Site::last(const std::string& elevator, const std::string& topic) const {
    const std::string wanted = "lift/" + options_.site + "/" + elevator + "/" + topic;
    const auto messages = observer_->messages();
    for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
        if (message->topic == wanted && !message->payload.empty()) {
            return parse_object(message->payload);
        }
    }
    return {};
}

bool Site::shows(const std::string& elevator,
                 const std::string& topic,
                 const std::string& key,
                 const std::string& text) const {
    const auto seen = last(elevator, topic);
    const auto found = seen.find(key);
    return found != seen.end() && found->value().is_string() && found->value().as_string() == text;
}

Site::Output Site::command_line(std::vector<std::string> arguments) const {
    const TempDir dir;
    ProcessOptions options;
    options.argv = std::move(arguments);
    options.argv.insert(options.argv.begin(), LIFTWARDEN_BINARY);
    options.stdout_file = dir.file("out");
    options.stderr_file = dir.file("out");
    Process process(options);
    const auto code = process.wait(30s);
    return {code.value_or(-1), read_file(dir.file("out"))};
}

Node::Node(Site& site, std::string source, std::string elevator)
    : site_(site),
      source_(std::move(source)),
      elevator_(std::move(elevator)),
      base_("lift/test/" + elevator_ + "/"),
      peer_(site.broker().port(), source_) {
    peer_.subscribe(base_ + "result/" + source_);
}

void Node::send(const std::string& fields, const MqttProperties& properties) {
    peer_.publish({base_ + "dispatch/" + source_, "{" + fields + "}", false, properties});
}

void Node::send_raw(const std::string& payload, bool retained) {
    peer_.publish({base_ + "dispatch/" + source_, payload, retained, {}});
}

std::vector<boost::json::object> Node::results(const std::string& seq) const {
    std::vector<boost::json::object> found;
    for (const PeerMessage& message : peer_.messages()) {
        boost::json::object result = parse_object(message.payload);
        const auto& of = result.at("seq");
        if (seq.empty() || (of.is_string() && of.as_string() == seq)) {
            found.push_back(std::move(result));
        }
    }
    return found;
}

std::size_t Node::count(const std::string& seq, const std::string& status) const {
    std::size_t times = 0;
    for (const auto& result : results(seq)) {
        times += result.at("status").as_string() == status ? 1U : 0U;
    }
    return times;
}

std::size_t Node::final_count() {
    for (const PeerMessage& message : peer_.take()) {
        finals_ += message.payload.find("\"final\":true") != std::string::npos ? 1U : 0U;
    }
    return finals_;
}

boost::json::object Node::expect(const std::string& seq,
                                 const std::string& status,
                                 Millis limit) const {
    std::optional<boost::json::object> found;
    const bool there = wait_until(
        [&] {
            for (auto& result : results(seq)) {
                if (result.at("status").as_string() == status) {
                    found = std::move(result);
                    return true;
                }
            }
            return false;
        },
        limit);
    if (!there) {
        std::string seen;
        for (const auto& result : results()) {
            seen += "\n  " + boost::json::serialize(result);
        }
        throw std::runtime_error(source_ + ": no " + status + " for " + seq + "; results:" + seen +
                                 daemon_words());
    }
    return *found;
}

boost::json::object Node::final_of(const std::string& seq, Millis limit) const {
    std::optional<boost::json::object> found;
    const bool there = wait_until(
        [&] {
            for (auto& result : results(seq)) {
                const auto* final = result.if_contains("final");
                if (final != nullptr && final->as_bool()) {
                    found = std::move(result);
                    return true;
                }
            }
            return false;
        },
        limit);
    if (!there) {
        throw std::runtime_error(source_ + ": no final outcome for " + seq + daemon_words());
    }
    return *found;
}

std::string Node::daemon_words() const {
    const std::string log = site_.daemon_log();
    constexpr std::size_t enough = 1500;
    return "\ndaemon:\n" + log.substr(log.size() - std::min(log.size(), enough));
}

}  // namespace liftwarden::test
