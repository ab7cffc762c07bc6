#include "src/adapters/system/service_manager.hpp"

#include "tests/support/files.hpp"

#include <catch2/catch.hpp>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

using namespace liftwarden;

namespace {

// The service manager's end of the socket.
class NotifySocket {
  public:
    explicit NotifySocket(const std::string& name)
        : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name.data(), name.size());
        if (name[0] == '@') {
            address.sun_path[0] = '\0';
        }
        const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
        if (::bind(fd_, reinterpret_cast<sockaddr*>(&address), size) != 0) {
            throw std::runtime_error("cannot bind " + name);
        }
    }
    ~NotifySocket() { ::close(fd_); }
    NotifySocket(const NotifySocket&) = delete;
    NotifySocket& operator=(const NotifySocket&) = delete;

    // What was sent and not yet read; "" if nothing.
    [[nodiscard]] std::string next() const {
        std::array<char, 4096> data{};
        const ssize_t count = ::recv(fd_, data.data(), data.size(), 0);
        return count > 0 ? std::string(data.data(), static_cast<std::size_t>(count)) : "";
    }

  private:
    int fd_;
};

}  // namespace

TEST_CASE("service manager: each notification is one datagram of the protocol", "[system]") {
    const test::TempDir dir;
    const std::string name = GENERATE(true, false)
                                 ? dir.file("notify")
                                 : "@liftwarden-test-" + std::to_string(::getpid());
    const NotifySocket socket(name);
    const system::ServiceManager manager(name);
    CHECK(manager.ready("2 elevators"));
    CHECK(socket.next() == "READY=1\nSTATUS=2 elevators");
    CHECK(manager.status("two\nlines"));
    CHECK(socket.next() == "STATUS=two lines");
    CHECK(manager.watchdog());
    CHECK(socket.next() == "WATCHDOG=1");
    CHECK(manager.reloading());
    CHECK(socket.next().find("RELOADING=1\nMONOTONIC_USEC=") == 0);
    CHECK(manager.stopping());
    CHECK(socket.next() == "STOPPING=1");
    CHECK(socket.next().empty());
}

TEST_CASE("service manager: without one, or with one that does not read, nothing blocks",
          "[system]") {
    CHECK_FALSE(system::ServiceManager("").ready(""));
    CHECK_FALSE(system::ServiceManager("/no/such/socket").ready(""));
    CHECK_FALSE(system::ServiceManager(std::string(500, 'x')).ready(""));

    const test::TempDir dir;
    const NotifySocket socket(dir.file("notify"));
    const system::ServiceManager manager(dir.file("notify"));
    bool sent = true;
    for (int count = 0; count < 10'000 && sent; ++count) {
        sent = manager.watchdog();
    }
    CHECK_FALSE(sent);
    while (!socket.next().empty()) {
    }
    CHECK(manager.watchdog());
}

TEST_CASE("service manager: socket and watchdog come from the environment", "[system]") {
    const test::TempDir dir;
    const NotifySocket socket(dir.file("notify"));
    const auto with = [&](const char* usec, const std::string& pid) {
        ::setenv("NOTIFY_SOCKET", dir.file("notify").c_str(), 1);
        ::setenv("WATCHDOG_USEC", usec, 1);
        ::setenv("WATCHDOG_PID", pid.c_str(), 1);
        const auto manager = system::ServiceManager::from_environment();
        for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
            ::unsetenv(name);
        }
        return manager;
    };
    const std::string self = std::to_string(::getpid());
    CHECK(with("30000000", self).watchdog_interval() == std::chrono::seconds{30});
    CHECK(with("30000000", self).stopping());
    CHECK(socket.next() == "STOPPING=1");
    CHECK_FALSE(with("30000000", "1").watchdog_interval().has_value());
    CHECK_FALSE(with("0", self).watchdog_interval().has_value());
    CHECK_FALSE(with("30s", self).watchdog_interval().has_value());
    CHECK_FALSE(system::ServiceManager::from_environment().watchdog_interval().has_value());
}
