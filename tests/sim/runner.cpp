#include "tests/sim/runner.hpp"

#include "tests/sim/shorten.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace liftwarden::sim_test {
namespace {

// Law 14: wall clock steps change nothing, unless a credible `issued_at` may shorten a TTL.
void compare_without_steps(const Script& script, const RunSummary& with) {
    if (script.issued_at && script.wall_synchronised) {
        return;
    }
    Script without = script;
    const auto steps = std::erase_if(
        without.inputs, [](const Input& input) { return input.kind == Kind::wall_step; });
    if (steps > 0 && World(without, false).run().actions != with.actions) {
        throw Violation("law 14", ": steps of the wall clock made a difference");
    }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, const char* program) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const auto next = [&] { return i + 1 < argc ? argv[++i] : ""; };
        const auto number = [&] { return std::strtoull(next(), nullptr, 10); };
        if (std::strcmp(argv[i], "--seeds") == 0) {
            options.seeds = number();
        } else if (std::strcmp(argv[i], "--first") == 0) {
            options.first = number();
        } else if (std::strcmp(argv[i], "--seed") == 0) {
            options.first = number();
            options.seeds = 1;
        } else if (std::strcmp(argv[i], "--trace") == 0) {
            options.trace = true;
        } else if (std::strcmp(argv[i], "--shorten") == 0) {
            options.shorten = true;
        } else if (std::strcmp(argv[i], "--breakage") == 0) {
            options.breakage = next();
        } else {
            std::fprintf(stderr,
                         "usage: %s [--first S] [--seeds N] [--seed S] [--trace] [--shorten]\n",
                         program);
            return std::nullopt;
        }
    }
    return options;
}

void print_shortened(const Script& script, const std::string& law) {
    const Script shortest = shorten(script, law);
    std::printf(
        "shortened from %zu inputs to %zu:\n", script.inputs.size(), shortest.inputs.size());
    for (const Input& input : shortest.inputs) {
        std::printf("%8lld ms  %s\n",
                    static_cast<long long>(core::to_ms(input.at)),
                    describe(input).c_str());
    }
    std::printf("what happens then:\n");
    try {
        World(shortest, true).run();
    } catch (const Violation& violation) {
        std::printf("%s\n", violation.what());
    }
    std::fflush(stdout);
}

std::uint64_t run_seeds(const Options& options, RunSummary& total) {
    std::uint64_t failed = 0;
    for (std::uint64_t seed = options.first; seed < options.first + options.seeds; ++seed) {
        const Script script = make_script(seed);
        try {
            const RunSummary run = World(script, options.trace).run();
            if (seed % 8 == 0) {
                compare_without_steps(script, run);
            }
            for (const auto& [word, count] : run.seen) {
                total.seen[word] += count;
            }
        } catch (const Violation& violation) {
            std::printf("seed %llu: %s\n  replay: --seed %llu --trace, or --shorten\n",
                        static_cast<unsigned long long>(seed),
                        violation.what(),
                        static_cast<unsigned long long>(seed));
            if (failed++ == 0 && (options.shorten || options.seeds > 1)) {
                print_shortened(script, violation.law);
            }
        }
    }
    return failed;
}

}  // namespace liftwarden::sim_test
