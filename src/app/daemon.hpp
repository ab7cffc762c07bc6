// All parts of the gateway put together.
#pragma once

#include "src/adapters/control/server.hpp"
#include "src/adapters/mqtt/mqtt_broker.hpp"
#include "src/adapters/redis/redis_locks.hpp"
#include "src/adapters/sqlite/journal.hpp"
#include "src/adapters/system/service_manager.hpp"
#include "src/adapters/system/signals.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "src/app/control_desk.hpp"
#include "src/app/deliveries.hpp"
#include "src/app/event_loop.hpp"
#include "src/app/executor.hpp"
#include "src/app/exit_deadline.hpp"
#include "src/app/inbox.hpp"
#include "src/app/outbox.hpp"
#include "src/app/publisher.hpp"
#include "src/app/supervisor.hpp"
#include "src/wire/presence_text.hpp"

#include <liftwarden/core/gateway.hpp>
#include <liftwarden/ports/settings.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace liftwarden::app {

// The gateway: owns every part, in the order in which they may refer to each other, and the thread
// that calls run() is the loop. system::block_signals() must have been called before. One per
// process.
class Daemon final : private InboxListener, private ports::JournalSink {
  public:
    // `reload` is called on SIGHUP, on the loop thread.
    Daemon(ports::Settings settings, std::function<void()> reload);
    ~Daemon() override;

    // Why the gateway cannot start: one sentence, and the exit code that tells the service manager
    // whether trying again may help.
    struct StartFailure {
        int exit_code = 0;
        std::string text;
    };
    // A missing broker or PLC is no failure: they are states to report.
    [[nodiscard]] std::optional<StartFailure> start();

    // Until SIGTERM or SIGINT; then ends within 2 s, whatever is unplugged. The exit code.
    int run();

  private:
    // daemon.cpp
    [[nodiscard]] std::optional<StartFailure> open_journal(sqlite::Opened& opened);
    [[nodiscard]] std::optional<StartFailure> start_buses();
    void make_locks();
    void make_messaging();
    [[nodiscard]] mqtt::MqttOptions broker_options();
    void watch_threads();

    // daemon_run.cpp
    void await_signal();
    void save_contact();
    void look_at_reserve();
    void take_signal(int signal);
    void housekeeping();
    void begin_stop(const std::string& why);
    void await_quiet(core::TimePoint end);
    void leave_broker();
    void close_all();
    void defer(std::function<void()> what);
    [[nodiscard]] std::string status_payload(bool online, std::optional<core::WallTime> at) const;
    [[nodiscard]] control::StatusReport report();

    void refused(const core::ElevatorId& elevator,
                 const core::SourceId& source,
                 const wire::Refusal& refusal) override;
    void raised(const core::Alarm& alarm) override;
    void online() override;
    void offline(const std::string& why) override;
    void outbox(std::vector<ports::OutboxMessage> messages) override;

    const ports::Settings settings_;
    const core::GatewayConfig config_;
    const wire::Topics topics_;
    const std::function<void()> reload_;
    system::SystemClock clock_;
    system::ServiceManager manager_;
    std::string boot_id_;
    std::optional<core::TimePoint> contact_;  // with the broker, by the process before this one
    core::TimePoint started_at_{};

    std::atomic<bool> journal_closed_{false};
    ExitDeadline deadline_;
    boost::asio::io_context io_{1};
    EventLoop loop_;
    boost::asio::steady_timer housekeeping_timer_;
    boost::asio::steady_timer stop_timer_;
    system::SignalFd signals_;
    boost::asio::posix::stream_descriptor signal_wait_;
    bool stopping_ = false;
    bool left_cleanly_ = true;
    std::thread leaving_;

    Deliveries deliveries_;
    std::unique_ptr<sqlite::SqliteJournal> journal_;
    std::unique_ptr<core::Gateway> gateway_;
    std::unique_ptr<MqttInbox> inbox_;
    std::unique_ptr<Publisher> publisher_;
    std::unique_ptr<Outbox> outbox_;
    std::unique_ptr<mqtt::MqttBroker> broker_;
    std::vector<std::unique_ptr<ports::ElevatorLink>> buses_;
    std::map<core::ElevatorId, ports::ElevatorLink*> links_;
    std::unique_ptr<redis::RedisLocks> locks_;  // nullptr: no lock service
    std::unique_ptr<ControlDesk> desk_;
    std::unique_ptr<Executor> executor_;
    std::unique_ptr<control::Server> control_;
    Supervisor supervisor_;
    std::vector<std::string> stalled_;
    std::size_t lost_lines_ = 0;
    bool reserve_ = true;  // of the journal, as last said
};

}  // namespace liftwarden::app
