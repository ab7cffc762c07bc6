#include "src/adapters/mqtt/client.hpp"

#include <mqtt/disconnect_options.h>
#include <mqtt/subscribe_options.h>

#include <utility>

namespace liftwarden::mqtt {
namespace {

// Destroying the last client makes paho end its threads, which takes over a second, and set up
// everything anew for the next one. This one never connects and is never destroyed.
void keep_library_alive() {
    static const int created = [] {
        MQTTAsync anchor = nullptr;
        return ::MQTTAsync_create(&anchor,
                                  "tcp://127.0.0.1:1",
                                  "liftwarden-anchor",
                                  MQTTCLIENT_PERSISTENCE_NONE,
                                  nullptr);
    }();
    static_cast<void>(created);
}

void* as_context(std::uint64_t id) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(id));
}

std::uint64_t from_context(const void* context) {
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(context));
}

// The codes of CONNACK in MQTT 3.1.1, section 3.2.2.3.
std::string refusal_3_1_1(int code) {
    switch (code) {
        case 1:
            return "unacceptable protocol version";
        case 2:
            return "client id rejected";
        case 3:
            return "server unavailable";
        case 4:
            return "bad user name or password";
        case 5:
            return "not authorized";
        default:
            return "code " + std::to_string(code);
    }
}

std::string reason_text(int code) {
    const char* text = ::MQTTReasonCode_toString(static_cast<MQTTReasonCodes>(code));
    return text != nullptr ? text : "code " + std::to_string(code);
}

// Why a request failed, in words.
std::string describe(const ::mqtt::token& token) {
    const int code = token.get_return_code();
    const auto reason = token.get_reason_code();
    if (code < 0) {
        return ::mqtt::exception::error_str(code);
    }
    if (reason != ::mqtt::ReasonCode::MQTTPP_V3_CODE &&
        reason >= ::mqtt::ReasonCode::UNSPECIFIED_ERROR) {
        return "refused: " + reason_text(reason);
    }
    return "refused: " +
           (code < MQTTREASONCODE_UNSPECIFIED_ERROR ? refusal_3_1_1(code) : reason_text(code));
}

// The library's own sentence, such as "TCP connect timeout", is to be had only by its exception.
std::string connect_failure(const ::mqtt::token& token) {
    try {
        static_cast<void>(token.get_connect_response());
    } catch (const ::mqtt::exception& error) {
        if (token.get_return_code() < 0 && !error.get_message().empty()) {
            return error.get_message();
        }
    } catch (const std::exception&) {
        // no response: what the code says
    }
    return describe(token);
}

}  // namespace

Client::Client(const MqttOptions& options, const std::string& uri, ClientEvents& events)
    : options_(options),
      events_(events),
      socket_(options.settings.port),
      on_connect_([this](const ::mqtt::token& token, bool ok) { connect_answered(token, ok); }),
      on_subscribe_([this](const ::mqtt::token& token, bool ok) { subscribe_answered(token, ok); }),
      on_publish_([this](const ::mqtt::token& token, bool ok) { publish_answered(token, ok); }),
      on_poke_([this](const ::mqtt::token&, bool) { answer_heard(); }),
      client_((keep_library_alive(), uri), options.settings.client_id, create_options(options)) {
    install_handlers();
}

Client::~Client() = default;

void Client::install_handlers() {
    // set_callback() would answer the connect token a second time; single handlers do not.
    client_.set_message_callback([this](const ::mqtt::const_message_ptr& message) noexcept {
        events_.heard();
        events_.arrived(*message);
    });
    client_.set_connection_lost_handler(
        [this](const std::string&) noexcept { fail("connection lost"); });
    client_.set_disconnected_handler(
        [this](const ::mqtt::properties&, ::mqtt::ReasonCode code) noexcept {
            fail("disconnected by the broker: " + reason_text(static_cast<int>(code)));
        });
}

template <class Call>
Client::Failure Client::attempt(const char* what, Call&& call) {
    try {
        call();
        return std::nullopt;
    } catch (const std::exception& error) {
        return std::string(what) + ": " + error.what();
    }
}

Client::Failure Client::connect(const Login& login) {
    return attempt("connect", [&] {
        ::mqtt::connect_options connect;
        fill_connect_options(connect, options_, login);
        client_.connect(connect, nullptr, on_connect_);
    });
}

void Client::connect_answered(const ::mqtt::token& token, bool ok) {
    if (!ok) {
        fail(connect_failure(token));
        return;
    }
    socket_.find_socket();
    events_.connected(token.get_connect_response().is_session_present());
    {
        const std::lock_guard lock(mutex_);
        progress_.connected = true;
    }
    events_.changed();
}

Client::Failure Client::subscribe() {
    using Options = ::mqtt::subscribe_options;
    return attempt("subscribe", [&] {
        for (std::size_t index = 0; index < options_.subscriptions.size(); ++index) {
            const Subscription& wanted = options_.subscriptions[index];
            // Retain as published: a retained command must show that it is one even when it comes
            // live, or it would run now and be refused only when it is replayed.
            const Options how(
                Options::SUBSCRIBE_LOCAL,
                Options::RETAIN_AS_PUBLISHED,
                wanted.stored ? Options::SEND_RETAINED_ON_SUBSCRIBE : Options::DONT_SEND_RETAINED);
            client_.subscribe(wanted.filter, 1, as_context(index), on_subscribe_, how);
        }
    });
}

void Client::subscribe_answered(const ::mqtt::token& token, bool ok) {
    answer_heard();
    if (!ok) {
        const std::size_t index = from_context(token.get_user_context());
        fail("subscription to " + options_.subscriptions.at(index).filter + " " + describe(token));
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        ++progress_.subscribed;
    }
    events_.changed();
}

Client::Failure Client::publish(std::uint64_t id, const ports::OutboundMessage& message) {
    return attempt("publish", [&] {
        client_.publish(outbound(options_.settings, message), as_context(id), on_publish_);
    });
}

void Client::publish_answered(const ::mqtt::token& token, bool ok) {
    answer_heard();
    events_.delivered(from_context(token.get_user_context()), ok ? "" : describe(token));
}

Client::Failure Client::poke() {
    return attempt("poke", [&] {
        client_.unsubscribe(options_.settings.client_id + "/awake", nullptr, on_poke_);
    });
}

void Client::disconnect(bool with_will, std::chrono::milliseconds limit) {
    static_cast<void>(attempt("disconnect", [&] {
        ::mqtt::disconnect_options options(0);
        if (with_will && options_.settings.version == MQTTVERSION_5) {
            options.set_reason_code(::mqtt::ReasonCode::DISCONNECT_WITH_WILL_MESSAGE);
        }
        goodbye_ = client_.disconnect(options);
        goodbye_->wait_for(limit);
    }));
}

Client::Progress Client::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

void Client::answer_heard() {
    socket_.acknowledge_now();
    events_.heard();
}

void Client::fail(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        if (progress_.error.empty()) {
            progress_.error = why;
        }
    }
    events_.changed();
}

}  // namespace liftwarden::mqtt
