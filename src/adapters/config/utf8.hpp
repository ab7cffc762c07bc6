// Bytes, lines and characters of a configuration file.
#pragma once

#include "src/adapters/config/report.hpp"

#include <yaml-cpp/mark.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::config {

struct BadByte {
    std::size_t offset = 0;
    unsigned char value = 0;
};

// The first byte that does not belong into UTF-8 text: a malformed sequence (RFC 3629), or a
// control character other than tab, line feed and carriage return.
[[nodiscard]] std::optional<BadByte> first_bad_byte(std::string_view text);

// What a word processor or a web page puts where a plain character is meant: "a typographic quote"
// or "an invisible character", with its number.
[[nodiscard]] std::optional<std::string> look_alike_in(std::string_view text);

// The UTF-8 text with its invisible characters as <U+00A0>.
[[nodiscard]] std::string with_invisible_shown(std::string_view text);

// Turns yaml-cpp's marks (0-based, columns in bytes) into places (1-based, columns in characters).
// Refers to the text it was made from.
class LineIndex {
  public:
    LineIndex(std::uint32_t file, std::string_view text);
    [[nodiscard]] Place place(const YAML::Mark& mark) const;
    // The same for a 0-based line and a 0-based column in bytes.
    [[nodiscard]] Place place(std::size_t line, std::size_t column) const {
        return place_in_line(line, column);
    }
    // The text as the marks count it: without a byte order mark.
    [[nodiscard]] std::string_view body() const { return text_; }
    // Of a byte of the whole text, a byte order mark counted.
    [[nodiscard]] Place place_of_byte(std::size_t offset) const;
    // False if a quote opens at the mark and does not close before the end of its line. yaml-cpp
    // takes a missing closing quote for the end of the file, with all that stands between.
    [[nodiscard]] bool quote_closes(const YAML::Mark& mark) const;

  private:
    // Counting from a start of line would make a file of one long line take the square of its time.
    static constexpr std::size_t block = 256;
    [[nodiscard]] Place place_in_line(std::size_t line, std::size_t bytes) const;
    [[nodiscard]] std::size_t characters_before(std::size_t offset) const;

    std::uint32_t file_;
    std::string_view text_;            // without a byte order mark
    std::size_t mark_ = 0;             // bytes of that mark
    std::vector<std::size_t> starts_;  // byte offset of each line; never empty
    std::vector<std::size_t> counts_;  // characters before each block of bytes
};

}  // namespace liftwarden::config
