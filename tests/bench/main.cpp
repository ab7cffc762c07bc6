// bench_tests [--times N]: what a command costs beside the parts it is made of, and what the
// gateway needs. Figures only; nothing here passes or fails.
#include "tests/bench/bare_parts.hpp"
#include "tests/bench/lock_check.hpp"
#include "tests/bench/stats.hpp"
#include "tests/bench/whole.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace liftwarden::bench;

void latency(std::size_t times) {
    const Latency whole = publish_to_write(times);
    const double sum50 = whole.bare_publish.at(0.5) + whole.bare_commits.at(0.5) +
                         whole.bare_modbus.read.at(0.5) + whole.bare_modbus.write.at(0.5);
    const double sum99 = whole.bare_publish.at(0.99) + whole.bare_commits.at(0.99) +
                         whole.bare_modbus.read.at(0.99) + whole.bare_modbus.write.at(0.99);
    std::printf("\nOne command, from publish to the register write\n");
    print("  bare: publish to callback", whole.bare_publish);
    print("  bare: two FULL commits", whole.bare_commits);
    print("  bare: Modbus read", whole.bare_modbus.read);
    print("  bare: Modbus write", whole.bare_modbus.write);
    print("liftwarden: publish to register write", whole.write);
    std::printf("liftwarden / sum of the bare parts            p50 %8.2f     p99 %8.2f\n",
                whole.write.at(0.5) / sum50,
                whole.write.at(0.99) / sum99);
}

void footprint() {
    const Footprint used = idle_footprint(20, std::chrono::seconds{20});
    std::printf("\n20 elevators polled every 200 ms, no commands\n");
    std::printf("resident memory %.1f MiB, processor %.2f %% of one core, %.0f reads/s\n",
                used.resident_mib,
                used.cpu_percent,
                used.reads_per_s);
}

void throughput() {
    const Throughput done = commands_per_second(20, std::chrono::seconds{10});
    std::printf("\n20 elevators, PLCs without a scan delay, one command in flight for each\n");
    std::printf("%.0f commands/s acked\n", done.acked_per_s);
}

void verification(std::size_t times) {
    const LockCheck cost = lock_check(times);
    std::printf("\nOne lock verified, redis-server on this machine\n");
    print("  bare: EVAL_RO round trip", cost.bare);
    print("liftwarden: question to answer", cost.verified);
    print("liftwarden: beside 1 000/s for other locks", cost.crowded);
    std::printf("liftwarden / bare                             p50 %8.2f     p99 %8.2f\n",
                cost.verified.at(0.5) / cost.bare.at(0.5),
                cost.verified.at(0.99) / cost.bare.at(0.99));
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t times = 300;
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], "--times") == 0) {
            times = std::strtoull(argv[i + 1], nullptr, 10);
        }
    }
    latency(times);
    verification(times);
    footprint();
    throughput();
    return 0;
}
