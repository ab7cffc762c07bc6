// Characters that look like others, or like nothing.
#include "src/adapters/config/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace liftwarden::config {
namespace {

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
};

// Of well-formed UTF-8; anything else counts as one byte.
Character first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const std::uint32_t lead = byte(0);
    const std::uint32_t second = byte(1) & 0x3fU;
    const std::uint32_t third = byte(2) & 0x3fU;
    if (lead >= 0xc0 && lead < 0xe0) {
        return {(lead & 0x1fU) << 6U | second, 2};
    }
    if (lead >= 0xe0 && lead < 0xf0) {
        return {(lead & 0xfU) << 12U | second << 6U | third, 3};
    }
    return {lead, lead >= 0xf0 ? std::size_t{4} : std::size_t{1}};
}

// Unicode's general punctuation and its neighbours in Latin-1.
bool is_quote(std::uint32_t code) {
    return (code >= 0x2018 && code <= 0x201f) || code == 0xab || code == 0xbb || code == 0x2039 ||
           code == 0x203a || code == 0x2032 || code == 0x2033;
}

bool is_invisible(std::uint32_t code) {
    return code == 0xa0 || code == 0xad || (code >= 0x2000 && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202f) || code == 0x205f || code == 0x2060 ||
           code == 0x3000 || code == 0xfeff;
}

}  // namespace

std::optional<std::string> look_alike_in(std::string_view text) {
    while (!text.empty()) {
        const Character character = first_of(text);
        if (is_quote(character.code)) {
            return fmt::format("a typographic quote (U+{:04X})", character.code);
        }
        if (is_invisible(character.code)) {
            return fmt::format("an invisible character (U+{:04X})", character.code);
        }
        text.remove_prefix(std::min(character.bytes, text.size()));
    }
    return std::nullopt;
}

std::string with_invisible_shown(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const Character character = first_of(text);
        const std::size_t bytes = std::min(character.bytes, text.size());
        if (is_invisible(character.code)) {
            result += fmt::format("<U+{:04X}>", character.code);
        } else {
            result += text.substr(0, bytes);
        }
        text.remove_prefix(bytes);
    }
    return result;
}

}  // namespace liftwarden::config
