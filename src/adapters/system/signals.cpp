#include "src/adapters/system/signals.hpp"

#include <liftwarden/core/assert.hpp>

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace liftwarden::system {

void block_signals() {
    sigset_t set;
    sigfillset(&set);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT}) {
        sigdelset(&set, number);
    }
    const int error = ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    LIFTWARDEN_ASSERT(error == 0);
}

SignalFd::SignalFd(std::initializer_list<int> signals) {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : signals) {
        sigaddset(&set, number);
    }
    fd_ = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    LIFTWARDEN_ASSERT(fd_ >= 0);
}

SignalFd::~SignalFd() {
    ::close(fd_);
}

std::optional<int> SignalFd::next() const {
    signalfd_siginfo info{};
    if (::read(fd_, &info, sizeof info) != static_cast<ssize_t>(sizeof info)) {
        return std::nullopt;
    }
    return static_cast<int>(info.ssi_signo);
}

}  // namespace liftwarden::system
