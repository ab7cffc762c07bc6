#include "src/adapters/config/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

constexpr std::size_t longest_word = 64;

char folded(char c) {
    if (c >= 'A' && c <= 'Z') {
        return static_cast<char>(c - 'A' + 'a');
    }
    return c == '-' ? '_' : c;
}

// "bus" and "buses", "lock" and "locks": one is the other with an ending.
bool is_form_of(std::string_view word, std::string_view candidate) {
    constexpr std::size_t ending = 2;
    const std::string_view shorter = word.size() < candidate.size() ? word : candidate;
    const std::string_view longer = word.size() < candidate.size() ? candidate : word;
    return shorter.size() >= 3 && shorter.size() != longer.size() &&
           longer.size() - shorter.size() <= ending &&
           edit_distance(shorter, longer.substr(0, shorter.size())) == 0;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Three rows of the usual table: the swap of neighbours looks two rows back.
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        last[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = folded(a[i - 1]) == folded(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1])) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
    if (word.size() > longest_word) {
        return std::nullopt;
    }
    std::size_t least = std::clamp<std::size_t>(word.size() / 3, 1, 3) + 1;
    std::optional<std::string> best;
    for (const std::string& candidate : candidates) {
        const std::size_t distance =
            is_form_of(word, candidate) ? 1 : edit_distance(word, candidate);
        // Of a word with nothing in common but its length nobody meant this one.
        if (distance < least && distance < std::max(word.size(), candidate.size())) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
    const std::optional<std::string> meant = nearest(word, candidates);
    return meant ? fmt::format("; did you mean \"{}\"?", *meant) : std::string{};
}

}  // namespace liftwarden::config
