// Helpers for text that somebody else wrote: is it sound, and how is it shown to a person.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace liftwarden::wire {

// Bytes of the well-formed UTF-8 sequence at the front of `text` (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF), or 0.
[[nodiscard]] std::size_t utf8_front(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

// True for C0, DEL and C1 (as UTF-8). Such characters would forge log lines and break terminals.
[[nodiscard]] bool has_control(std::string_view text);

// `text` in double quotes for a sentence: control characters and broken UTF-8 as \xNN, at most
// about 64 bytes of it, then "...".
[[nodiscard]] std::string quoted(std::string_view text);

// `text` with a capital letter in front and a full stop, or its own question mark, at the end.
[[nodiscard]] std::string sentence(std::string text);

// How many letters have to be added, left out or replaced to make one word of the other; case and
// '_', '-' and blanks do not count. Words of over 64 bytes are as far apart as they are long.
[[nodiscard]] std::size_t misspelling(std::string_view a, std::string_view b);

[[nodiscard]] std::string to_hex(std::string_view bytes);

// nullopt unless `hex` is an even number of hexadecimal digits.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view hex);

}  // namespace liftwarden::wire
