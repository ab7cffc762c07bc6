// Running seeds and telling what came of them; used by the programs for the sound core and for the
// broken one.
#pragma once

#include "tests/sim/world.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::sim_test {

struct Options {
    std::uint64_t first = 1;
    std::uint64_t seeds = 1000;
    bool trace = false;
    bool shorten = false;
    std::string breakage;  // of the broken core only
};

// nullopt: the usage has been printed.
[[nodiscard]] std::optional<Options> parse_options(int argc, char** argv, const char* program);

// Plays these seeds; prints violations with the way to replay them, the first one shortened.
// Returns how many failed.
std::uint64_t run_seeds(const Options& options, RunSummary& total);

// Prints the shortest list of inputs that breaks the same law, with its trace.
void print_shortened(const Script& script, const std::string& law);

}  // namespace liftwarden::sim_test
