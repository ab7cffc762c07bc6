#include "tests/sim/shorten.hpp"

#include "tests/sim/world.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

std::optional<Failure> failure_of(const Script& script) {
    try {
        World(script, false).run();
        return std::nullopt;
    } catch (const Violation& violation) {
        return Failure{violation.law, violation.what()};
    }
}

Script shorten(Script script, const std::string& law) {
    std::size_t runs_left = 3000;
    std::size_t piece = std::max<std::size_t>(1, script.inputs.size() / 2);
    while (true) {
        bool shorter = false;
        for (std::size_t from = 0; from < script.inputs.size() && runs_left > 0; --runs_left) {
            Script without = script;
            const auto begin = without.inputs.begin() + static_cast<std::ptrdiff_t>(from);
            const std::size_t count = std::min(piece, without.inputs.size() - from);
            without.inputs.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
            const auto failure = failure_of(without);
            if (failure && failure->law == law) {
                script = std::move(without);
                shorter = true;
            } else {
                from += count;
            }
        }
        if (runs_left == 0 || (piece == 1 && !shorter)) {
            return script;
        }
        piece = piece > 1 ? (piece + 1) / 2 : 1;
    }
}

}  // namespace liftwarden::sim_test
