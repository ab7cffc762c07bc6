#include "src/adapters/config/network.hpp"
#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;
using ports::MqttSettings;

Parse broker(MqttSettings& mqtt) {
    return [&mqtt](Report& report, const Entry& entry) {
        const auto given = scalar_text(report, entry, "a URL such as mqtts://broker:8883");
        if (!given) {
            return;
        }
        const core::Result<BrokerUrl> url = parse_broker_url(*given);
        if (!url) {
            report.error(entry.value.place, fmt::format("{} {}", entry.key, url.error().text));
            return;
        }
        mqtt.host = url->host;
        mqtt.port = url->port;
        mqtt.tls = url->tls;
    };
}

// 3.1.1 is level 4 on the wire, and 5 is 5.0 in some clients.
Parse version(int& target) {
    return [&target](Report& report, const Entry& entry) {
        const std::string& given = entry.value.text;
        const bool older = given == "4" || given == "3.1" || given == "3" || given == "311";
        const bool newer = given == "5.0" || given == "v5";
        if (entry.value.kind == Node::Kind::scalar && (older || newer)) {
            report.error(entry.value.place,
                         fmt::format("version must be one of 5, 3.1.1, not {}; did you mean {}?",
                                     quoted(given),
                                     older ? "3.1.1" : "5"));
            return;
        }
        word<int>(target, {{"5", 5}, {"3.1.1", 4}})(report, entry);
    };
}

// The protocol carries whole seconds.
Parse keepalive(core::Duration& target) {
    return [&target](Report& report, const Entry& entry) {
        core::Duration value = target;
        duration(value, 5s, 10min)(report, entry);
        if (value % 1s != core::Duration::zero()) {
            report.error(
                entry.value.place,
                fmt::format("keepalive must be whole seconds, not {}", quoted(entry.value.text)));
            return;
        }
        target = value;
    };
}

Parse file(Draft& draft, std::optional<std::string>& target, bool secret) {
    return [&draft, &target, secret](Report& report, const Entry& entry) {
        const auto store = [&](std::string value) {
            draft.files.push_back({entry.value.place, entry.key, value, secret});
            target = std::move(value);
        };
        path(store)(report, entry);
    };
}

// A key that says nothing without another one.
void check_pair(Report& report, const Entry& section, const char* key, const char* needs) {
    const Entry* entry = section.value.find(key);
    if (entry != nullptr && section.value.find(needs) == nullptr) {
        report.error(entry->place, fmt::format("{} needs {} beside it", key, needs));
    }
}

void check_tls_keys(Report& report, const Entry& section, const MqttSettings& mqtt) {
    for (const char* key : {"ca_file", "cert_file", "key_file"}) {
        const Entry* entry = section.value.find(key);
        if (entry != nullptr && !mqtt.tls) {
            report.error(
                entry->place,
                fmt::format("{} has no effect with mqtt://; use mqtts:// or remove it", key));
        }
    }
    const Entry* password = section.value.find("password_file");
    if (password != nullptr && !mqtt.tls && !is_loopback(mqtt.host)) {
        report.warning(
            password->place,
            fmt::format("the password goes to {} in clear text; use mqtts://", mqtt.host));
    }
}

}  // namespace

void read_mqtt(Report& report, Draft& draft, const Entry& section) {
    MqttSettings& mqtt = draft.settings.mqtt;
    const std::vector<Key> keys = {
        required("url", broker(mqtt)),
        optional("version", version(mqtt.version)),
        optional("prefix", name([&](std::string value) { mqtt.prefix = value; })),
        optional("username", text([&](std::string value) { mqtt.username = value; })),
        optional("password_file", file(draft, mqtt.password_file, true)),
        optional("ca_file", file(draft, mqtt.ca_file, false)),
        optional("cert_file", file(draft, mqtt.cert_file, false)),
        optional("key_file", file(draft, mqtt.key_file, true)),
        optional("keepalive", keepalive(mqtt.keepalive)),
        refused("password", "must not stand here; put it into a file and name that: password_file"),
    };
    read_mapping(report, section, "mqtt", keys);
    check_pair(report, section, "password_file", "username");
    check_pair(report, section, "cert_file", "key_file");
    check_pair(report, section, "key_file", "cert_file");
    if (!mqtt.host.empty()) {
        check_tls_keys(report, section, mqtt);
    }
}

}  // namespace liftwarden::config
