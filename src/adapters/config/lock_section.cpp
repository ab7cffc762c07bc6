// The lock service: where it is, and how the dispatch nodes write their locks.
#include "src/adapters/config/network.hpp"
#include "src/adapters/config/scalars.hpp"
#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;
using ports::LockSettings;

constexpr std::size_t sentinels_max = 16;
constexpr std::uint16_t sentinel_port = 26379;

Parse server(LockSettings& lock) {
    return [&lock](Report& report, const Entry& entry) {
        const auto given = scalar_text(report, entry, "a URL such as redis://10.0.0.2:6379/0");
        if (!given) {
            return;
        }
        const core::Result<RedisUrl> url = parse_redis_url(*given);
        if (!url) {
            report.error(entry.value.place, fmt::format("{} {}", entry.key, url.error().text));
            return;
        }
        lock.addresses = {{url->host, url->port}};
        lock.database = url->database;
    };
}

Parse sentinels(LockSettings& lock) {
    return [&lock](Report& report, const Entry& entry) {
        if (!expect(
                report, entry, Node::Kind::sequence, "a list such as [10.0.0.2, 10.0.0.3:26379]")) {
            return;
        }
        if (entry.value.items.empty() || entry.value.items.size() > sentinels_max) {
            report.error(entry.value.place,
                         fmt::format("sentinels must list 1 to {} addresses", sentinels_max));
            return;
        }
        for (const Node& item : entry.value.items) {
            const core::Result<RedisUrl> url =
                item.kind == Node::Kind::scalar
                    ? parse_redis_url("redis://" + item.text)
                    : core::Result<RedisUrl>{core::Error{core::ErrorClass::permanent,
                                                         "must be an address with its port"}};
            if (!url) {
                report.error(item.place, fmt::format("sentinels: {}", url.error().text));
                continue;
            }
            const bool has_port =
                item.text.find(':', item.text.rfind(']') + 1) != std::string::npos;
            lock.addresses.push_back({url->host, has_port ? url->port : sentinel_port});
        }
    };
}

// `{elevator}` once or more; `{{` is a brace.
std::optional<std::string> fault_of_key(std::string_view key) {
    bool names_elevator = false;
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (key[i] != '{') {
            continue;
        }
        constexpr std::string_view placeholder = "{elevator}";
        if (key.substr(i, placeholder.size()) == placeholder) {
            names_elevator = true;
            i += placeholder.size() - 1;
        } else if (key.substr(i, 2) == "{{") {
            ++i;
        } else {
            return "has a brace that begins no {elevator}; a brace as such is written {{";
        }
    }
    if (!names_elevator) {
        return "does not contain {elevator}: every elevator would have the same lock";
    }
    return std::nullopt;
}

Parse key_template(LockSettings& lock) {
    return [&lock](Report& report, const Entry& entry) {
        text([&](std::string value) {
            if (const auto fault = fault_of_key(value)) {
                report.error(entry.value.place, fmt::format("key {} {}", quoted(value), *fault));
                return;
            }
            lock.key = std::move(value);
        })(report, entry);
    };
}

Parse password(Draft& draft, LockSettings& lock) {
    return [&draft, &lock](Report& report, const Entry& entry) {
        path([&](std::string value) {
            draft.files.push_back({entry.value.place, entry.key, value, true});
            lock.password_file = std::move(value);
        })(report, entry);
    };
}

// One server, or Sentinels and the name of what they watch.
void check_address(Report& report, const Entry& section) {
    const Entry* redis = section.value.find("redis");
    const Entry* sentinel_list = section.value.find("sentinels");
    const Entry* master = section.value.find("master");
    if (redis == nullptr && sentinel_list == nullptr) {
        report.error(section.value.place, "lock needs redis, or sentinels and master");
    } else if (redis != nullptr && sentinel_list != nullptr) {
        report.error(sentinel_list->place, "lock has redis already; sentinels goes instead of it");
    } else if (sentinel_list != nullptr && master == nullptr) {
        report.error(sentinel_list->place, "sentinels needs master, the name they know it by");
    } else if (redis != nullptr && master != nullptr) {
        report.error(master->place, "master has a meaning with sentinels only");
    }
    const Entry* username = section.value.find("username");
    if (username != nullptr && section.value.find("password_file") == nullptr) {
        report.error(username->place, "username needs password_file beside it");
    }
}

// A lease that outlasts the takeover could still be held when the gateway begins to decide.
void check_takeover(Report& report, const Entry& section, const core::LockRules& rules) {
    if (rules.takeover_after < rules.max_lease) {
        const Entry* given = section.value.find("takeover_after");
        report.error(
            given != nullptr ? given->value.place : section.value.place,
            fmt::format("takeover_after {} is shorter than max_lease {}: a node could still "
                        "hold its lock when the gateway takes over",
                        to_text(rules.takeover_after),
                        to_text(rules.max_lease)));
    }
    if (rules.takeover_after < 4 * rules.probe) {
        report.error(
            place_of(section, {"probe"}),
            fmt::format("probe {} leaves no time for three probes before takeover_after {}",
                        to_text(rules.probe),
                        to_text(rules.takeover_after)));
    }
}

}  // namespace

void read_lock(Report& report, Draft& draft, const Entry& section) {
    using core::LockScheme;
    using core::VerifyPolicy;
    LockSettings& lock = draft.settings.lock.emplace();
    core::LockRules& rules = lock.rules;
    const std::vector<Key> keys = {
        optional("redis", server(lock)),
        optional("sentinels", sentinels(lock)),
        optional("master", text([&](std::string value) { lock.master = value; })),
        optional("username", text([&](std::string value) { lock.username = value; })),
        optional("password_file", password(draft, lock)),
        required("scheme",
                 word<LockScheme>(rules.scheme,
                                  {{"redisson", LockScheme::redisson},
                                   {"redisson_fenced", LockScheme::redisson_fenced},
                                   {"string", LockScheme::string}})),
        optional("key", key_template(lock)),
        optional("verify",
                 word<VerifyPolicy>(
                     rules.verify,
                     {{"required", VerifyPolicy::required}, {"observe", VerifyPolicy::observe}})),
        optional("freshness", duration(rules.freshness, 20ms, 2s)),
        optional("takeover_after", duration(rules.takeover_after, 5s, 1h)),
        optional("max_lease", duration(rules.max_lease, 1s, 1h)),
        optional("probe", duration(rules.probe, 200ms, 10s)),
        optional("connections", integer(lock.connections, 1, 32)),
        refused("password", "must not stand here; put it into a file and name that: password_file"),
    };
    read_mapping(report, section, "lock", keys);
    check_address(report, section);
    check_takeover(report, section, rules);
}

}  // namespace liftwarden::config
