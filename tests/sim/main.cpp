// sim_tests [--first S] [--seeds N] [--seed S] [--trace] [--shorten]
// Runs the core in simulated worlds and checks the laws; prints the seed of each violation and the
// shortest list of inputs that leads to the first one.
#include "tests/sim/runner.hpp"

#include <cstdio>

int main(int argc, char** argv) {
    using namespace liftwarden::sim_test;
    const auto options = parse_options(argc, argv, "sim_tests");
    if (!options) {
        return 64;
    }
    RunSummary total;
    const std::uint64_t failed = run_seeds(*options, total);
    std::printf("reached:");
    for (const auto& [word, count] : total.seen) {
        std::printf(" %s %zu", word.c_str(), count);
    }
    std::printf("\n%llu passed, %llu failed\n",
                static_cast<unsigned long long>(options->seeds - failed),
                static_cast<unsigned long long>(failed));
    return failed == 0 ? 0 : 1;
}
