#include "src/adapters/system/system_clock.hpp"

#include "src/adapters/system/boot_id.hpp"

#include <catch2/catch.hpp>

#include <ctime>
#include <fstream>

using namespace liftwarden;

TEST_CASE("system clock: its time is the boot clock's, and never goes back", "[system][clock]") {
    const system::SystemClock clock;
    timespec boot{};
    REQUIRE(::clock_gettime(CLOCK_BOOTTIME, &boot) == 0);
    const core::TimePoint before{std::chrono::seconds{boot.tv_sec} +
                                 std::chrono::nanoseconds{boot.tv_nsec}};
    const core::TimePoint first = clock.now();
    const core::TimePoint second = clock.now();
    CHECK(first >= before);
    CHECK(first - before < std::chrono::seconds{5});
    CHECK(second >= first);
}

TEST_CASE("system clock: the wall time is the calendar's", "[system][clock]") {
    const system::SystemClock clock;
    const auto apart = clock.wall() - std::chrono::floor<std::chrono::milliseconds>(
                                          std::chrono::system_clock::now());
    CHECK(std::chrono::abs(apart) < std::chrono::seconds{5});
}

TEST_CASE("boot id: the kernel's, the same at every call", "[system]") {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string expected;
    REQUIRE(std::getline(file, expected));
    const auto id = system::boot_id();
    REQUIRE(id);
    CHECK(*id == expected);
    CHECK(*system::boot_id() == *id);
}
