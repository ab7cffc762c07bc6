#pragma once

#include "src/adapters/mqtt/connect_options.hpp"
#include "src/adapters/mqtt/options.hpp"
#include "src/adapters/mqtt/socket_tuning.hpp"

#include <liftwarden/ports/broker.hpp>

#include <mqtt/async_client.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace liftwarden::mqtt {

// What one client reports, on the library's threads and under the library's one lock: nothing here
// may call the client. Everything but arrived() must return at once.
class ClientEvents {
  public:
    virtual ~ClientEvents() = default;
    // The session stands; comes before any message of it.
    virtual void connected(bool session_present) noexcept = 0;
    // The broker gets its acknowledgement when this returns.
    virtual void arrived(const ::mqtt::message& message) noexcept = 0;
    // Empty: the broker has it; else why not.
    virtual void delivered(std::uint64_t id, const std::string& failure) noexcept = 0;
    // The broker was heard, or Client::progress() changed.
    virtual void heard() noexcept = 0;
    virtual void changed() noexcept = 0;
};

// One connection by one paho client, from connect to its end; never used again afterwards. A client
// that has lost its link would keep its unconfirmed messages and send them again whenever the
// session comes back, long after the caller was told that they were not delivered; a fresh one for
// each connection has no memory. Handlers are installed before connect, so that no stored message
// can arrive unseen. All calls by the egress thread alone; all of them, the destructor included,
// may block while a callback runs. Errors are sentences without secrets.
class Client {
  public:
    struct Progress {
        bool connected = false;
        std::size_t subscribed = 0;  // subscriptions confirmed so far
        std::string error;           // not empty: this client is of no more use
    };
    using Failure = std::optional<std::string>;

    Client(const MqttOptions& options, const std::string& uri, ClientEvents& events);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    [[nodiscard]] Failure connect(const Login& login);
    [[nodiscard]] Failure subscribe();
    [[nodiscard]] Failure publish(std::uint64_t id, const ports::OutboundMessage& message);
    // A harmless question (unsubscribing from what was never subscribed) whose answer is heard().
    [[nodiscard]] Failure poke();
    // Says goodbye; with_will asks the broker to publish the will all the same (MQTT 5 only).
    void disconnect(bool with_will, std::chrono::milliseconds limit);

    [[nodiscard]] Progress progress() const;

  private:
    // One kind of request; every answer ends in one function.
    class Listener final : public ::mqtt::iaction_listener {
      public:
        using Answer = std::function<void(const ::mqtt::token&, bool ok)>;
        explicit Listener(Answer answer) : answer_(std::move(answer)) {}
        void on_success(const ::mqtt::token& token) override { call(token, true); }
        void on_failure(const ::mqtt::token& token) override { call(token, false); }

      private:
        void call(const ::mqtt::token& token, bool ok) noexcept { answer_(token, ok); }
        Answer answer_;
    };

    void install_handlers();
    void connect_answered(const ::mqtt::token& token, bool ok);
    void subscribe_answered(const ::mqtt::token& token, bool ok);
    void publish_answered(const ::mqtt::token& token, bool ok);
    void answer_heard();
    void fail(const std::string& why);
    template <class Call>
    [[nodiscard]] Failure attempt(const char* what, Call&& call);

    const MqttOptions& options_;
    ClientEvents& events_;
    SocketTuning socket_;
    mutable std::mutex mutex_;
    Progress progress_;
    Listener on_connect_;
    Listener on_subscribe_;
    Listener on_publish_;
    Listener on_poke_;
    ::mqtt::token_ptr goodbye_;    // outlives the client, which may still be in its callback
    ::mqtt::async_client client_;  // last: its callbacks use all of the above
};

}  // namespace liftwarden::mqtt
