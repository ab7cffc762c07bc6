// Preloaded into the daemon by tests: a wall clock that is wrong by any amount and changes when the
// test says so, and a disk that fails. Nothing else of the process changes.
#include "tests/support/preload/control.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

using liftwarden::test::PreloadControl;

constexpr std::int64_t second_ns = 1'000'000'000;

PreloadControl& control() {
    static PreloadControl none{};
    static PreloadControl* const page = [] {
        const char* path = std::getenv(liftwarden::test::preload_variable);
        const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            return &none;
        }
        void* at = ::mmap(nullptr, sizeof none, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        return at == MAP_FAILED ? &none : static_cast<PreloadControl*>(at);
    }();
    return *page;
}

template <class Function>
Function next(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

std::int64_t to_ns(const timespec& time) {
    return static_cast<std::int64_t>(time.tv_sec) * second_ns + time.tv_nsec;
}

timespec from_ns(std::int64_t ns) {
    return {static_cast<time_t>(ns / second_ns), static_cast<long>(ns % second_ns)};
}

std::int64_t real_wall_ns() {
    using Clock = int (*)(clockid_t, timespec*);
    static const auto real = next<Clock>("clock_gettime");
    timespec time{};
    real(CLOCK_REALTIME, &time);
    return to_ns(time);
}

bool is_journal(int fd) {
    char link[64];
    char path[512];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t size = ::readlink(link, path, sizeof path - 1);
    if (size <= 0) {
        return false;
    }
    path[size] = '\0';
    return std::strstr(path, "journal") != nullptr;
}

// True, with errno set, if this call has to fail.
bool fails(std::atomic<int>& error, int fd) {
    const int number = error.load();
    if (number == 0 || !is_journal(fd)) {
        return false;
    }
    if (control().let_pass.load() > 0 && control().let_pass.fetch_sub(1) > 0) {
        return false;
    }
    ++control().failed;
    errno = number;
    return true;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t id, timespec* time) {
    using Clock = int (*)(clockid_t, timespec*);
    static const auto real = next<Clock>("clock_gettime");
    const int result = real(id, time);
    if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
        *time = from_ns(to_ns(*time) + control().wall_offset_ns.load());
    }
    return result;
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
    const std::int64_t ns = real_wall_ns() + control().wall_offset_ns.load();
    *time = {static_cast<time_t>(ns / second_ns), static_cast<suseconds_t>(ns % second_ns / 1000)};
    return 0;
}

time_t time(time_t* out) noexcept {
    const auto seconds =
        static_cast<time_t>((real_wall_ns() + control().wall_offset_ns.load()) / second_ns);
    if (out != nullptr) {
        *out = seconds;
    }
    return seconds;
}

// A wait until a wall time ends early or late when the clock is set meanwhile. It is taken in short
// steps, so that this happens here too. (Deadlines of the steady clock are far below this year.)
int pthread_cond_timedwait(pthread_cond_t* condition,
                           pthread_mutex_t* mutex,
                           const timespec* deadline) {
    using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*);
    static const auto real = next<Wait>("pthread_cond_timedwait");
    constexpr time_t wall_times_begin = second_ns;  // seconds: the year 2001
    constexpr std::int64_t step = 20'000'000;
    if (deadline->tv_sec < wall_times_begin) {
        return real(condition, mutex, deadline);
    }
    while (true) {
        const std::int64_t left =
            to_ns(*deadline) - (real_wall_ns() + control().wall_offset_ns.load());
        if (left <= 0) {
            return ETIMEDOUT;
        }
        const timespec until = from_ns(real_wall_ns() + (left < step ? left : step));
        const int result = real(condition, mutex, &until);
        if (result != ETIMEDOUT) {
            return result;
        }
    }
}

ssize_t write(int fd, const void* bytes, size_t count) {
    using Write = ssize_t (*)(int, const void*, size_t);
    static const auto real = next<Write>("write");
    return fails(control().write_error, fd) ? -1 : real(fd, bytes, count);
}

ssize_t pwrite64(int fd, const void* bytes, size_t count, off64_t at) {
    using Write = ssize_t (*)(int, const void*, size_t, off64_t);
    static const auto real = next<Write>("pwrite64");
    return fails(control().write_error, fd) ? -1 : real(fd, bytes, count, at);
}

int fdatasync(int fd) {
    using Sync = int (*)(int);
    static const auto real = next<Sync>("fdatasync");
    return fails(control().sync_error, fd) ? -1 : real(fd);
}

int fsync(int fd) {
    using Sync = int (*)(int);
    static const auto real = next<Sync>("fsync");
    return fails(control().sync_error, fd) ? -1 : real(fd);
}
}
