#pragma once

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/lock.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::ports {

struct HostPort {
    std::string host;  // numeric address
    std::uint16_t port = 6379;
    friend bool operator==(const HostPort&, const HostPort&) = default;
};

struct LockSettings {
    core::LockRules rules;
    std::vector<HostPort> addresses;    // one server, or the Sentinels that know it
    std::optional<std::string> master;  // its name at the Sentinels
    int database = 0;
    std::optional<std::string> username;
    std::optional<std::string> password_file;
    std::string key =
        "agv:lift:control:{elevator}";  // `{elevator}` stands for the id; `{{` is a brace
    int connections = 4;                // for verification
    friend bool operator==(const LockSettings&, const LockSettings&) = default;
};

struct LockServiceStatus {
    std::string address;  // of the server in use
    core::Health health = core::Health::outage;
    std::uint64_t probes = 0;
    std::uint64_t checks = 0;
    std::uint64_t unanswered = 0;  // checks
    std::string last_error;
};

// The site's lock service. Calls only enqueue and never block; answers come as core events:
// LockChecked, LockMoved, and a LockProbed each period by itself. A question that cannot be put
// within its deadline is answered as unanswered, never retried silently. Any thread may call.
class LockService {
  public:
    virtual ~LockService() = default;
    virtual void check(const core::CheckLock& question) = 0;
    virtual void hold(const core::HoldLock& order) = 0;
    virtual void give_back(const core::ReturnLock& order) = 0;
    [[nodiscard]] virtual LockServiceStatus status() const = 0;
    // See ElevatorLink::heartbeats.
    [[nodiscard]] virtual std::uint64_t heartbeats() const = 0;
};

}  // namespace liftwarden::ports
