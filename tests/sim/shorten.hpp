// From a failing script to the shortest list of inputs that still fails.
#pragma once

#include "tests/sim/script.hpp"

#include <optional>
#include <string>

namespace liftwarden::sim_test {

// What a script breaks; nullopt: nothing.
struct Failure {
    std::string law;
    std::string text;
};
[[nodiscard]] std::optional<Failure> failure_of(const Script& script);

// Leaves out inputs as long as the same law stays broken (delta debugging: Zeller and Hildebrandt,
// 2002; here with halves, quarters, ... and at last single inputs, until none can go).
[[nodiscard]] Script shorten(Script script, const std::string& law);

}  // namespace liftwarden::sim_test
