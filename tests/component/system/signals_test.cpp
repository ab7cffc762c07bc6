#include "src/adapters/system/signals.hpp"

#include <catch2/catch.hpp>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <thread>

using namespace liftwarden;

namespace {

// The mask of the test program is as it was at the end.
class KeepMask {
  public:
    KeepMask() { ::pthread_sigmask(SIG_SETMASK, nullptr, &mask_); }
    ~KeepMask() { ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr); }
    KeepMask(const KeepMask&) = delete;
    KeepMask& operator=(const KeepMask&) = delete;

  private:
    sigset_t mask_{};
};

bool is_blocked(int number) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return sigismember(&mask, number) == 1;
}

}  // namespace

TEST_CASE("signals: blocked ones are read from the descriptor in their order", "[system]") {
    const KeepMask keep;
    system::block_signals();
    const system::SignalFd signals({SIGTERM, SIGHUP});
    CHECK_FALSE(signals.next().has_value());
    ::pthread_kill(::pthread_self(), SIGTERM);
    pollfd waiting{signals.fd(), POLLIN, 0};
    REQUIRE(::poll(&waiting, 1, 5000) == 1);
    CHECK(signals.next() == SIGTERM);
    ::pthread_kill(::pthread_self(), SIGHUP);
    CHECK(signals.next() == SIGHUP);
    CHECK_FALSE(signals.next().has_value());
}

TEST_CASE("signals: threads inherit the block, and crashes stay crashes", "[system]") {
    const KeepMask keep;
    system::block_signals();
    std::thread([] {
        for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGUSR1, SIGCHLD}) {
            CHECK(is_blocked(number));
        }
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
            CHECK_FALSE(is_blocked(number));
        }
    }).join();
}
