#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace liftwarden::system {

// The notification protocol of systemd (sd_notify(3)), spoken over the socket named in
// $NOTIFY_SOCKET; without one every call does nothing and says so. Calls never block: false means
// that the message did not get out and may be tried again. Any thread may call.
class ServiceManager {
  public:
    // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. Before any thread is started.
    static ServiceManager from_environment();

    // `socket` is a path, or an abstract name after '@'; empty: no service manager.
    explicit ServiceManager(std::string socket,
                            std::optional<std::chrono::microseconds> watchdog = std::nullopt);

    bool ready(const std::string& status) const;
    bool reloading() const;  // ready() ends it
    bool stopping() const;
    bool status(const std::string& text) const;  // one line, shown by `systemctl status`
    bool watchdog() const;

    // The service is killed when watchdog() was not called for so long; ping at half of it or less.
    // nullopt: no watchdog for this process.
    [[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval() const {
        return watchdog_;
    }

  private:
    bool send(const std::string& message) const;

    std::string socket_;
    std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace liftwarden::system
