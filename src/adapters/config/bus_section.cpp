#include "src/adapters/config/network.hpp"
#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

#include <optional>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;
using ports::BusSettings;
using ports::BusType;

constexpr std::size_t buses_max = 64;

// Resolving a name blocks for as long as the name server likes, while robots wait in front of the
// elevator; hence numbers only.
std::string why_no_host(std::string_view given) {
    const std::size_t scheme = given.find("://");
    if (scheme != given.npos) {
        return fmt::format("; remove {}", quoted(given.substr(0, scheme + 3)));
    }
    const HostAndPort parts = split_host(given);
    if (is_numeric_address(parts.host)) {
        return parts.port.empty()
                   ? fmt::format("; did you mean {}?", quoted(parts.host))
                   : fmt::format("; the port goes into a key of its own: host: {}, port: {}",
                                 quoted(parts.host),
                                 parts.port);
    }
    if (given.find_first_not_of("0123456789./:") == given.npos) {
        return "; an IPv4 address is four numbers from 0 to 255 without leading zeros";
    }
    return ": looking up a name could block the bus";
}

Parse host(std::string& target) {
    return [&target](Report& report, const Entry& entry) {
        const auto given = scalar_text(report, entry, "a numeric address");
        if (!given) {
            return;
        }
        if (is_numeric_address(*given)) {
            target = *given;
            return;
        }
        report.error(entry.value.place,
                     fmt::format("host must be a numeric IPv4 or IPv6 address, not {}{}",
                                 quoted(*given),
                                 why_no_host(*given)));
    };
}

Parse device(std::string& target) {
    return [&target](Report& report, const Entry& entry) {
        const auto store = [&](std::string value) {
            for (const char* numbered : {"/dev/ttyUSB", "/dev/ttyACM"}) {
                if (value.rfind(numbered, 0) == 0) {
                    report.warning(entry.value.place,
                                   fmt::format("{} changes its number when adapters are plugged "
                                               "in another order; use its path below "
                                               "/dev/serial/by-id",
                                               value));
                }
            }
            target = std::move(value);
        };
        path(store)(report, entry);
    };
}

Parse baud(int& target) {
    return word<int>(target,
                     {{"1200", 1200},
                      {"2400", 2400},
                      {"4800", 4800},
                      {"9600", 9600},
                      {"19200", 19200},
                      {"38400", 38400},
                      {"57600", 57600},
                      {"115200", 115200}});
}

Parse quiet_after_timeout(core::Duration& target) {
    return [&target](Report& report, const Entry& entry) {
        if (entry.value.kind == Node::Kind::scalar && entry.value.text == "adaptive") {
            target = core::Duration::zero();
            return;
        }
        duration(target, 1ms, 10s)(report, entry);
    };
}

std::vector<Key> common_keys(BusSettings& bus) {
    return {
        required("type", word<BusType>(bus.type, {{"tcp", BusType::tcp}, {"rtu", BusType::rtu}})),
        optional("response_timeout", duration(bus.response_timeout, 10ms, 10s)),
        optional("quiet_after_timeout", quiet_after_timeout(bus.quiet_after_timeout)),
        optional("turnaround", duration(bus.turnaround, 0ms, 1s)),
    };
}

std::vector<Key> tcp_keys(BusSettings& bus) {
    return {
        required("host", host(bus.host)),
        optional("port", integer(bus.port, 1, 65535)),
        optional("connect_timeout", duration(bus.connect_timeout, 100ms, 30s)),
    };
}

std::vector<Key> rtu_keys(BusSettings& bus) {
    return {
        required("device", device(bus.device)),
        optional("baud", baud(bus.baud)),
        optional("parity",
                 word<ports::Parity>(bus.parity,
                                     {{"none", ports::Parity::none},
                                      {"even", ports::Parity::even},
                                      {"odd", ports::Parity::odd}})),
        optional("stop_bits", integer(bus.stop_bits, 1, 2)),
    };
}

std::optional<BusType> type_of(const Entry& entry) {
    const Entry* type = entry.value.find("type");
    if (type == nullptr || (type->value.text != "tcp" && type->value.text != "rtu")) {
        return std::nullopt;
    }
    return type->value.text == "tcp" ? BusType::tcp : BusType::rtu;
}

// Keys of both types, each as it fits the type of this bus; without a type all are let through, for
// the missing type is complaint enough.
std::vector<Key> keys_of(BusSettings& bus, std::optional<BusType> type) {
    std::vector<Key> keys = common_keys(bus);
    const auto add = [&](std::vector<Key> own, BusType owner, const char* owner_name) {
        for (Key& key : own) {
            if (!type) {
                key.required = false;
            } else if (*type != owner) {
                key = refused(key.name, fmt::format("belongs to buses of type {}", owner_name));
            }
            keys.push_back(std::move(key));
        }
    };
    add(tcp_keys(bus), BusType::tcp, "tcp");
    add(rtu_keys(bus), BusType::rtu, "rtu");
    return keys;
}

void read_bus(Report& report, Draft& draft, const Entry& entry) {
    const std::size_t errors = report.errors();
    if (const auto fault = fault_of_name(entry.key)) {
        report.error(entry.place, fmt::format("bus {} {}", quoted(entry.key), *fault));
    }
    BusSettings bus;
    bus.id = core::BusId{entry.key};
    const std::string what = fmt::format("bus {}", quoted(entry.key));
    read_mapping(report, entry, what, keys_of(bus, type_of(entry)));
    const bool sound = report.errors() == errors && !entry.value.flawed;
    // Kept even if faulty, so that elevators on it are not told that it does not exist.
    draft.settings.buses.push_back(std::move(bus));
    draft.buses.push_back({&entry, sound});
}

}  // namespace

void read_buses(Report& report, Draft& draft, const Entry& section) {
    read_entries(report, section, "bus", buses_max, [&](const Entry& entry) {
        read_bus(report, draft, entry);
    });
}

}  // namespace liftwarden::config
