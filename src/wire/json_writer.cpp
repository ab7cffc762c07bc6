#include "src/wire/json_writer.hpp"

#include "src/wire/text.hpp"

#include <charconv>
#include <utility>

namespace liftwarden::wire {
namespace {

bool is_plain(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\';
}

void append_special(std::string& out, char c) {
    constexpr char digits[] = "0123456789abcdef";
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += "\\u00";
    out += digits[byte >> 4U];
    out += digits[byte & 0xfU];
}

void append_text(std::string& out, std::string_view value) {
    while (!value.empty()) {
        std::size_t plain = 0;
        while (plain < value.size() && is_plain(value[plain])) {
            ++plain;
        }
        out += value.substr(0, plain);
        value.remove_prefix(plain);
        if (value.empty()) {
            return;
        }
        const std::size_t length = utf8_front(value);
        if (length == 0) {
            out += "\xef\xbf\xbd";  // U+FFFD
        } else if (length == 1) {
            append_special(out, value.front());
        } else {
            out += value.substr(0, length);
        }
        value.remove_prefix(length == 0 ? 1 : length);
    }
}

template <class Int>
void append_number(std::string& out, Int value) {
    char digits[24];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
    out.append(digits, end);
}

}  // namespace

void JsonWriter::separate() {
    if (comma_) {
        out_ += ',';
    }
    comma_ = true;
}

JsonWriter& JsonWriter::begin_object() {
    separate();
    out_ += '{';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end_object() {
    out_ += '}';
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::begin_array() {
    separate();
    out_ += '[';
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::end_array() {
    out_ += ']';
    comma_ = true;
    return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
    separate();
    out_ += '"';
    append_text(out_, name);
    out_ += "\":";
    comma_ = false;
    return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
    separate();
    out_ += '"';
    append_text(out_, value);
    out_ += '"';
    return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
    separate();
    out_ += value ? "true" : "false";
    return *this;
}

JsonWriter& JsonWriter::null() {
    separate();
    out_ += "null";
    return *this;
}

JsonWriter& JsonWriter::signed_number(std::int64_t value) {
    separate();
    append_number(out_, value);
    return *this;
}

JsonWriter& JsonWriter::unsigned_number(std::uint64_t value) {
    separate();
    append_number(out_, value);
    return *this;
}

std::string JsonWriter::take() {
    comma_ = false;
    return std::exchange(out_, {});
}

}  // namespace liftwarden::wire
