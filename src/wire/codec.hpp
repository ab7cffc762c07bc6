// Turns values into JSON objects and back, given a fields() function that names each member once.
#pragma once

#include "src/wire/json_value.hpp"
#include "src/wire/json_writer.hpp"
#include "src/wire/text.hpp"
#include "src/wire/words.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace liftwarden::wire {

// Writes members in the order of the calls: `io("name", value)`. An absent optional leaves no
// trace; times are nanoseconds, enumerators words, and text that is not UTF-8 stands as {"hex":
// "..."}.
class Encoder {
  public:
    explicit Encoder(JsonWriter& out) : out_(out) {}

    template <class T>
    void operator()(std::string_view name, const T& value) {
        out_.key(name);
        write(value);
    }
    template <class T>
    void operator()(std::string_view name, const std::optional<T>& value) {
        if (value) {
            (*this)(name, *value);
        }
    }
    void bytes(std::string_view name, const std::string& value) {
        out_.member(name, to_hex(value));
    }

    template <class T>
    void write(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            out_.boolean(value);
        } else if constexpr (std::is_enum_v<T>) {
            out_.text(to_word(value));
        } else if constexpr (std::is_integral_v<T>) {
            out_.number(value);
        } else {
            out_.begin_object();
            fields(*this, value);
            out_.end_object();
        }
    }
    template <class Tag>
    void write(const core::Name<Tag>& value) {
        write(value.str());
    }
    template <class Tag, class Rep>
    void write(const core::Number<Tag, Rep>& value) {
        out_.number(value.value());
    }
    template <class T>
    void write(const std::vector<T>& values) {
        out_.begin_array();
        for (const T& value : values) {
            write(value);
        }
        out_.end_array();
    }
    void write(const std::string& value) {
        if (is_utf8(value)) {
            out_.text(value);
        } else {
            out_.begin_object().member("hex", to_hex(value)).end_object();
        }
    }
    void write(core::Duration value) { out_.number(value.count()); }
    void write(core::TimePoint value) { write(value.time_since_epoch()); }

  private:
    JsonWriter& out_;
};

// Reads what an Encoder wrote. A member that is missing (unless optional; null counts as absent),
// of the wrong kind or out of range sets `error` to ErrorClass::corrupt with the member's path; the
// first error stays, and values read after it mean nothing. The caller checks once at the end.
class Decoder {
  public:
    Decoder(const JsonValue& object, std::string path, std::optional<core::Error>& error)
        : object_(object), path_(std::move(path)), error_(error) {
        if (object.kind != JsonValue::Kind::object) {
            fail(path_.empty() ? "the document" : path_, "be an object", object);
        }
    }

    template <class T>
    void operator()(std::string_view name, T& value) {
        if (const JsonValue* found = require(name)) {
            read(path_of(name), *found, value);
        }
    }
    template <class T>
    void operator()(std::string_view name, std::optional<T>& value) {
        value.reset();
        const JsonValue* found = object_.find(name);
        if (found != nullptr && found->kind != JsonValue::Kind::null) {
            read(path_of(name), *found, value.emplace());
        }
    }
    void bytes(std::string_view name, std::string& value) {
        const JsonValue* found = require(name);
        if (found == nullptr) {
            return;
        }
        auto bytes = found->kind == JsonValue::Kind::string ? from_hex(found->text) : std::nullopt;
        if (!bytes) {
            fail(path_of(name), "be pairs of hexadecimal digits", *found);
        }
        value = std::move(bytes).value_or("");
    }

  private:
    [[nodiscard]] std::string path_of(std::string_view name) const {
        return path_.empty() ? std::string(name) : (path_ + ".").append(name);
    }

    const JsonValue* require(std::string_view name) {
        const JsonValue* found = object_.find(name);
        if (found == nullptr && !error_) {
            error_ = core::Error{core::ErrorClass::corrupt, path_of(name) + " is missing"};
        }
        return found;
    }

    void fail(const std::string& path, const char* rule, const JsonValue& value) {
        if (!error_) {
            error_ = core::Error{core::ErrorClass::corrupt,
                                 path + " must " + rule + ", not " + value.shown()};
        }
    }

    template <class T>
    void read(const std::string& path, const JsonValue& from, T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            if (from.kind != JsonValue::Kind::boolean) {
                fail(path, "be true or false", from);
            }
            value = from.text == "true";
        } else if constexpr (std::is_enum_v<T>) {
            const auto found =
                from.kind == JsonValue::Kind::string ? from_word<T>(from.text) : std::optional<T>{};
            if (!found) {
                fail(path, "be a word it can have", from);
            }
            value = found.value_or(T{});
        } else if constexpr (std::is_integral_v<T>) {
            read_integer(path, from, value);
        } else {
            Decoder inner(from, path, error_);
            fields(inner, value);
        }
    }
    template <class Tag>
    void read(const std::string& path, const JsonValue& from, core::Name<Tag>& value) {
        std::string text;
        read(path, from, text);
        value = core::Name<Tag>(std::move(text));
    }
    template <class Tag, class Rep>
    void read(const std::string& path, const JsonValue& from, core::Number<Tag, Rep>& value) {
        Rep number{};
        read_integer(path, from, number);
        value = core::Number<Tag, Rep>(number);
    }
    template <class T>
    void read(const std::string& path, const JsonValue& from, std::vector<T>& values) {
        values.clear();
        if (from.kind != JsonValue::Kind::array) {
            fail(path, "be an array", from);
            return;
        }
        values.reserve(from.items.size());
        for (const JsonValue& item : from.items) {
            const std::string place = path + "[" + std::to_string(values.size()) + "]";
            read(place, item, values.emplace_back());
        }
    }
    void read(const std::string& path, const JsonValue& from, std::string& value) {
        if (from.kind == JsonValue::Kind::string) {
            value = from.text;
            return;
        }
        const JsonValue* hex = from.find("hex");
        auto bytes = hex != nullptr && hex->kind == JsonValue::Kind::string ? from_hex(hex->text)
                                                                            : std::nullopt;
        if (!bytes) {
            fail(path, "be a string", from);
        }
        value = std::move(bytes).value_or("");
    }
    void read(const std::string& path, const JsonValue& from, core::Duration& value) {
        std::int64_t count = 0;
        read_integer(path, from, count);
        value = core::Duration{count};
    }
    void read(const std::string& path, const JsonValue& from, core::TimePoint& value) {
        core::Duration since_boot{};
        read(path, from, since_boot);
        value = core::TimePoint{since_boot};
    }

    template <class Int>
    void read_integer(const std::string& path, const JsonValue& from, Int& value) {
        if constexpr (std::is_same_v<Int, std::uint64_t>) {
            const auto number = from.as_uint64();
            if (!number) {
                fail(path, "be an integer in its range", from);
            }
            value = number.value_or(0);
        } else {
            const auto number = from.as_int64();
            if (!number || !std::in_range<Int>(*number)) {
                fail(path, "be an integer in its range", from);
                return;
            }
            value = static_cast<Int>(*number);
        }
    }

    const JsonValue& object_;
    std::string path_;
    std::optional<core::Error>& error_;
};

}  // namespace liftwarden::wire
