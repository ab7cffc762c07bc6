#pragma once

#include "src/adapters/redis/dialer.hpp"
#include "src/adapters/redis/known_server.hpp"
#include "src/adapters/redis/names.hpp"
#include "src/adapters/redis/options.hpp"
#include "src/adapters/redis/wake_event.hpp"

#include <liftwarden/ports/clock.hpp>
#include <liftwarden/ports/event_sink.hpp>
#include <liftwarden/ports/lock_service.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace liftwarden::redis {

struct Elevator {
    LockNames names;
    std::size_t lane = 0;  // which connection verifies it
};

// What all threads of the lock service share; lives longer than they do.
struct Context {
    const ports::LockSettings settings;
    const std::map<core::ElevatorId, Elevator> elevators;
    ports::EventSink& events;
    const ports::Clock& clock;
    const Log log;
    const WakeEvent& stop;
    const Dialer dialer;
    KnownServer known{};

    std::atomic<std::uint64_t> checks{0};
    std::atomic<std::uint64_t> unanswered{0};
    std::atomic<std::uint64_t> probes{0};

    mutable std::mutex mutex{};  // a leaf, for what follows
    std::string address{};
    core::Health health = core::Health::outage;
    std::string last_error{};

    void say(LogLevel level, const std::string& text) const {
        if (log) {
            log(level, "redis: " + text);
        }
    }
    void note_error(const std::string& text) {
        const std::lock_guard lock(mutex);
        last_error = text;
    }
};

}  // namespace liftwarden::redis
