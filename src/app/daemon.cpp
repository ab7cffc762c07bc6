#include "src/app/daemon.hpp"

#include "drivers/modbus/bus_worker.hpp"
#include "drivers/modbus/make_bus.hpp"
#include "src/adapters/system/boot_id.hpp"
#include "src/adapters/system/secret_file.hpp"
#include "src/app/drivers.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/log.hpp"

#include <unistd.h>

#include <csignal>
#include <utility>

namespace liftwarden::app {
namespace {

using namespace std::chrono_literals;

// How long a thread's heartbeat may stand still before the watchdog is no longer fed. A commit may
// wait for slow flash, the client library for the resolver, a bus for its own time-outs.
constexpr core::Duration journal_limit = 20s;
constexpr core::Duration broker_limit = 120s;
constexpr core::Duration bus_limit = 20s;
constexpr core::Duration lock_limit = 20s;

int exit_code_for(const core::Error& error) {
    return error.kind == core::ErrorClass::permanent || error.kind == core::ErrorClass::corrupt
               ? exit_config
               : exit_unavailable_now;
}

LogLevel level_of(mqtt::LogLevel level) {
    switch (level) {
        case mqtt::LogLevel::debug:
            return LogLevel::debug;
        case mqtt::LogLevel::info:
            return LogLevel::info;
        case mqtt::LogLevel::warning:
            return LogLevel::warning;
        case mqtt::LogLevel::error:
            break;
    }
    return LogLevel::error;
}

LogLevel level_of(redis::LogLevel level) {
    switch (level) {
        case redis::LogLevel::debug:
            return LogLevel::debug;
        case redis::LogLevel::info:
            return LogLevel::info;
        case redis::LogLevel::warning:
            return LogLevel::warning;
        case redis::LogLevel::error:
            break;
    }
    return LogLevel::error;
}

[[noreturn]] void end_process(int code, const std::string& why) {
    last_words(why);
    ::_exit(code);
}

}  // namespace

Daemon::Daemon(ports::Settings settings, std::function<void()> reload)
    : settings_(std::move(settings)),
      config_(settings_.core_config()),
      topics_(settings_.mqtt.prefix, settings_.site),
      reload_(std::move(reload)),
      manager_(system::ServiceManager::from_environment()),
      started_at_(clock_.now()),
      deadline_([this] {
          end_process(journal_closed_ ? exit_ok : exit_unavailable_now,
                      "stop: something still hangs; ending without it");
      }),
      loop_(io_, clock_),
      housekeeping_timer_(io_),
      stop_timer_(io_),
      signals_({SIGTERM, SIGINT, SIGHUP}),
      signal_wait_(io_, signals_.fd()) {}

Daemon::~Daemon() {
    signal_wait_.release();  // the descriptor is signals_'s
    if (leaving_.joinable()) {
        leaving_.join();
    }
}

std::optional<Daemon::StartFailure> Daemon::start() {
    auto boot_id = system::boot_id();
    if (!boot_id) {
        return StartFailure{exit_code_for(boot_id.error()), boot_id.error().text};
    }
    boot_id_ = *std::move(boot_id);
    sqlite::Opened opened;
    if (auto failure = open_journal(opened)) {
        return failure;
    }
    gateway_ = std::make_unique<core::Gateway>(config_, boot_id_, opened.recovered, clock_.now());
    make_locks();
    make_messaging();
    if (auto failure = start_buses()) {
        return failure;
    }
    auto server = control::Server::open(
        io_,
        settings_.control.socket,
        [this](const control::Request& request,
               const control::Peer& peer,
               control::Respond respond) { desk_->handle(request, peer, std::move(respond)); });
    if (!server) {
        return StartFailure{exit_code_for(server.error()), server.error().text};
    }
    control_ = *std::move(server);
    loop_.attach(*gateway_, [this](const core::Actions& actions) { executor_->run(actions); });
    if (locks_) {
        locks_->start();
    }
    outbox_->start(opened.newest_outbox);
    broker_->start();
    watch_threads();
    return std::nullopt;
}

std::optional<Daemon::StartFailure> Daemon::open_journal(sqlite::Opened& opened) {
    std::vector<core::ElevatorId> elevators;
    for (const auto& elevator : config_.elevators) {
        elevators.push_back(elevator.id);
    }
    auto result = sqlite::SqliteJournal::open(
        settings_.journal, boot_id_, elevators, clock_, loop_, *this, {});
    if (!result) {
        return StartFailure{exit_code_for(result.error()), result.error().text};
    }
    opened = *std::move(result);
    journal_ = std::move(opened.journal);
    contact_ = opened.contact;
    for (const auto& note : opened.notes) {
        log(LogLevel::warning, "journal", {{"note", note}});
    }
    log(LogLevel::info,
        "journal_open",
        {{"path", settings_.journal.path},
         {"open_commands", std::to_string(opened.recovered.open_commands.size())},
         {"ledger_lost", opened.recovered.ledger_lost ? "true" : ""}});
    return std::nullopt;
}

void Daemon::make_locks() {
    if (!settings_.lock) {
        return;
    }
    std::vector<core::ElevatorId> elevators;
    for (const auto& elevator : config_.elevators) {
        elevators.push_back(elevator.id);
    }
    locks_ = std::make_unique<redis::RedisLocks>(
        *settings_.lock,
        std::move(elevators),
        loop_,
        clock_,
        system::read_secret_file,
        [](redis::LogLevel level, const std::string& text) {
            log(level_of(level), "lock_service", {{"text", text}});
        });
}

void Daemon::make_messaging() {
    const Defer later = [this](std::function<void()> what) { defer(std::move(what)); };
    inbox_ = std::make_unique<MqttInbox>(MqttInbox::Parts{config_,
                                                          topics_,
                                                          boot_id_,
                                                          *journal_,
                                                          loop_,
                                                          clock_,
                                                          deliveries_,
                                                          *this,
                                                          later,
                                                          end_process,
                                                          settings_.mqtt.version == 5});
    broker_ = std::make_unique<mqtt::MqttBroker>(broker_options(), *inbox_, clock_);
    publisher_ = std::make_unique<Publisher>(*broker_, topics_, config_.id, clock_, later);
    publisher_->gateway_status([this] { return status_payload(true, clock_.wall()); });
    outbox_ = std::make_unique<Outbox>(*journal_, *broker_, later);
    desk_ = std::make_unique<ControlDesk>(
        loop_,
        [this] { return report(); },
        [this](sqlite::LogFilter filter, sqlite::LogReply reply) {
            journal_->read_log(std::move(filter), [this, reply](auto entries) {
                defer([reply, entries = std::move(entries)] { reply(entries); });
            });
        });
    executor_ = std::make_unique<Executor>(
        Executor::Parts{*journal_,
                        *publisher_,
                        deliveries_,
                        topics_,
                        clock_,
                        links_,
                        locks_.get(),
                        [this](const core::ControlReply& reply) { desk_->reply(reply); }});
}

mqtt::MqttOptions Daemon::broker_options() {
    mqtt::MqttOptions options;
    options.settings = settings_.mqtt;
    std::vector<core::ElevatorId> elevators;
    for (const auto& elevator : config_.elevators) {
        elevators.push_back(elevator.id);
    }
    for (const auto& filter : topics_.subscriptions(elevators)) {
        // What others say of themselves is wanted as it stands; commands only live.
        const bool stored = filter.find("/dispatch/") == std::string::npos;
        options.subscriptions.push_back({filter, stored});
    }
    options.will = mqtt::Will{topics_.gateway(config_.id), status_payload(false, std::nullopt)};
    options.contact = contact_;
    options.read_secret = system::read_secret_file;
    options.log = [](mqtt::LogLevel level, const std::string& text) {
        constexpr std::string_view prefix = "mqtt: ";  // is the event's name already
        const bool prefixed = text.compare(0, prefix.size(), prefix) == 0;
        log(level_of(level), "mqtt", {{"text", prefixed ? text.substr(prefix.size()) : text}});
    };
    return options;
}

std::optional<Daemon::StartFailure> Daemon::start_buses() {
    for (const auto& bus : settings_.buses) {
        std::vector<modbus::BusUnit> units;
        for (const auto& elevator : settings_.elevators) {
            if (elevator.bus == bus.id) {
                units.push_back({elevator.core.id, make_driver(elevator.map), elevator.core.poll});
            }
        }
        auto line = modbus::make_bus(bus);
        if (!line) {
            return StartFailure{exit_config,
                                "bus " + bus.id.str() + ": this build cannot serve its type"};
        }
        if (units.empty()) {
            log(LogLevel::warning, "bus_without_elevators", {{"bus", bus.id.str()}});
            continue;
        }
        buses_.push_back(std::make_unique<modbus::BusWorker>(
            bus.id, std::move(line), std::move(units), loop_, clock_));
        for (const auto& elevator : settings_.elevators) {
            if (elevator.bus == bus.id) {
                links_[elevator.core.id] = buses_.back().get();
            }
        }
    }
    return std::nullopt;
}

void Daemon::watch_threads() {
    supervisor_.watch(
        "journal", [this] { return journal_->heartbeats(); }, journal_limit);
    supervisor_.watch(
        "mqtt", [this] { return broker_->heartbeats(); }, broker_limit);
    if (locks_) {
        supervisor_.watch(
            "locks", [this] { return locks_->heartbeats(); }, lock_limit);
    }
    for (const auto& bus : buses_) {
        supervisor_.watch(
            "bus " + bus->status().bus.str(),
            [link = bus.get()] { return link->heartbeats(); },
            bus_limit);
    }
}

}  // namespace liftwarden::app
