#pragma once

#include "src/adapters/redis/redis_locks.hpp"
#include "src/adapters/system/secret_file.hpp"
#include "src/adapters/system/system_clock.hpp"
#include "tests/support/fake_ports.hpp"
#include "tests/support/redis_client.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/wait.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::test {

inline const core::ElevatorId el001{"EL001"};
inline const core::ElevatorId el002{"EL002"};
inline const std::string lock_key = "agv:lift:control:EL001";
inline const std::string counter_key = "redisson_lock_token:{agv:lift:control:EL001}";
inline const std::string probe_key = "liftwarden:probe:{agv:lift:control:EL001}";

// One server, quick probes.
inline ports::LockSettings lock_settings(std::uint16_t port,
                                         core::LockScheme scheme = core::LockScheme::redisson) {
    ports::LockSettings settings;
    settings.rules.scheme = scheme;
    settings.rules.probe = 100ms;
    settings.addresses = {{"127.0.0.1", port}};
    settings.connections = 2;
    return settings;
}

class LogLines {
  public:
    void add(redis::LogLevel level, const std::string& text) {
        const std::lock_guard lock(mutex_);
        lines_.push_back({level, text});
    }
    [[nodiscard]] bool contain(const std::string& words) const {
        const std::lock_guard lock(mutex_);
        return std::any_of(lines_.begin(), lines_.end(), [&](const auto& line) {
            return line.second.find(words) != std::string::npos;
        });
    }

  private:
    mutable std::mutex mutex_;
    std::vector<std::pair<redis::LogLevel, std::string>> lines_;
};

// The lock service under test, started, with clock, sink and log.
class Service {
  public:
    explicit Service(const ports::LockSettings& settings)
        : locks(settings,
                {el001, el002},
                events,
                clock,
                system::read_secret_file,
                [this](redis::LogLevel level, const std::string& text) { log.add(level, text); }) {
        locks.start();
    }

    // One question and its answer; throws if none comes.
    core::LockChecked check(const std::string& owner,
                            std::optional<std::int64_t> token = std::nullopt,
                            const core::ElevatorId& elevator = el001) {
        const core::GrantId grant = ask(owner, token, elevator);
        return answer_to(grant);
    }
    core::GrantId ask(const std::string& owner,
                      std::optional<std::int64_t> token = std::nullopt,
                      const core::ElevatorId& elevator = el001) {
        const core::GrantId grant{++grants_};
        locks.check({elevator, grant, {owner, token}});
        return grant;
    }
    core::LockChecked answer_to(core::GrantId grant) {
        std::optional<core::LockChecked> found;
        const bool answered = wait_until([&] {
            for (auto& answer : events.of<core::LockChecked>()) {
                if (answer.grant == grant) {
                    found = answer;
                }
            }
            return found.has_value();
        });
        if (!answered) {
            throw std::runtime_error("a question was never answered");
        }
        return *found;
    }
    // Asks until there is a reading.
    core::LockReading reading(const std::string& owner,
                              std::optional<std::int64_t> token = std::nullopt,
                              const core::ElevatorId& elevator = el001) {
        core::LockChecked answer;
        const bool answered = wait_until([&] {
            answer = check(owner, token, elevator);
            return answer.reading.has_value();
        });
        if (!answered) {
            throw std::runtime_error("no reading: " + answer.detail);
        }
        return *answer.reading;
    }

    // The first probe with this result that began after this call.
    core::LockProbed probe(core::Health health, Millis limit = 10s) {
        const core::TimePoint since = clock.now();
        core::LockProbed last;
        const bool seen = wait_until(
            [&] {
                for (const auto& one : events.of<core::LockProbed>()) {
                    if (one.started_at >= since) {
                        last = one;
                        if (one.health == health) {
                            return true;
                        }
                    }
                }
                return false;
            },
            limit);
        if (!seen) {
            throw std::runtime_error("no such probe; the last one said: " + last.detail);
        }
        return last;
    }
    void wait_until_usable() {
        probe(core::Health::usable);
        reading("nobody");
        reading("nobody", std::nullopt, el002);
    }

    core::LockMoved hold(const std::string& holder,
                         Millis lease = 30s,
                         const core::ElevatorId& elevator = el001) {
        const auto before = events.of<core::LockMoved>().size();
        locks.hold({elevator, holder, lease});
        return moved(before);
    }
    core::LockMoved give_back(const std::string& holder, std::int64_t counter = 0) {
        const auto before = events.of<core::LockMoved>().size();
        locks.give_back({el001, holder, counter});
        return moved(before);
    }

    system::SystemClock clock;
    EventLog events;
    LogLines log;
    redis::RedisLocks locks;

  private:
    core::LockMoved moved(std::size_t before) {
        if (!wait_until([&] { return events.of<core::LockMoved>().size() > before; })) {
            throw std::runtime_error("an order was never answered");
        }
        return events.of<core::LockMoved>()[before];
    }
    std::uint64_t grants_ = 0;
};

inline bool contains(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
}

}  // namespace liftwarden::test
