// What a fuzz target demands beyond not crashing.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace liftwarden::fuzz {

// Ends the process, so that the fuzzer keeps the input.
inline void check(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", what);
        std::abort();
    }
}

}  // namespace liftwarden::fuzz
