// The whole configuration after validation: plain values, one struct for each part that reads it.
#pragma once

#include <liftwarden/core/config.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/time.hpp>
#include <liftwarden/ports/elevator_map.hpp>
#include <liftwarden/ports/lock_service.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::ports {

struct MqttSettings {
    std::string host;
    std::uint16_t port = 1883;
    bool tls = false;
    int version = 5;  // 5, or 4 for 3.1.1
    std::string prefix = "lift";
    std::string client_id;  // the gateway's id
    std::optional<std::string> username;
    std::optional<std::string> password_file;
    std::optional<std::string> ca_file;
    std::optional<std::string> cert_file;  // client certificate, with key_file
    std::optional<std::string> key_file;
    core::Duration keepalive = std::chrono::seconds{30};
    core::Duration session_expiry = std::chrono::seconds{600};
    friend bool operator==(const MqttSettings&, const MqttSettings&) = default;
};

struct JournalSettings {
    std::string path = "/var/lib/liftwarden/journal.db";
    core::Duration retention = std::chrono::hours{24 * 30};
    std::uint64_t max_bytes = 512ULL << 20;  // the file; new commands are refused at 90 %
    friend bool operator==(const JournalSettings&, const JournalSettings&) = default;
};

struct ControlSettings {
    std::string socket = "/run/liftwarden/control.sock";
    friend bool operator==(const ControlSettings&, const ControlSettings&) = default;
};

enum class BusType { tcp, rtu };
enum class Parity { none, even, odd };

struct BusSettings {
    core::BusId id;
    BusType type = BusType::tcp;
    std::string host;  // numeric address (TCP)
    std::uint16_t port = 502;
    std::string device;  // path (RTU)
    int baud = 19200;
    Parity parity = Parity::even;
    int stop_bits = 1;
    core::Duration response_timeout = std::chrono::milliseconds{500};
    core::Duration connect_timeout = std::chrono::seconds{2};
    core::Duration quiet_after_timeout{};  // zero: adaptive
    core::Duration turnaround{};
    friend bool operator==(const BusSettings&, const BusSettings&) = default;
};

struct ElevatorSettings {
    core::ElevatorConfig core;
    core::BusId bus;
    ElevatorMap map;
    friend bool operator==(const ElevatorSettings&, const ElevatorSettings&) = default;
};

struct Settings {
    core::GatewayId gateway;
    std::string site;
    ControlSettings control;
    MqttSettings mqtt;
    JournalSettings journal;
    core::QueueLimits queue;
    std::map<core::SourceId, std::string> source_groups;
    std::vector<BusSettings> buses;
    std::vector<ElevatorSettings> elevators;
    std::optional<LockSettings> lock;  // nullopt: standalone
    friend bool operator==(const Settings&, const Settings&) = default;

    // What the core needs of all this.
    [[nodiscard]] core::GatewayConfig core_config() const;
};

}  // namespace liftwarden::ports
