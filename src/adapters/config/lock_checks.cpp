// Keys of the lock block that contradict each other, and what it leaves open to others.
#include "src/adapters/config/checks.hpp"
#include "src/adapters/config/network.hpp"
#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

using ports::LockSettings;

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
}

// Whoever may write the locks decides who may move the elevators.
void check_login(Report& report, const Entry& section, const LockSettings& lock) {
    if (section.value.find("password_file") != nullptr) {
        return;
    }
    if (const Entry* username = section.value.find("username")) {
        report.error(username->place, "username needs password_file beside it");
        return;
    }
    const auto remote = std::find_if(
        lock.addresses.begin(), lock.addresses.end(), [](const ports::HostPort& address) {
            return !is_loopback(address.host);
        });
    if (remote != lock.addresses.end()) {
        report.warning(first_given(section, {"redis", "sentinels"}),
                       fmt::format("there is no password_file: if {} takes anybody in its network "
                                   "for a client, anybody can take the locks",
                                   remote->host));
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

void check_lock(Report& report, const Entry& section, const LockSettings& lock) {
    check_address(report, section);
    check_login(report, section, lock);
    check_takeover(report, section, lock.rules);
}

}  // namespace liftwarden::config
