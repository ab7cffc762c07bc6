// Parsers for the values of single keys, to be put into tables of keys. Each writes into a target
// that must outlive the walk, and only if the value is right.
#pragma once

#include "src/adapters/config/nearest.hpp"
#include "src/adapters/config/walker.hpp"

#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace liftwarden::config {

// The text of a scalar; nullopt, after reporting it, for anything else.
[[nodiscard]] std::optional<std::string> scalar_text(Report& report,
                                                     const Entry& entry,
                                                     std::string_view wanted);

// Whole number within [least, most]; a quoted one is text, and refused.
[[nodiscard]] std::optional<std::int64_t> integer_in(Report& report,
                                                     const Entry& entry,
                                                     std::int64_t least,
                                                     std::int64_t most);

template <class Integer>
[[nodiscard]] Parse integer(Integer& target, std::int64_t least, std::int64_t most) {
    return [&target, least, most](Report& report, const Entry& entry) {
        if (const auto value = integer_in(report, entry, least, most)) {
            target = static_cast<Integer>(*value);
        }
    };
}

[[nodiscard]] Parse boolean(bool& target);
[[nodiscard]] Parse duration(core::Duration& target, core::Duration least, core::Duration most);
[[nodiscard]] Parse share(double& target);
[[nodiscard]] Parse size(std::uint64_t& target, std::uint64_t least, std::uint64_t most);

// Text of 1 to 256 bytes without control characters.
[[nodiscard]] Parse text(std::function<void(std::string)> store);
// An absolute path of at most `longest` bytes.
[[nodiscard]] Parse path(std::function<void(std::string)> store, std::size_t longest = 1024);
// A name that may stand in a topic level and in a client id: [A-Za-z0-9._:-]{1,64}.
[[nodiscard]] Parse name(std::function<void(std::string)> store);

// What is wrong with a name, as a clause that follows it; nullopt if it is fine.
[[nodiscard]] std::optional<std::string> fault_of_name(std::string_view name);

// Reports a word that is none of `words`, with the nearest one.
void refuse_word(Report& report,
                 const Entry& entry,
                 std::string_view word,
                 const std::vector<std::string>& words);

// One of a few words.
template <class Value>
[[nodiscard]] Parse word(Value& target, std::vector<std::pair<std::string, Value>> words) {
    return [&target, words = std::move(words)](Report& report, const Entry& entry) {
        std::vector<std::string> names;
        for (const auto& candidate : words) {
            names.push_back(candidate.first);
        }
        const auto given = scalar_text(report, entry, "one of " + listed(names));
        if (!given) {
            return;
        }
        for (const auto& [candidate, value] : words) {
            if (*given == candidate) {
                target = value;
                return;
            }
        }
        refuse_word(report, entry, *given, names);
    };
}

// A key that is a number within [least, most], quoted or not: JSON can only write it in quotes.
// `what` names its mapping in messages.
[[nodiscard]] std::optional<std::int64_t> number_key(Report& report,
                                                     const Entry& entry,
                                                     std::string_view what,
                                                     std::int64_t least,
                                                     std::int64_t most);

// One of a list of words that are only known at run time.
[[nodiscard]] std::optional<std::string> word_of(Report& report,
                                                 const Entry& entry,
                                                 const std::vector<std::string>& vocabulary);

}  // namespace liftwarden::config
