// Writes JSON text front to back into one string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace liftwarden::wire {

// Appends a compact document in the order of the calls; the caller keeps begin and end in balance
// and gives a key before each member of an object. Text that is not UTF-8 comes out with U+FFFD for
// each bad byte, so the document is always valid. One thread; no other state than the text so far.
class JsonWriter {
  public:
    explicit JsonWriter(std::size_t bytes_expected = 512) { out_.reserve(bytes_expected); }

    JsonWriter& begin_object();
    JsonWriter& end_object();
    JsonWriter& begin_array();
    JsonWriter& end_array();
    JsonWriter& key(std::string_view name);

    JsonWriter& text(std::string_view value);
    JsonWriter& boolean(bool value);
    JsonWriter& null();
    template <class Int>
    JsonWriter& number(Int value) {
        static_assert(std::is_integral_v<Int> && !std::is_same_v<Int, bool>);
        if constexpr (std::is_signed_v<Int>) {
            return signed_number(value);
        } else {
            return unsigned_number(value);
        }
    }

    // Members in one call.
    JsonWriter& member(std::string_view name, std::string_view value) {
        return key(name).text(value);
    }
    JsonWriter& flag(std::string_view name, bool value) { return key(name).boolean(value); }
    template <class Int>
    JsonWriter& count(std::string_view name, Int value) {
        return key(name).number(value);
    }
    JsonWriter& member_or_null(std::string_view name, const std::optional<std::string>& value) {
        return value ? member(name, *value) : key(name).null();
    }

    // The document; the writer is empty afterwards.
    [[nodiscard]] std::string take();

  private:
    JsonWriter& signed_number(std::int64_t value);
    JsonWriter& unsigned_number(std::uint64_t value);
    void separate();

    std::string out_;
    bool comma_ = false;  // something stands before the next value or key
};

}  // namespace liftwarden::wire
