#include "src/wire/json_value.hpp"

#include "src/wire/text.hpp"

#include <liftwarden/core/assert.hpp>

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace liftwarden::wire {
namespace {

namespace json = boost::json;
using json::error_code;

// Above this many members a sorted look for duplicates beats comparing all pairs.
constexpr std::size_t pairwise_members_max = 12;

// The name of a member that stands twice, or nullptr.
const std::string* duplicate_key(const std::vector<JsonValue>& members) {
    if (members.size() <= pairwise_members_max) {
        for (std::size_t i = 1; i < members.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                if (members[i].key == members[j].key) {
                    return &members[i].key;
                }
            }
        }
        return nullptr;
    }
    std::vector<const std::string*> keys;
    keys.reserve(members.size());
    for (const JsonValue& member : members) {
        keys.push_back(&member.key);
    }
    std::sort(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a < *b; });
    const auto twice = std::adjacent_find(
        keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a == *b; });
    return twice == keys.end() ? nullptr : *twice;
}

// What Boost.JSON's push parser calls. `open` holds the containers not yet closed, outermost first.
struct TreeBuilder {
    static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_array_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_key_size = std::numeric_limits<std::size_t>::max();
    static constexpr std::size_t max_string_size = std::numeric_limits<std::size_t>::max();

    std::vector<JsonValue> open;
    JsonValue root;
    std::string key;   // of the member whose value comes next
    std::string part;  // what came so far of a text that comes in pieces
    std::optional<std::string> duplicate;

    // The place of the next value, with its name.
    JsonValue& place(JsonValue::Kind kind) {
        JsonValue& value = open.empty() ? root : open.back().items.emplace_back();
        value.kind = kind;
        value.key.swap(key);
        return value;
    }

    bool leaf(JsonValue::Kind kind, json::string_view last) {
        JsonValue& value = place(kind);
        if (part.empty()) {
            value.text.assign(last.data(), last.size());
        } else {
            value.text.swap(part);
            value.text.append(last.data(), last.size());
        }
        return true;
    }

    bool begin(JsonValue::Kind kind) {
        JsonValue& value = open.emplace_back();
        value.kind = kind;
        value.key.swap(key);
        return true;
    }

    bool end() {
        LIFTWARDEN_ASSERT(!open.empty());
        JsonValue value = std::move(open.back());
        open.pop_back();
        (open.empty() ? root : open.back().items.emplace_back()) = std::move(value);
        return true;
    }

    bool on_part(json::string_view piece) {
        part.append(piece.data(), piece.size());
        return true;
    }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_object_begin(error_code&) { return begin(JsonValue::Kind::object); }
    bool on_object_end(std::size_t, error_code& error) {
        if (const std::string* twice = duplicate_key(open.back().items)) {
            duplicate = *twice;
            error = make_error_code(boost::system::errc::invalid_argument);
            return false;
        }
        return end();
    }
    bool on_array_begin(error_code&) { return begin(JsonValue::Kind::array); }
    bool on_array_end(std::size_t, error_code&) { return end(); }
    bool on_key_part(json::string_view piece, std::size_t, error_code&) { return on_part(piece); }
    bool on_key(json::string_view last, std::size_t, error_code&) {
        key.swap(part);
        key.append(last.data(), last.size());
        return true;
    }
    bool on_string_part(json::string_view piece, std::size_t, error_code&) {
        return on_part(piece);
    }
    bool on_string(json::string_view last, std::size_t, error_code&) {
        return leaf(JsonValue::Kind::string, last);
    }
    bool on_number_part(json::string_view piece, error_code&) { return on_part(piece); }
    bool on_int64(std::int64_t, json::string_view last, error_code&) {
        return leaf(JsonValue::Kind::number, last);
    }
    bool on_uint64(std::uint64_t, json::string_view last, error_code&) {
        return leaf(JsonValue::Kind::number, last);
    }
    bool on_double(double, json::string_view last, error_code&) {
        return leaf(JsonValue::Kind::number, last);
    }
    bool on_bool(bool value, error_code&) {
        return leaf(JsonValue::Kind::boolean, value ? "true" : "false");
    }
    bool on_null(error_code&) { return leaf(JsonValue::Kind::null, "null"); }
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }
};

core::Error complaint(std::string text) {
    return core::Error{core::ErrorClass::permanent, std::move(text)};
}

// What a complaint shows of a document, from the wrong byte on.
constexpr std::size_t bytes_shown_max = 24;

// "byte 17, where "task" stands"; bytes are counted from 0.
std::string place_of(std::string_view text, std::size_t at) {
    return "byte " + std::to_string(at) + ", where " + quoted(text.substr(at, bytes_shown_max)) +
           " stands";
}

std::string describe_failure(const TreeBuilder& builder,
                             const error_code& error,
                             std::size_t depth,
                             std::string_view text,
                             std::size_t at) {
    if (builder.duplicate) {
        return "the key " + quoted(*builder.duplicate) + " stands twice in one object";
    }
    if (error == json::error::too_deep) {
        return "arrays and objects lie within each other more than " + std::to_string(depth) +
               " deep";
    }
    if (text.empty()) {
        return "it is not valid JSON: it is empty";
    }
    if (error == json::error::incomplete || at >= text.size()) {
        return "it is not valid JSON: it ends too early, after " + std::to_string(text.size()) +
               " bytes";
    }
    return "it is not valid JSON: " + error.message() + " at " + place_of(text, at);
}

template <class Int>
std::optional<Int> integer(const JsonValue& value) {
    if (value.kind != JsonValue::Kind::number) {
        return std::nullopt;
    }
    Int number{};
    const char* const end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, number);
    if (error != std::errc{} || stop != end) {
        return std::nullopt;
    }
    return number;
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
    if (kind != Kind::object) {
        return nullptr;
    }
    for (const JsonValue& item : items) {
        if (item.key == name) {
            return &item;
        }
    }
    return nullptr;
}

std::optional<std::int64_t> JsonValue::as_int64() const {
    return integer<std::int64_t>(*this);
}

std::optional<std::uint64_t> JsonValue::as_uint64() const {
    return integer<std::uint64_t>(*this);
}

std::string JsonValue::shown() const {
    constexpr std::size_t number_digits_max = 40;
    switch (kind) {
        case Kind::string:
            return quoted(text);
        case Kind::array:
            return "an array";
        case Kind::object:
            return "an object";
        case Kind::number:
            return text.size() <= number_digits_max ? text
                                                    : text.substr(0, number_digits_max) + "...";
        case Kind::null:
        case Kind::boolean:
            break;
    }
    return text;
}

core::Result<JsonValue> parse_json(std::string_view text, JsonLimits limits) {
    if (text.size() > limits.bytes) {
        return complaint("it has " + std::to_string(text.size()) + " bytes, more than " +
                         std::to_string(limits.bytes));
    }
    json::parse_options options;
    options.max_depth = limits.depth;
    json::basic_parser<TreeBuilder> parser(options);
    error_code error;
    const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
    if (error) {
        return complaint(describe_failure(parser.handler(), error, limits.depth, text, used));
    }
    if (used < text.size()) {
        return complaint("it is not valid JSON: there is more text after byte " +
                         std::to_string(used) + ": " + quoted(text.substr(used, bytes_shown_max)));
    }
    return std::move(parser.handler().root);
}

}  // namespace liftwarden::wire
