// sim_tests [--seeds N] [--first S] [--seed S] [--trace]
// Runs the core in simulated worlds and checks the laws; prints the seed of the first violation.
#include "tests/sim/world.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using liftwarden::sim_test::RunSummary;
using liftwarden::sim_test::Violation;
using liftwarden::sim_test::World;

void add(RunSummary& total, const RunSummary& run) {
    total.finals += run.finals;
    total.writes += run.writes;
    total.resends += run.resends;
    total.executed += run.executed;
    total.crashes += run.crashes;
    total.lock_outs += run.lock_outs;
    for (const auto& [word, count] : run.seen) {
        total.seen[word] += count;
    }
}

void print(const RunSummary& total) {
    std::printf(
        "commands ended %zu, writes %zu, resends %zu, executed %zu, crashes %zu, "
        "lock-outs %zu\nseen:",
        total.finals,
        total.writes,
        total.resends,
        total.executed,
        total.crashes,
        total.lock_outs);
    for (const auto& [word, count] : total.seen) {
        std::printf(" %s %zu", word.c_str(), count);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t seeds = 1000;
    std::uint64_t first = 1;
    bool trace = false;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] {
            return std::strtoull(i + 1 < argc ? argv[++i] : "0", nullptr, 10);
        };
        if (std::strcmp(argv[i], "--seeds") == 0) {
            seeds = number();
        } else if (std::strcmp(argv[i], "--first") == 0) {
            first = number();
        } else if (std::strcmp(argv[i], "--seed") == 0) {
            first = number();
            seeds = 1;
        } else if (std::strcmp(argv[i], "--trace") == 0) {
            trace = true;
        } else {
            std::fprintf(stderr, "usage: sim_tests [--seeds N] [--first S] [--seed S] [--trace]\n");
            return 64;
        }
    }
    RunSummary total;
    std::uint64_t failed = 0;
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        try {
            add(total, World(seed, trace).run());
        } catch (const Violation& violation) {
            ++failed;
            std::fprintf(stderr,
                         "seed %llu: %s\n  replay: sim_tests --seed %llu --trace\n",
                         static_cast<unsigned long long>(seed),
                         violation.what(),
                         static_cast<unsigned long long>(seed));
        }
    }
    print(total);
    std::printf("%llu passed, %llu failed\n",
                static_cast<unsigned long long>(seeds - failed),
                static_cast<unsigned long long>(failed));
    return failed == 0 ? 0 : 1;
}
