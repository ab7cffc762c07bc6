#include "src/adapters/mqtt/supervisor.hpp"

#include "src/adapters/mqtt/resolve.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace liftwarden::mqtt {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// The longest sleep of the thread: its heartbeat must go on.
constexpr milliseconds tick = 500ms;

// Parts of a stop; together well under what the caller waits.
constexpr milliseconds drain_limit = 100ms;
constexpr milliseconds farewell_limit = 200ms;
constexpr milliseconds disconnect_limit = 50ms;

// A broker that has answered nothing for so long hangs: no word to it is waited for.
constexpr auto hanging_after = 2s;

// A connection that held for so long was a good one: the next failure starts with a short pause.
constexpr auto good_connection = 10s;
constexpr auto takeover_suspicion = 5s;

}  // namespace

void Supervisor::run() {
    ::pthread_setname_np(::pthread_self(), "mqtt-egress");
    while (!stopping()) {
        serve_one_connection();
        pause_before_retry();
    }
}

void Supervisor::serve_one_connection() {
    const core::TimePoint begin = clock_.now();
    const core::Result<std::string> uri = next_uri();
    if (!uri) {
        report(uri.error().text);
        return;
    }
    const std::unique_ptr<Client> client = make_client(*uri);
    if (!client) {
        return;
    }
    if (const Client::Failure failure = bring_up(*client)) {
        if (!stopping()) {
            report(*uri + ": " + *failure);
        }
        return;
    }
    log(LogLevel::info, "mqtt: connected to " + *uri);
    const std::string why = serve(*client);
    online_ = false;
    outgoing_.close();
    intake_.offline(why);
    if (clock_.now() - begin > good_connection) {
        backoff_ = milliseconds{0};
    }
}

std::unique_ptr<Client> Supervisor::make_client(const std::string& uri) {
    try {
        ClientEvents& events = *this;  // a private base: make_unique could not convert to it
        return std::make_unique<Client>(options_, uri, events);
    } catch (const std::exception& error) {
        report(uri + ": " + error.what());
        return nullptr;
    }
}

core::Result<std::string> Supervisor::next_uri() {
    const ports::MqttSettings& settings = options_.settings;
    // The library would resolve again and again under its one lock; here a dead resolver only
    // delays the next attempt. With TLS it needs the name all the same, for the certificate.
    const auto addresses = resolve(settings.host, options_.connect_timeout, [this] {
        ++heartbeats_;
        return stopping();
    });
    if (!addresses) {
        return addresses.error();
    }
    if (settings.tls) {
        return broker_uri(settings, settings.host);
    }
    return broker_uri(settings, addresses->at(attempts_++ % addresses->size()));
}

Client::Failure Supervisor::bring_up(Client& client) {
    if (const auto problem = unreadable_file(options_.settings)) {
        return problem;
    }
    const core::Result<Login> login = read_login(options_);
    if (!login) {
        return login.error().text;
    }
    if (const Client::Failure failure = client.connect(*login)) {
        return failure;
    }
    const auto connected = [](const Client::Progress& progress) { return progress.connected; };
    if (const Client::Failure failure = await(client, connected)) {
        return failure;
    }
    if (const Client::Failure failure = client.subscribe()) {
        return failure;
    }
    return await(client, [this](const Client::Progress& progress) {
        return progress.subscribed == options_.subscriptions.size();
    });
}

Client::Failure Supervisor::await(Client& client,
                                  const std::function<bool(const Client::Progress&)>& done) {
    const core::TimePoint deadline = clock_.now() + options_.connect_timeout;
    for (;;) {
        const Client::Progress progress = client.progress();
        if (!progress.error.empty()) {
            return progress.error;
        }
        if (done(progress)) {
            return std::nullopt;
        }
        if (stopping()) {
            return "stopped";
        }
        if (clock_.now() >= deadline) {
            return "no answer from the broker";
        }
        wait(tick);
    }
}

std::string Supervisor::serve(Client& client) {
    {
        const std::lock_guard lock(mutex_);
        last_error_.clear();
        reported_.clear();
    }
    outgoing_.open();
    online_ = true;
    intake_.online();
    online_since_ = sent_at_ = clock_.now();
    while (!stopping()) {
        const Client::Progress progress = client.progress();
        if (!progress.error.empty()) {
            return lost(progress.error);
        }
        pump(client);
        if (const Client::Failure failure = keep_awake(client)) {
            return lost(*failure);
        }
        wait(std::chrono::ceil<milliseconds>(sent_at_ + options_.poke - clock_.now()));
    }
    say_farewell(client);
    return "stopped";
}

std::string Supervisor::lost(std::string why) {
    // What a broker does to the older of two clients with one id, mostly without a word.
    if (clock_.now() - online_since_ < takeover_suspicion) {
        why += " soon after connecting; does another client use the id " +
               options_.settings.client_id + "?";
    }
    report(why);
    return why;
}

void Supervisor::pump(Client& client) {
    while (const auto item = outgoing_.next()) {
        sent_at_ = clock_.now();
        if (const Client::Failure failure = client.publish(item->id, item->message)) {
            report(*failure);
            outgoing_.finish(item->id, false);
        }
    }
}

Client::Failure Supervisor::keep_awake(Client& client) {
    const core::TimePoint now = clock_.now();
    core::TimePoint heard_at;
    {
        const std::lock_guard lock(mutex_);
        heard_at = heard_at_;
    }
    if (now - heard_at > options_.silence_limit &&
        sent_at_ - heard_at > options_.silence_limit / 2) {
        return "the broker does not answer any more";
    }
    if (now - sent_at_ >= options_.poke) {
        sent_at_ = now;
        return client.poke();
    }
    return std::nullopt;
}

void Supervisor::say_farewell(Client& client) {
    outgoing_.drain();
    if (is_silent()) {
        client.disconnect(true, disconnect_limit);
        return;
    }
    const auto spend = [this](milliseconds limit, const std::function<bool()>& done) {
        const core::TimePoint deadline = clock_.now() + limit;
        while (!done() && clock_.now() < deadline) {
            wait(10ms);
        }
        return done();
    };
    spend(drain_limit, [&] {
        pump(client);
        return outgoing_.idle();
    });
    std::optional<ports::OutboundMessage> farewell;
    {
        const std::lock_guard lock(mutex_);
        farewell = farewell_;
    }
    const bool said = farewell && !client.publish(farewell_id, *farewell) &&
                      spend(farewell_limit, [this] { return farewell_confirmed_.load(); });
    // If the broker has not confirmed it, the will shall say it.
    client.disconnect(farewell && !said, disconnect_limit);
}

bool Supervisor::is_silent() const {
    const std::lock_guard lock(mutex_);
    return clock_.now() - heard_at_ > std::max<core::Duration>(hanging_after, 2 * options_.poke);
}

void Supervisor::pause_before_retry() {
    backoff_ = std::clamp(backoff_ * 2, options_.backoff_min, options_.backoff_max);
    // Up to a fifth shorter or, below the maximum, longer, so that gateways do not come back all at
    // once.
    std::uniform_real_distribution<double> jitter(0.8, 1.2);
    const auto pause =
        std::min(std::chrono::duration_cast<core::Duration>(backoff_ * jitter(random_)),
                 core::Duration{options_.backoff_max});
    const core::TimePoint end = clock_.now() + pause;
    while (!stopping() && clock_.now() < end) {
        wait(std::chrono::ceil<milliseconds>(end - clock_.now()));
    }
}

void Supervisor::wait(milliseconds limit) {
    ++heartbeats_;
    wake_.wait_for(std::clamp(limit, 0ms, tick));
}

}  // namespace liftwarden::mqtt
