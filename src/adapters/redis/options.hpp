#pragma once

#include <liftwarden/core/error.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace liftwarden::redis {

enum class LogLevel { debug, info, warning, error };

// Called on several threads: it must be thread-safe and must not block. The text never holds a
// secret.
using Log = std::function<void(LogLevel, const std::string&)>;

// How the password file is read, at every connect, so that a changed password needs no restart.
// Called on several threads.
using ReadSecret = std::function<core::Result<std::string>(const std::string& path)>;

using namespace std::chrono_literals;
using Millis = std::chrono::milliseconds;

// A question holds the bus, which is given back after 100 ms; counted from when it was put.
constexpr Millis check_limit = 80ms;
constexpr std::size_t check_queue_limit = 256;  // of one connection

// One probe with all it needs: Sentinels, connecting, logging in, asking.
constexpr Millis probe_limit = 500ms;
constexpr Millis probe_key_life = 3s;

// Taking or giving back a lock; counted from when it was asked for.
constexpr Millis move_limit = 500ms;
constexpr std::size_t move_queue_limit = 1024;

constexpr Millis dial_limit = 500ms;      // a connection for verification
constexpr Millis sentinel_limit = 100ms;  // for each Sentinel, so that dead ones leave time
constexpr Millis resolve_again = 3s;      // whether the Sentinels still mean the same master
constexpr Millis backoff_min = 100ms;
constexpr Millis backoff_max = 2s;

constexpr Millis idle_ping = 2s;       // a connection nobody asked anything for so long
constexpr Millis thread_tick = 500ms;  // the longest sleep of a thread: its heartbeat must go on

}  // namespace liftwarden::redis
