#include "src/adapters/redis/probe.hpp"

#include "src/adapters/redis/options.hpp"

namespace liftwarden::redis {
namespace {

// The answers in their order, until one fails.
class Probe {
  public:
    Probe(Session& session, Deadline deadline) : link_(*session.link), deadline_(deadline) {}

    ProbeFinding run(const std::string& key, const ports::Clock& clock) {
        const std::string nonce = fresh_nonce();
        const std::string life = std::to_string(probe_key_life.count());
        link_.append({"ROLE"});
        link_.append({"INFO", "server"});
        link_.append({"INFO", "replication"});
        link_.append({"TIME"});
        link_.append({"SET", key, nonce, "PX", life});
        link_.append({"GET", key});
        ServerTime time;
        time.asked_at = clock.now();
        if (auto failure = link_.send(deadline_)) {
            finding_.failure = std::move(failure);
            return finding_;
        }
        const auto role = link_.receive(deadline_);
        const auto server = receive();
        const auto replication = receive();
        if (server && replication) {
            finding_.instance = instance_of(server->value().text().value_or(""),
                                            replication->value().text().value_or(""));
        }
        learn_time(receive(), time, clock);
        // That it is a replica says more than its refusal to be written to.
        if (!role) {
            finding_.failure = role.error();
        } else if (auto failure = not_a_master(*role)) {
            finding_.failure = std::move(failure);
        }
        write_probe(nonce);
        return finding_;
    }

  private:
    void write_probe(const std::string& nonce) {
        const auto written = receive();
        const auto read = receive();
        if (!finding_.failure && written && read && read->value().text() != nonce) {
            finding_.failure = Failure{Failure::Kind::garbage, "what was written is not there"};
        }
    }

    void learn_time(const std::optional<Reply>& reply, ServerTime time, const ports::Clock& clock) {
        if (!reply) {
            return;
        }
        const auto shown = server_time(reply->value().at(0), reply->value().at(1));
        if (!shown) {
            fail({Failure::Kind::garbage, "an answer to TIME that is none"});
            return;
        }
        time.shown = *shown;
        time.answered_at = clock.now();
        finding_.time = time;
    }

    // nullopt: failed, here or before. After an error of the server the next answers still come.
    std::optional<Reply> receive() {
        if (broken_) {
            return std::nullopt;
        }
        auto reply = link_.receive(deadline_);
        if (!reply) {
            broken_ = true;
            fail(reply.error());
            return std::nullopt;
        }
        if (reply->value().is_error()) {
            fail({Failure::Kind::refused, printable(reply->value().error())});
            return std::nullopt;
        }
        return std::move(*reply);
    }

    void fail(Failure failure) {
        if (!finding_.failure) {
            finding_.failure = std::move(failure);
        }
    }

    Connection& link_;
    const Deadline deadline_;
    ProbeFinding finding_;
    bool broken_ = false;
};

}  // namespace

ProbeFinding probe(Session& session,
                   const std::string& key,
                   const ports::Clock& clock,
                   Deadline deadline) {
    return Probe(session, deadline).run(key, clock);
}

}  // namespace liftwarden::redis
