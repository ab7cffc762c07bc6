#include "src/adapters/system/service_manager.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace liftwarden::system {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::optional<std::int64_t> number(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && value > 0 ? std::optional{value} : std::nullopt;
}

// A status is one line of the protocol.
std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

}  // namespace

ServiceManager ServiceManager::from_environment() {
    std::optional<std::chrono::microseconds> watchdog;
    const std::string pid = environment("WATCHDOG_PID");
    if (pid.empty() || number(pid) == static_cast<std::int64_t>(::getpid())) {
        if (const auto interval = number(environment("WATCHDOG_USEC"))) {
            watchdog = std::chrono::microseconds{*interval};
        }
    }
    return ServiceManager(environment("NOTIFY_SOCKET"), watchdog);
}

ServiceManager::ServiceManager(std::string socket,
                               std::optional<std::chrono::microseconds> watchdog)
    : socket_(std::move(socket)), watchdog_(watchdog) {}

bool ServiceManager::ready(const std::string& status) const {
    return send("READY=1\nSTATUS=" + one_line(status));
}

bool ServiceManager::reloading() const {
    // Newer versions of systemd want to know when the reload began.
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto micros = std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
    return send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(micros));
}

bool ServiceManager::stopping() const {
    return send("STOPPING=1");
}

bool ServiceManager::status(const std::string& text) const {
    return send("STATUS=" + one_line(text));
}

bool ServiceManager::watchdog() const {
    return send("WATCHDOG=1");
}

bool ServiceManager::send(const std::string& message) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_.size() < 2 || socket_.size() >= sizeof address.sun_path) {
        return false;
    }
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (socket_[0] == '@') {
        address.sun_path[0] = '\0';
    }
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return false;
    }
    const ssize_t sent = ::sendto(fd,
                                  message.data(),
                                  message.size(),
                                  MSG_NOSIGNAL,
                                  reinterpret_cast<const sockaddr*>(&address),
                                  size);
    ::close(fd);
    return sent == static_cast<ssize_t>(message.size());
}

}  // namespace liftwarden::system
