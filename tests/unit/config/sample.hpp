// A small valid configuration that tests change in one place, and what they ask of the result.
#pragma once

#include "src/adapters/config/load.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::config::test {

// The sample, one TCP bus and one elevator with the mailbox driver; loads without any problem.
[[nodiscard]] const std::string& sample();

// The sample with the first `from` replaced by `to`; `from` must be in it.
[[nodiscard]] std::string changed(std::string_view from, std::string_view to);
[[nodiscard]] std::string replaced(std::string text, std::string_view from, std::string_view to);

// The drivers tests load with: the real mailbox.
[[nodiscard]] const Drivers& drivers();

// Loads text under the name "a.yaml".
[[nodiscard]] Loaded load_sample(const std::string& text);

// One line per problem, as people see them.
[[nodiscard]] std::string all_texts(const std::vector<Problem>& problems);

}  // namespace liftwarden::config::test
