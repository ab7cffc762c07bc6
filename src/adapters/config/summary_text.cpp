// The summary as `liftwarden check` prints it.
#include "src/adapters/config/scalars.hpp"
#include "src/adapters/config/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace liftwarden::config {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string endpoint(const std::string& host, std::uint16_t port) {
    const bool ipv6 = host.find(':') != std::string::npos;
    return fmt::format("{}{}{}:{}", ipv6 ? "[" : "", host, ipv6 ? "]" : "", port);
}

std::string url_of(const ports::MqttSettings& mqtt) {
    return fmt::format("{}://{}", mqtt.tls ? "mqtts" : "mqtt", endpoint(mqtt.host, mqtt.port));
}

void put_lock(Out out, const ports::LockSettings& lock) {
    std::string where;
    for (const ports::HostPort& address : lock.addresses) {
        where += (where.empty() ? "" : ", ") + endpoint(address.host, address.port);
    }
    fmt::format_to(out,
                   "  lock     {}{}, database {}, scheme {}, key {}, {}; takeover after {}\n",
                   lock.master ? *lock.master + " at Sentinels " : "Redis ",
                   where,
                   lock.database,
                   core::to_string(lock.rules.scheme),
                   lock.key,
                   lock.rules.verify == core::VerifyPolicy::required ? "required" : "only observed",
                   to_text(lock.rules.takeover_after));
}

void put_gateway(Out out, const ports::Settings& settings) {
    fmt::format_to(out,
                   "gateway {} of site {}{}\n",
                   settings.gateway.str(),
                   settings.site,
                   settings.lock ? "" : ": standalone (no lock service configured)");
    if (settings.lock) {
        put_lock(out, *settings.lock);
    }
    fmt::format_to(out,
                   "  broker   {}, MQTT {}, topics {}/{}/...\n",
                   url_of(settings.mqtt),
                   settings.mqtt.version == 5 ? "5" : "3.1.1",
                   settings.mqtt.prefix,
                   settings.site);
    fmt::format_to(out,
                   "  journal  {}, kept {}, at most {}\n",
                   settings.journal.path,
                   to_text(settings.journal.retention),
                   size_text(settings.journal.max_bytes));
}

void put_bus(Out out, const BusSummary& bus) {
    fmt::format_to(out, "\nbus {}: {}\n", bus.settings.id.str(), bus.where);
    fmt::format_to(out,
                   "  {} elevator{}; one reading of all takes {}{}; {} {} % of the bus; "
                   "response_timeout {}\n",
                   bus.elevators,
                   bus.elevators == 1 ? "" : "s",
                   to_text(bus.round),
                   bus.estimated ? " (estimated)" : " on the wire",
                   bus.need,
                   std::lround(bus.share * 100),
                   to_text(bus.settings.response_timeout));
}

std::string floor_text(const core::Floor& floor) {
    std::string text = fmt::format("{} = {} (", floor.label.str(), floor.value);
    for (const core::Side side : floor.doors) {
        text += fmt::format("{}{}", side == floor.doors.front() ? "" : ", ", core::to_string(side));
    }
    return text + ")";
}

void put_times(Out out, const ElevatorSummary& elevator) {
    const core::ElevatorConfig& core = elevator.settings.core;
    fmt::format_to(out,
                   "  polled every {}, so a state is at most {} old when the next one comes; stale "
                   "after {}\n",
                   to_text(core.poll),
                   to_text(elevator.poll_cycle),
                   to_text(core.stale_after));
    fmt::format_to(out,
                   "  one reading takes {} of the bus, a command with reading and acknowledgement "
                   "{}; scan {}, ack_timeout {}\n",
                   to_text(elevator.reading),
                   to_text(elevator.command),
                   to_text(core.scan),
                   to_text(core.ack_timeout));
}

void put_registers(Out out, const std::vector<RegisterSummary>& registers) {
    std::size_t name = 8;
    std::size_t zero = 7;
    std::size_t modicon = 7;
    for (const RegisterSummary& line : registers) {
        name = std::max(name, line.name.size());
        zero = std::max(zero, line.zero_based.size());
        modicon = std::max(modicon, line.modicon.size());
    }
    const auto row = [&](const std::string& a,
                         const std::string& b,
                         const std::string& c,
                         const std::string& d,
                         const std::string& e) {
        fmt::format_to(
            out, "  {:{}}  {:{}}  {:{}}  {:8}  {}\n", a, name, b, zero, c, modicon, d, e);
    };
    row("register", "0-based", "Modicon", "function", "meaning");
    for (const RegisterSummary& line : registers) {
        row(line.name,
            line.zero_based,
            line.modicon,
            fmt::format("{}", fmt::join(line.functions, ", ")),
            line.meaning);
    }
}

void put_codes(Out out, const ports::ElevatorMap& map) {
    for (const auto& [section, codes] : map.codes) {
        // By number, as the PLC's documentation lists them.
        std::vector<std::pair<std::int64_t, std::string>> by_number;
        for (const auto& [word, number] : codes) {
            by_number.emplace_back(number, word);
        }
        std::sort(by_number.begin(), by_number.end());
        std::vector<std::string> words;
        for (const auto& [number, word] : by_number) {
            words.push_back(fmt::format("{} = {}", number, word));
        }
        if (!words.empty()) {
            fmt::format_to(out, "  {}: {}\n", section, fmt::join(words, ", "));
        }
    }
}

void put_elevator(Out out, const ElevatorSummary& elevator) {
    const ports::ElevatorMap& map = elevator.settings.map;
    fmt::format_to(out,
                   "\nelevator {}: driver {}, unit {} on bus {}\n",
                   elevator.settings.core.id.str(),
                   map.driver,
                   map.unit,
                   elevator.settings.bus.str());
    put_times(out, elevator);
    std::vector<std::string> floors;
    for (const core::Floor& floor : map.floors) {
        floors.push_back(floor_text(floor));
    }
    fmt::format_to(out, "  floors, bottom up: {}\n", fmt::join(floors, "; "));
    put_registers(out, elevator.registers);
    put_codes(out, map);
}

}  // namespace

std::string to_text(const Summary& summary) {
    std::string text;
    const Out out = std::back_inserter(text);
    put_gateway(out, summary.settings);
    for (const BusSummary& bus : summary.buses) {
        put_bus(out, bus);
    }
    for (const ElevatorSummary& elevator : summary.elevators) {
        put_elevator(out, elevator);
    }
    return text;
}

}  // namespace liftwarden::config
