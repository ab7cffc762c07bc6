#pragma once

#include "src/adapters/mqtt/client.hpp"
#include "src/adapters/mqtt/intake.hpp"
#include "src/adapters/mqtt/options.hpp"
#include "src/adapters/mqtt/outgoing.hpp"
#include "src/adapters/mqtt/wake.hpp"

#include <liftwarden/ports/broker.hpp>
#include <liftwarden/ports/clock.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>

namespace liftwarden::mqtt {

// The egress thread's work: connect, subscribe, send, notice a dead link, begin again, for ever.
// All calls into the library come from here. The library's own reconnect is not used: it hides
// whether the session was resumed, and may hang for ever when the link comes back at the wrong
// moment.
//
// While the link stands a small question goes to the broker whenever nothing was sent for
// `options.poke`. It finds a dead link long before the keep-alive does, says how long the gateway
// has really been away, and keeps the library's receive thread awake: after one second without any
// packet that thread sleeps for 100 ms and would let a command wait.
//
// Owned jointly by the broker and the thread, so that a stuck thread can be left behind.
class Supervisor final : private ClientEvents {
  public:
    Supervisor(MqttOptions options, ports::Inbox& inbox, const ports::Clock& clock);

    void run();  // the thread's body; returns after stop()
    // Orderly end: what waits is sent, then `farewell`, then DISCONNECT, all within half a second.
    void stop(std::optional<ports::OutboundMessage> farewell);
    [[nodiscard]] bool shut_intake(std::chrono::milliseconds limit) { return intake_.shut(limit); }

    void publish(ports::OutboundMessage message, Outgoing::Done done);
    [[nodiscard]] ports::BrokerStatus status() const;
    [[nodiscard]] std::uint64_t heartbeats() const { return heartbeats_; }

  private:
    static constexpr std::uint64_t farewell_id = 0;  // ids of Outgoing start at 1

    void connected(bool session_present) noexcept override;
    void arrived(const ::mqtt::message& message) noexcept override;
    void delivered(std::uint64_t id, const std::string& failure) noexcept override;
    void heard() noexcept override;
    void changed() noexcept override { wake_.notify(); }

    void serve_one_connection();
    [[nodiscard]] std::unique_ptr<Client> make_client(const std::string& uri);
    [[nodiscard]] std::string serve(Client& client);
    [[nodiscard]] Client::Failure bring_up(Client& client);
    [[nodiscard]] Client::Failure await(Client& client,
                                        const std::function<bool(const Client::Progress&)>& done);
    [[nodiscard]] std::string lost(std::string why);
    void pump(Client& client);
    [[nodiscard]] Client::Failure keep_awake(Client& client);
    void say_farewell(Client& client);
    [[nodiscard]] bool is_silent() const;
    void pause_before_retry();
    [[nodiscard]] core::Result<std::string> next_uri();
    void report(const std::string& problem);
    void log(LogLevel level, const std::string& text) const;
    [[nodiscard]] bool stopping() const { return stopping_; }
    void wait(std::chrono::milliseconds limit);

    const MqttOptions options_;
    const ports::Clock& clock_;
    Intake intake_;
    Outgoing outgoing_;
    Wake wake_;

    std::atomic<bool> stopping_{false};
    std::atomic<bool> online_{false};
    std::atomic<std::uint64_t> heartbeats_{0};
    std::atomic<std::uint64_t> connects_{0};
    std::atomic<std::uint64_t> received_{0};
    std::atomic<bool> farewell_confirmed_{false};

    mutable std::mutex mutex_;  // a leaf: nothing is called under it
    std::optional<ports::OutboundMessage> farewell_;
    std::string last_error_;
    std::string reported_;
    core::TimePoint heard_at_{};              // the broker, on any connection so far
    std::optional<core::TimePoint> contact_;  // see BrokerStatus
    std::optional<core::Duration> away_;      // of the present session
    core::TimePoint away_until_{};

    // The egress thread's own.
    core::TimePoint online_since_{};
    core::TimePoint sent_at_{};
    std::chrono::milliseconds backoff_{0};
    std::size_t attempts_ = 0;
    std::minstd_rand random_{std::random_device{}()};
};

}  // namespace liftwarden::mqtt
