// "Did you mean": the word of a list that a misspelt one was most likely meant to be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::config {

// Number of insertions, deletions, replacements and swaps of neighbours between two words (optimal
// string alignment), letter case and '-' against '_' not counted.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

// The candidate with the least distance, if it is near enough: a third of the word's length, at
// least 1 and at most 3, and not all of it; another ending ("bus", "buses") counts as 1. The first
// of several equally near ones.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& candidates);

// "; did you mean \"poll\"?", or nothing.
[[nodiscard]] std::string suggestion(std::string_view word,
                                     const std::vector<std::string>& candidates);

}  // namespace liftwarden::config
