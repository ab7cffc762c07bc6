// JSON as it was received, read more strictly than a general parser does.
#pragma once

#include <liftwarden/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::wire {

// One value of a received document. Numbers keep their spelling, because 1.0, 1e3 and integers
// beyond 64 bits must neither pass as integers nor lose their look in a complaint. A plain value.
struct JsonValue {
    enum class Kind { null, boolean, number, string, array, object };
    Kind kind = Kind::null;
    std::string key;               // in an object: its name
    std::string text;              // string: decoded; number, boolean, null: as written
    std::vector<JsonValue> items;  // array and object: in their order

    // The member called `name`, or nullptr; also nullptr if this is no object.
    [[nodiscard]] const JsonValue* find(std::string_view name) const;

    // The value of a number written as an integer of 64 bits with or without sign, else nullopt.
    [[nodiscard]] std::optional<std::int64_t> as_int64() const;
    [[nodiscard]] std::optional<std::uint64_t> as_uint64() const;

    // For a sentence: "a string", 1e3, true, "an array"; bounded in length.
    [[nodiscard]] std::string shown() const;
};

struct JsonLimits {
    std::size_t bytes = 0;
    std::size_t depth = 0;  // arrays and objects within each other; 1: only the outermost
};

// Parses one document. Refused as ErrorClass::permanent, with what is wrong: text longer than the
// limit, nesting deeper than the limit, anything RFC 8259 forbids (also broken UTF-8 and text after
// the document), and a key that stands twice in one object, at any depth, because readers differ in
// which of the two they believe.
[[nodiscard]] core::Result<JsonValue> parse_json(std::string_view text, JsonLimits limits);

}  // namespace liftwarden::wire
