#include "src/wire/text.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace liftwarden::wire {
namespace {

constexpr std::size_t quoted_bytes_max = 64;
constexpr char digits[] = "0123456789abcdef";

unsigned byte_at(std::string_view text, std::size_t index) {
    return static_cast<unsigned char>(text[index]);
}

// The second byte decides about overlong forms, surrogates and the upper end.
bool second_byte_fits(unsigned first, unsigned second) {
    switch (first) {
        case 0xe0:
            return second >= 0xa0 && second <= 0xbf;
        case 0xed:
            return second >= 0x80 && second <= 0x9f;
        case 0xf0:
            return second >= 0x90 && second <= 0xbf;
        case 0xf4:
            return second >= 0x80 && second <= 0x8f;
        default:
            return second >= 0x80 && second <= 0xbf;
    }
}

bool is_control_at(std::string_view sequence) {
    const unsigned first = byte_at(sequence, 0);
    return first < 0x20 || first == 0x7f ||
           (first == 0xc2 && sequence.size() == 2 && byte_at(sequence, 1) < 0xa0);
}

void append_escaped(std::string& out, std::string_view bytes) {
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += "\\x";
        out += digits[byte >> 4U];
        out += digits[byte & 0xfU];
    }
}

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

// Lower case, without what only separates.
std::string letters_of(std::string_view word) {
    std::string out;
    for (const char c : word) {
        if (c != '_' && c != '-' && c != ' ') {
            out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return out;
}

}  // namespace

std::size_t utf8_front(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    const unsigned first = byte_at(text, 0);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                               : first >= 0xe0 && first <= 0xef ? 3
                               : first >= 0xf0 && first <= 0xf4 ? 4
                                                                : 0;
    if (length == 0 || text.size() < length || !second_byte_fits(first, byte_at(text, 1))) {
        return 0;
    }
    for (std::size_t i = 2; i < length; ++i) {
        if ((byte_at(text, i) & 0xc0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_front(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

bool has_control(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_front(text);
        if (length != 0 && is_control_at(text.substr(0, length))) {
            return true;
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return false;
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        if (out.size() > quoted_bytes_max) {
            return out + "...\"";
        }
        const std::size_t length = utf8_front(text);
        const std::string_view sequence = text.substr(0, length == 0 ? 1 : length);
        if (length == 0 || is_control_at(sequence)) {
            append_escaped(out, sequence);
        } else {
            out += sequence;
        }
        text.remove_prefix(sequence.size());
    }
    return out + "\"";
}

std::string sentence(std::string text) {
    if (text.empty()) {
        return text;
    }
    if (text.front() >= 'a' && text.front() <= 'z') {
        text.front() = static_cast<char>(text.front() - 'a' + 'A');
    }
    if (text.back() != '.' && text.back() != '?') {
        text += '.';
    }
    return text;
}

std::size_t misspelling(std::string_view a, std::string_view b) {
    constexpr std::size_t bytes_max = 64;
    if (a.size() > bytes_max || b.size() > bytes_max) {
        return std::max(a.size(), b.size());
    }
    const std::string from = letters_of(a);
    const std::string to = letters_of(b);
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), 0U);
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i] == to[j] ? 0U : 1U);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
        }
    }
    return row.back();
}

std::string to_hex(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        out += digits[byte >> 4U];
        out += digits[byte & 0xfU];
    }
    return out;
}

std::optional<std::string> from_hex(std::string_view hex) {
    if (hex.size() % 2 != 0) {
        return std::nullopt;
    }
    std::string out;
    out.reserve(hex.size() / 2);
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        const int high = hex_digit(hex[i]);
        const int low = hex_digit(hex[i + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        out += static_cast<char>(static_cast<unsigned char>(high * 16 + low));
    }
    return out;
}

}  // namespace liftwarden::wire
