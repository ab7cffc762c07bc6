#include "src/adapters/redis/sentinel.hpp"

#include "src/adapters/redis/options.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace liftwarden::redis {
namespace {

template <class Number>
std::optional<Number> number(const std::optional<std::string>& text) {
    Number value{};
    if (!text || text->empty()) {
        return std::nullopt;
    }
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, value);
    return error == std::errc{} && rest == end ? std::optional<Number>(value) : std::nullopt;
}

std::string describe(const ports::HostPort& address) {
    return address.host + ":" + std::to_string(address.port);
}

}  // namespace

Sentinels::Sentinels(std::vector<ports::HostPort> addresses, std::string master)
    : addresses_(std::move(addresses)), master_(std::move(master)) {}

Outcome<Reply> Sentinels::ask(std::size_t index,
                              const Login& login,
                              std::string_view question,
                              Deadline deadline,
                              const WakeEvent& stop) const {
    deadline = std::min(deadline, std::chrono::steady_clock::now() + sentinel_limit);
    auto link = Connection::open(addresses_[index], deadline, stop);
    if (!link) {
        return link.error();
    }
    const Connection::Words words{"SENTINEL", question, master_};
    auto reply = (*link)->ask(words, deadline);
    // Most Sentinels want no login; one that does has the same as its servers.
    if (reply && reply->value().error().starts_with("NOAUTH") && login.password) {
        auto greeting = (*link)->ask(login.words(), deadline);
        if (!greeting) {
            return greeting.error();
        }
        if (greeting->value().is_error()) {
            return Failure{Failure::Kind::refused, printable(greeting->value().error())};
        }
        reply = (*link)->ask(words, deadline);
    }
    if (reply && reply->value().is_error()) {
        return Failure{Failure::Kind::refused, printable(reply->value().error())};
    }
    return reply;
}

Outcome<ports::HostPort> Sentinels::find_master(const Login& login,
                                                Deadline deadline,
                                                const WakeEvent& stop) const {
    Failure worst{Failure::Kind::settings, "no Sentinel is configured"};
    bool first = true;
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
        const std::size_t index = (last_good_ + i) % addresses_.size();
        const auto reply = ask(index, login, "get-master-addr-by-name", deadline, stop);
        Failure failure{Failure::Kind::settings, "knows no master named '" + master_ + "'"};
        if (reply) {
            const auto host = reply->value().at(0).text();
            const auto port = number<std::uint16_t>(reply->value().at(1).text());
            if (host && port) {
                last_good_ = index;
                return ports::HostPort{*host, *port};
            }
        } else {
            failure = reply.error();
        }
        failure.text = "Sentinel " + describe(addresses_[index]) + ": " + failure.text;
        // A wrong name or login explains more than another one that is dead.
        if (first || health_of(failure) == core::Health::misconfigured) {
            worst = failure;
        }
        first = false;
    }
    return worst;
}

std::optional<std::chrono::milliseconds> Sentinels::down_after(const Login& login,
                                                               Deadline deadline,
                                                               const WakeEvent& stop) const {
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
        const std::size_t index = (last_good_ + i) % addresses_.size();
        const auto reply = ask(index, login, "master", deadline, stop);
        for (std::size_t field = 0; reply && field + 1 < reply->value().size(); field += 2) {
            if (reply->value().at(field).text() == "down-after-milliseconds") {
                const auto ms = number<std::int64_t>(reply->value().at(field + 1).text());
                return ms ? std::optional(std::chrono::milliseconds{*ms}) : std::nullopt;
            }
        }
    }
    return std::nullopt;
}

}  // namespace liftwarden::redis
