#include "drivers/modbus/waiter.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace liftwarden::modbus {

// Without a descriptor, waits still end at their deadline; stop() is then only slower.
Waiter::Waiter() : wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Waiter::~Waiter() {
    ::close(wake_fd_);
}

Waiter::Event Waiter::wait(int fd, short events, IoClock::time_point deadline) const {
    for (;;) {
        if (stopped()) {
            return Event::stopped;
        }
        const auto left = std::max(deadline - IoClock::now(), IoClock::duration::zero());
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        const timespec timeout{
            seconds.count(),
            std::chrono::duration_cast<std::chrono::nanoseconds>(left - seconds).count()};
        // poll(2) leaves negative descriptors out.
        std::array<pollfd, 2> fds{{{fd, events, 0}, {wake_fd_, POLLIN, 0}}};
        const int count = ::ppoll(fds.data(), fds.size(), &timeout, nullptr);
        if (count > 0 && fds[0].revents != 0 && !stopped()) {
            return Event::ready;
        }
        if (count <= 0 && left == IoClock::duration::zero()) {
            return Event::timeout;
        }
    }
}

Waiter::Event Waiter::sleep_until(IoClock::time_point deadline) const {
    return wait(-1, 0, deadline);
}

void Waiter::stop() {
    stopped_.store(true);
    const std::uint64_t one = 1;
    // It can only fail when the counter is full, and then the wait ends too.
    [[maybe_unused]] const auto written = ::write(wake_fd_, &one, sizeof one);
}

}  // namespace liftwarden::modbus
