// All judges of a run.
#pragma once

#include "tests/sim/laws/law.hpp"

#include <memory>
#include <vector>

namespace liftwarden::sim_test {

[[nodiscard]] std::unique_ptr<Law> make_gate_law(Facts& facts);     // 1, 2, 4: writes
[[nodiscard]] std::unique_ptr<Law> make_proof_law(Facts& facts);    // 2, 4: outcomes
[[nodiscard]] std::unique_ptr<Law> make_table_law(Facts& facts);    // 7, and coalescing
[[nodiscard]] std::unique_ptr<Law> make_moment_law(Facts& facts);   // 8, 9, 11, 14
[[nodiscard]] std::unique_ptr<Law> make_owner_law(Facts& facts);    // 13
[[nodiscard]] std::unique_ptr<Law> make_outcome_law(Facts& facts);  // 3, 10
[[nodiscard]] std::unique_ptr<Law> make_bounds_law(Facts& facts);   // 12
[[nodiscard]] std::unique_ptr<Law> make_lock_law(Facts& facts);     // 5, 6
[[nodiscard]] std::unique_ptr<Law> make_mode_law(Facts& facts);     // arbitration modes

[[nodiscard]] inline std::vector<std::unique_ptr<Law>> all_laws(Facts& facts) {
    std::vector<std::unique_ptr<Law>> laws;
    for (const auto make : {make_gate_law,
                            make_proof_law,
                            make_table_law,
                            make_moment_law,
                            make_owner_law,
                            make_outcome_law,
                            make_bounds_law,
                            make_lock_law,
                            make_mode_law}) {
        laws.push_back(make(facts));
    }
    return laws;
}

}  // namespace liftwarden::sim_test
