#include "src/adapters/redis/wake_event.hpp"

#include <liftwarden/core/assert.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace liftwarden::redis {

WakeEvent::WakeEvent() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    LIFTWARDEN_ASSERT(fd_ >= 0);
}

WakeEvent::~WakeEvent() {
    ::close(fd_);
}

void WakeEvent::notify() const {
    const std::uint64_t one = 1;
    // Can only fail by being set already.
    static_cast<void>(!::write(fd_, &one, sizeof one));
}

void WakeEvent::drain() const {
    std::uint64_t count = 0;
    static_cast<void>(!::read(fd_, &count, sizeof count));
}

Ready wait_for(int fd, short events, Deadline deadline, const WakeEvent& stop) {
    std::array<pollfd, 2> sources{pollfd{stop.fd(), POLLIN, 0}, pollfd{fd, events, 0}};
    for (;;) {
        const auto left =
            std::max(std::chrono::nanoseconds{0},
                     std::chrono::nanoseconds{deadline - std::chrono::steady_clock::now()});
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
        const timespec limit{static_cast<std::time_t>(seconds.count()),
                             static_cast<long>((left - seconds).count())};
        const int found = ::ppoll(sources.data(), sources.size(), &limit, nullptr);
        if (sources[0].revents != 0) {
            return Ready::stopped;
        }
        if (found > 0) {
            return Ready::yes;
        }
        if (found == 0) {
            return Ready::late;
        }
        LIFTWARDEN_ASSERT(errno == EINTR || errno == ENOMEM);
    }
}

}  // namespace liftwarden::redis
