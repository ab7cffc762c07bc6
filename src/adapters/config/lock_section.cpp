// The lock service: where it is, and how the dispatch nodes write their locks.
#include "src/adapters/config/checks.hpp"
#include "src/adapters/config/network.hpp"
#include "src/adapters/config/scalars.hpp"
#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;
using ports::LockSettings;

constexpr std::size_t sentinels_max = 16;

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
        if (url->port == sentinel_port) {
            report.warning(entry.value.place,
                           fmt::format("port {} is that of a Sentinel; a Sentinel goes into "
                                       "sentinels, with master",
                                       sentinel_port));
        }
        lock.addresses = {{url->host, url->port}};
        lock.database = url->database;
    };
}

void add_sentinel(Report& report, LockSettings& lock, const Node& item) {
    if (item.kind == Node::Kind::invalid) {
        return;
    }
    if (item.kind != Node::Kind::scalar) {
        report.error(item.place,
                     fmt::format("sentinels: an entry is an address such as 10.0.0.2:26379, not {}",
                                 describe(item.kind)));
        return;
    }
    const core::Result<ports::HostPort> address = parse_sentinel(item.text);
    if (!address) {
        // A login that stands there is not repeated.
        const bool login = item.text.find('@') != std::string::npos;
        report.error(item.place,
                     fmt::format("sentinels: {} {}",
                                 login ? std::string("an entry") : quoted(item.text),
                                 address.error().text));
        return;
    }
    if (std::find(lock.addresses.begin(), lock.addresses.end(), *address) != lock.addresses.end()) {
        report.error(item.place, fmt::format("sentinels names {} twice", quoted(item.text)));
        return;
    }
    if (address->port == redis_port) {
        report.warning(item.place,
                       fmt::format("port {} is that of a Redis server; Sentinels listen on {}",
                                   redis_port,
                                   sentinel_port));
    }
    lock.addresses.push_back(*address);
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
            add_sentinel(report, lock, item);
        }
    };
}

constexpr std::string_view placeholder = "{elevator}";

// `{elevator}` once or more; `{{` is a brace.
std::optional<std::string> fault_of_key(std::string_view key) {
    bool names_elevator = false;
    for (std::size_t i = 0; i < key.size(); ++i) {
        if (key[i] != '{') {
            continue;
        }
        if (key.substr(i, placeholder.size()) == placeholder) {
            names_elevator = true;
            i += placeholder.size() - 1;
        } else if (key.substr(i, 2) == "{{") {
            ++i;
        } else {
            const std::size_t close = key.find('}', i);
            return fmt::format("has {}, which is not {}; a brace as such is written {{{{",
                               quoted(key.substr(i, close == key.npos ? close : close - i + 1)),
                               placeholder);
        }
    }
    if (names_elevator) {
        return std::nullopt;
    }
    if (key.find("{{elevator}}") != key.npos) {
        return fmt::format("has the braces twice, which stands for the braces as such; write {}",
                           placeholder);
    }
    return fmt::format("does not contain {}: every elevator would have the same lock", placeholder);
}

Parse key_template(LockSettings& lock) {
    return [&lock](Report& report, const Entry& entry) {
        if (entry.value.kind == Node::Kind::mapping) {
            report.error(entry.value.place,
                         fmt::format("key must be text; put it in quotes, such as {}",
                                     quoted(LockSettings{}.key)));
            return;
        }
        text([&](std::string value) {
            if (const auto fault = fault_of_key(value)) {
                report.error(entry.value.place, fmt::format("key {} {}", quoted(value), *fault));
                return;
            }
            lock.key = std::move(value);
        })(report, entry);
    };
}

// What people who know the client's classes write.
Parse scheme(core::LockScheme& target) {
    return [&target](Report& report, const Entry& entry) {
        using core::LockScheme;
        for (const auto& [class_name, meant] : {std::pair{"RLock", "redisson"},
                                                std::pair{"RFencedLock", "redisson_fenced"},
                                                std::pair{"setnx", "string"}}) {
            if (entry.value.kind == Node::Kind::scalar &&
                edit_distance(entry.value.text, class_name) == 0) {
                report.error(entry.value.place,
                             fmt::format("scheme {} is written {}", quoted(class_name), meant));
                return;
            }
        }
        word<LockScheme>(target,
                         {{"redisson", LockScheme::redisson},
                          {"redisson_fenced", LockScheme::redisson_fenced},
                          {"string", LockScheme::string}})(report, entry);
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

}  // namespace

void read_lock(Report& report, Draft& draft, const Entry& section) {
    using core::VerifyPolicy;
    LockSettings& lock = draft.settings.lock.emplace();
    core::LockRules& rules = lock.rules;
    constexpr const char* in_redis = "goes into the URL: redis: \"redis://10.0.0.2:6379/0\"";
    const std::vector<Key> keys = {
        optional("redis", server(lock)),
        optional("sentinels", sentinels(lock)),
        optional("master", text([&](std::string value) { lock.master = value; })),
        optional("username", text([&](std::string value) { lock.username = value; })),
        optional("password_file", password(draft, lock)),
        required("scheme", scheme(rules.scheme)),
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
        refused("url", in_redis),
        refused("host", in_redis),
        refused("port", in_redis),
        refused("database", in_redis),
    };
    read_mapping(report, section, "lock", keys);
    if (section.value.kind == Node::Kind::mapping) {
        check_lock(report, section, lock);
    }
}

}  // namespace liftwarden::config
