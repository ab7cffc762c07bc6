// One YAML file as a plain tree with positions, and nothing that YAML can do beyond that.
#pragma once

#include "src/adapters/config/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::config {

struct Entry;

// A value of the file. Scalars stay text: yaml-cpp would read 010 as eight and "yes" as true, so
// every reader here parses the text itself. `invalid` has already been reported: readers pass over
// it in silence. A plain value; the tree owns its parts.
struct Node {
    enum class Kind { invalid, null, scalar, sequence, mapping };
    Kind kind = Kind::null;
    Place place;
    std::string text;  // of a scalar
    bool quoted = false;
    bool flawed = false;         // something inside was reported and left out
    std::vector<Node> items;     // of a sequence
    std::vector<Entry> entries;  // of a mapping, in file order, keys unique

    [[nodiscard]] const Entry* find(std::string_view key) const;
};

struct Entry {
    std::string key;
    Place place;  // of the key
    Node value;
};

// Parses one file of the report. Reports, each with its place: text that is no UTF-8, syntax
// errors, duplicate keys, keys that are no plain text, anchors, aliases, merge keys, tags, a second
// document, nesting beyond 32 levels. nullopt if there is no tree worth reading further.
[[nodiscard]] std::optional<Node> parse_document(Report& report,
                                                 std::uint32_t file,
                                                 const std::string& text);

// The place of the value that `path` leads to from this entry's value, or of the last step that
// exists: a driver may complain about what is not there.
[[nodiscard]] Place place_of(const Entry& entry, const std::vector<std::string>& path);

// "a mapping", "a list", "text", ..., for messages.
[[nodiscard]] const char* describe(Node::Kind kind);

}  // namespace liftwarden::config
