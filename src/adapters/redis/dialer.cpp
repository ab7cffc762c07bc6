#include "src/adapters/redis/dialer.hpp"

#include "src/adapters/redis/tls_hint.hpp"

#include <liftwarden/core/assert.hpp>

#include <array>
#include <utility>

namespace liftwarden::redis {
namespace {

std::string describe(const ports::HostPort& address) {
    return address.host + ":" + std::to_string(address.port);
}

std::optional<Failure> refusal(const Reply& reply) {
    if (!reply.value().is_error()) {
        return std::nullopt;
    }
    return Failure{Failure::Kind::refused, printable(reply.value().error())};
}

}  // namespace

std::string info_field(const std::string& info, const std::string& name) {
    const std::string label = "\n" + name + ":";
    const auto found = info.find(label);
    if (found == std::string::npos) {
        return {};
    }
    const auto begin = found + label.size();
    return printable(info.substr(begin, info.find_first_of("\r\n", begin) - begin));
}

std::string instance_of(const std::string& server, const std::string& replication) {
    return info_field(server, "run_id") + "/" + info_field(replication, "master_replid");
}

Dialer::Dialer(ports::LockSettings settings, ReadSecret read_secret, const WakeEvent& stop)
    : settings_(std::move(settings)), read_secret_(std::move(read_secret)), stop_(stop) {
    if (settings_.master) {
        sentinels_.emplace(settings_.addresses, *settings_.master);
    }
}

Outcome<Session> Dialer::dial(Deadline deadline) const {
    const auto login = read_login();
    if (!login) {
        return login.error();
    }
    const auto server = find_server(*login, deadline);
    if (!server) {
        return server.error();
    }
    Session session;
    session.address = describe(*server);
    const auto at_server = [&](Failure failure) {
        failure.text = session.address + ": " + failure.text;
        return failure;
    };
    auto link = Connection::open(*server, deadline, stop_);
    if (!link) {
        return at_server(link.error());
    }
    session.link = std::move(*link);
    if (const auto failure = greet(session, *login, deadline)) {
        // Hanging up on plain text is what a server does that wants TLS, and what a dead one does.
        if (failure->kind == Failure::Kind::lost && speaks_tls(*server, deadline, stop_)) {
            return at_server({Failure::Kind::settings, "this address speaks TLS only"});
        }
        // An error keeps its first words: they say what kind it is.
        return failure->kind == Failure::Kind::refused ? *failure : at_server(*failure);
    }
    return session;
}

Outcome<Login> Dialer::read_login() const {
    Login login;
    if (settings_.password_file) {
        LIFTWARDEN_ASSERT(read_secret_);
        auto password = read_secret_(*settings_.password_file);
        if (!password) {
            return Failure{Failure::Kind::settings, password.error().text};
        }
        login.username = settings_.username;
        login.password = std::move(*password);
    }
    return login;
}

Outcome<ports::HostPort> Dialer::find_server(const Login& login, Deadline deadline) const {
    if (sentinels_) {
        return sentinels_->find_master(login, deadline, stop_);
    }
    if (settings_.addresses.empty()) {
        return Failure{Failure::Kind::settings, "no address is configured"};
    }
    return settings_.addresses.front();
}

std::optional<std::string> Dialer::named_master(Deadline deadline) const {
    const auto login = read_login();
    if (!login) {
        return std::nullopt;
    }
    const auto server = find_server(*login, deadline);
    return server ? std::optional(describe(*server)) : std::nullopt;
}

std::optional<Failure> Dialer::greet(Session& session,
                                     const Login& login,
                                     Deadline deadline) const {
    Connection& link = *session.link;
    const std::string database = std::to_string(settings_.database);
    std::size_t must_succeed = 0;
    if (login.password) {
        link.append(login.words());
        ++must_succeed;
    }
    if (settings_.database != 0) {
        link.append({"SELECT", database});
        ++must_succeed;
    }
    link.append({"INFO", "server"});
    link.append({"INFO", "replication"});
    link.append({"CLIENT", "SETNAME", "liftwarden"});  // only for people who look
    link.append({"EVAL_RO", "return 1", "0"});
    if (const auto failure = link.send(deadline)) {
        return failure;
    }
    for (std::size_t i = 0; i < must_succeed; ++i) {
        const auto reply = link.receive(deadline);
        if (!reply) {
            return reply.error();
        }
        if (const auto failure = refusal(*reply)) {
            return failure;
        }
    }
    std::array<std::string, 2> info;
    for (std::string& section : info) {
        const auto reply = link.receive(deadline);
        if (!reply) {
            return reply.error();
        }
        if (const auto failure = refusal(*reply)) {
            return failure;
        }
        section = reply->value().text().value_or("");
    }
    session.instance = instance_of(info[0], info[1]);
    const auto name = link.receive(deadline);
    const auto eval = name ? link.receive(deadline) : Outcome<Reply>(name.error());
    if (!eval) {
        return eval.error();
    }
    const auto failure = refusal(*eval);
    if (failure && failure->text.starts_with("ERR unknown command")) {
        session.eval = "EVAL";
        return std::nullopt;
    }
    return failure;
}

std::optional<std::string> Dialer::slow_sentinels(Deadline deadline) const {
    const auto login = read_login();
    if (!sentinels_ || !login) {
        return std::nullopt;
    }
    const auto down_after = sentinels_->down_after(*login, deadline, stop_);
    if (!down_after || *down_after < settings_.rules.takeover_after) {
        return std::nullopt;
    }
    return "the Sentinels wait " + std::to_string(down_after->count()) +
           " ms (down-after-milliseconds) before they replace a dead server, which is not shorter "
           "than takeover_after, " +
           std::to_string(core::to_ms(settings_.rules.takeover_after)) +
           " ms: every failover would become a takeover";
}

}  // namespace liftwarden::redis
