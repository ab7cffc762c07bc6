// The one place where a mapping is compared with what it may contain.
#pragma once

#include "src/adapters/config/document.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::config {

// Reads the value of one key into its target, or reports what is wrong with it at its place.
using Parse = std::function<void(Report&, const Entry&)>;

// What a mapping may contain under one name.
struct Key {
    std::string name;
    Parse parse;
    bool required = false;
    bool suggested = true;  // may be offered for a misspelt key
};

[[nodiscard]] Key required(std::string name, Parse parse);
[[nodiscard]] Key optional(std::string name, Parse parse);
// A key that exists but may not stand here; `why` follows its name in the message.
[[nodiscard]] Key refused(std::string name, std::string why);

// Walks the mapping under `section` by `keys`: reports whatever is no mapping, unknown keys with
// the nearest known one, and missing required keys at the mapping; parses all others. `what` names
// the mapping in messages: "bus \"plc-a\"".
void read_mapping(Report& report,
                  const Entry& section,
                  std::string_view what,
                  const std::vector<Key>& keys);

// For mappings whose keys are the site's own names: at least one and at most `most` entries, each
// handed to `each` in file order. `what` names one of them in messages: "bus".
void read_entries(Report& report,
                  const Entry& section,
                  std::string_view what,
                  std::size_t most,
                  const std::function<void(const Entry&)>& each);

// False, after reporting it, if the value is not of this kind. `wanted` completes the sentence
// "... must be": "a duration such as 3s"; `what` begins it, where the key alone would not say what
// is meant.
[[nodiscard]] bool expect(Report& report,
                          const Entry& entry,
                          Node::Kind kind,
                          std::string_view wanted,
                          std::string_view what = {});

}  // namespace liftwarden::config
