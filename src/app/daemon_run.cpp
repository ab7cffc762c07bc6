// The gateway at work and at its end. (Putting it together: daemon.cpp.)
#include "src/app/daemon.hpp"
#include "src/app/exit_codes.hpp"
#include "src/app/log.hpp"

#include <boost/asio/post.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace liftwarden::app {
namespace {

using namespace std::chrono_literals;

// The end is due 2 s after the signal, on a busy machine and with broker, PLCs and lock service all
// hanging. Each step's share; half of the time is left for closing the journal, which may not be
// cut short, and for a process that gets little of the processor.
constexpr auto quiet_step = 20ms;
constexpr core::Duration quiet_share = 250ms;
constexpr std::chrono::milliseconds broker_share = 500ms;
constexpr core::Duration end_at_latest = 1700ms;

}  // namespace

int Daemon::run() {
    await_signal();
    housekeeping();
    manager_.ready("running");
    log(LogLevel::info,
        "started",
        {{"gateway", config_.id.str()},
         {"site", config_.site},
         {"version", LIFTWARDEN_VERSION},
         {"elevators", std::to_string(config_.elevators.size())},
         {"buses", std::to_string(buses_.size())}});
    io_.run();
    close_all();
    return exit_ok;
}

void Daemon::await_signal() {
    signal_wait_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [this](const boost::system::error_code& error) {
                                if (error) {
                                    return;
                                }
                                while (const auto signal = signals_.next()) {
                                    take_signal(*signal);
                                }
                                await_signal();
                            });
}

void Daemon::take_signal(int signal) {
    if (signal == SIGHUP) {
        manager_.reloading();
        reload_();
        manager_.ready("running");
    } else if (!stopping_) {
        begin_stop(signal == SIGINT ? "SIGINT" : "SIGTERM");
    }
}

// Once a second: takes up what a full queue refused, and feeds the watchdog if every thread lives.
// It runs on the loop, so a loop that hangs starves the watchdog too.
void Daemon::housekeeping() {
    outbox_->retry();
    publisher_->retry();
    save_contact();
    look_at_reserve();
    auto stalled = supervisor_.stalled(clock_.now());
    if (stalled != stalled_) {
        stalled_ = std::move(stalled);
        for (const auto& name : stalled_) {
            log(LogLevel::error, "thread_stands_still", {{"thread", name}});
        }
    }
    if (stalled_.empty()) {
        manager_.watchdog();
    }
    if (const auto lost = lost_log_lines(); lost != lost_lines_) {
        lost_lines_ = lost;
        log(LogLevel::warning, "log_lines_lost", {{"total", std::to_string(lost)}});
    }
    core::Duration period = 1s;
    if (const auto interval = manager_.watchdog_interval()) {
        period = std::min(period, core::Duration{*interval} / 3);
    }
    housekeeping_timer_.expires_after(period);
    housekeeping_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) {
            housekeeping();
        }
    });
}

// For the process after this one, however this one ends.
void Daemon::save_contact() {
    if (const auto contact = broker_->status().contact) {
        journal_->save_contact(*contact);
    }
}

void Daemon::look_at_reserve() {
    const bool reserve = journal_->status().reserve;
    if (reserve != reserve_) {
        reserve_ = reserve;
        log(reserve ? LogLevel::info : LogLevel::warning,
            "journal_reserve",
            {{"kept", reserve ? "true" : "false"},
             {"detail",
              reserve ? "disk space is kept for outcomes"
                      : "no disk space is kept for outcomes: the file system of " +
                            settings_.journal.path + " has too little left"}});
    }
}

void Daemon::begin_stop(const std::string& why) {
    stopping_ = true;
    deadline_.arm(end_at_latest);
    log(LogLevel::info, "stopping", {{"why", why}});
    manager_.stopping();
    control_.reset();
    loop_.post(core::Stopping{});
    await_quiet(clock_.now() + quiet_share);
}

// Gives what is due for publishing its chance, while the loop goes on as usual.
void Daemon::await_quiet(core::TimePoint end) {
    stop_timer_.expires_after(quiet_step);
    stop_timer_.async_wait([this, end](const boost::system::error_code& error) {
        if (error) {
            return;
        }
        const bool quiet = outbox_->empty() && publisher_->unconfirmed() == 0;
        if (clock_.now() >= end || quiet || !broker_->status().online) {
            leave_broker();
        } else {
            await_quiet(end);
        }
    });
}

// In a thread of its own, because it blocks: messages that still arrive need the loop.
void Daemon::leave_broker() {
    leaving_ = std::thread([this] {
        ports::OutboundMessage farewell;
        farewell.topic = topics_.gateway(config_.id);
        farewell.payload = status_payload(false, clock_.wall());
        farewell.retained = true;
        const bool left = broker_->stop(std::move(farewell), broker_share);
        defer([this, left] {
            left_cleanly_ = left;
            io_.stop();
        });
    });
}

// The journal first: once it is closed nothing can be lost any more, however the rest ends.
void Daemon::close_all() {
    inbox_->close();
    save_contact();
    journal_.reset();
    journal_closed_ = true;
    links_.clear();
    buses_.clear();
    locks_.reset();
    log(LogLevel::info, "stopped");
    stop_log();
    if (!left_cleanly_) {
        ::_exit(exit_ok);  // the client library still holds a message in its hands
    }
}

void Daemon::defer(std::function<void()> what) {
    boost::asio::post(io_, std::move(what));
}

std::string Daemon::status_payload(bool online, std::optional<core::WallTime> at) const {
    wire::GatewayStatus status;
    status.gateway = config_.id;
    status.online = online;
    status.boot_id = boot_id_;
    status.version = LIFTWARDEN_VERSION;
    for (const auto& elevator : config_.elevators) {
        status.elevators.push_back(elevator.id);
        if (online) {
            const auto* session = publisher_->last_session(elevator.id);
            ++status.modes[session != nullptr ? session->mode : core::ArbitrationMode::standalone];
        }
    }
    return wire::render_gateway_status(status, at);
}

control::StatusReport Daemon::report() {
    control::StatusReport report;
    report.gateway = config_.id;
    report.site = config_.site;
    report.version = LIFTWARDEN_VERSION;
    report.boot_id = boot_id_;
    report.wall = clock_.wall();
    report.now = clock_.now();
    report.uptime = report.now - started_at_;
    report.broker = broker_->status();
    report.broker_address = settings_.mqtt.host + ":" + std::to_string(settings_.mqtt.port);
    const auto& counts = inbox_->counts();
    report.inbound = {counts.commands, counts.refused, counts.unanswered, counts.ignored};
    report.results_dropped = publisher_->dropped();
    report.outbox_window = outbox_->unconfirmed();
    report.journal = journal_->status();
    if (locks_) {
        report.locks = locks_->status();
    }
    for (const auto& bus : buses_) {
        report.buses.push_back(bus->status());
    }
    report.elevators = gateway_->status(report.now);
    report.stalled = stalled_;
    return report;
}

void Daemon::refused(const core::ElevatorId& elevator,
                     const core::SourceId& source,
                     const wire::Refusal& refusal) {
    const auto* session = publisher_->last_session(elevator);
    publisher_->refusal(
        wire::to_result(refusal,
                        elevator,
                        source,
                        session != nullptr ? session->mode : core::ArbitrationMode::standalone,
                        session != nullptr ? session->epoch : 0));
    core::Alarm alarm;
    alarm.elevator = elevator;
    alarm.kind = "refused";
    alarm.alarm = false;
    alarm.detail = std::string{core::to_string(refusal.reason)} + ": " + refusal.detail;
    alarm.source = source;
    alarm.seq = refusal.seq;
    publisher_->event(alarm);
}

void Daemon::raised(const core::Alarm& alarm) {
    log(LogLevel::warning, "event", {{"kind", alarm.kind}, {"detail", alarm.detail}});
    publisher_->event(alarm);
}

void Daemon::online() {
    log(LogLevel::info, "broker_online");
    save_contact();
    publisher_->online();
    outbox_->online();
}

void Daemon::offline(const std::string& why) {
    log(LogLevel::warning, "broker_offline", {{"why", why}});
    outbox_->offline();
    publisher_->offline();
}

void Daemon::outbox(std::vector<ports::OutboxMessage> messages) {
    defer(
        [this, messages = std::move(messages)]() mutable { outbox_->offer(std::move(messages)); });
}

}  // namespace liftwarden::app
