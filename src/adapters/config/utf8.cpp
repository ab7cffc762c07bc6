#include "src/adapters/config/utf8.hpp"

#include <algorithm>

namespace liftwarden::config {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

unsigned char byte_at(std::string_view text, std::size_t offset) {
    return static_cast<unsigned char>(text[offset]);
}

bool is_continuation(unsigned char byte) {
    return (byte & 0xc0U) == 0x80U;
}

bool is_allowed_ascii(unsigned char byte) {
    return (byte >= 0x20 && byte != 0x7f) || byte == '\t' || byte == '\n' || byte == '\r';
}

// Length of the sequence that `lead` begins, and the range of its second byte (RFC 3629 section 4);
// length 0 if it begins none.
struct Lead {
    std::size_t length = 0;
    unsigned char least = 0x80;
    unsigned char most = 0xbf;
};

Lead lead_of(unsigned char byte) {
    if (byte >= 0xc2 && byte <= 0xdf) {
        return {2, 0x80, 0xbf};
    }
    if (byte >= 0xe0 && byte <= 0xef) {
        const unsigned char least = byte == 0xe0 ? 0xa0 : 0x80;
        const unsigned char most = byte == 0xed ? 0x9f : 0xbf;
        return {3, least, most};
    }
    if (byte >= 0xf0 && byte <= 0xf4) {
        const unsigned char least = byte == 0xf0 ? 0x90 : 0x80;
        const unsigned char most = byte == 0xf4 ? 0x8f : 0xbf;
        return {4, least, most};
    }
    return {};
}

// Bytes of the character at `offset`; 0 if it is malformed.
std::size_t character_length(std::string_view text, std::size_t offset) {
    const Lead lead = lead_of(byte_at(text, offset));
    if (lead.length == 0 || offset + lead.length > text.size()) {
        return 0;
    }
    const unsigned char second = byte_at(text, offset + 1);
    if (second < lead.least || second > lead.most) {
        return 0;
    }
    for (std::size_t i = 2; i < lead.length; ++i) {
        if (!is_continuation(byte_at(text, offset + i))) {
            return 0;
        }
    }
    return lead.length;
}

}  // namespace

std::optional<BadByte> first_bad_byte(std::string_view text) {
    std::size_t offset = 0;
    while (offset < text.size()) {
        const unsigned char byte = byte_at(text, offset);
        std::size_t length = 0;
        if (byte < 0x80) {
            length = is_allowed_ascii(byte) ? 1 : 0;
        } else {
            length = character_length(text, offset);
        }
        if (length == 0) {
            return BadByte{offset, byte};
        }
        offset += length;
    }
    return std::nullopt;
}

LineIndex::LineIndex(std::uint32_t file, std::string_view text) : file_(file), text_(text) {
    // yaml-cpp swallows the mark without counting it.
    if (text_.substr(0, byte_order_mark.size()) == byte_order_mark) {
        mark_ = byte_order_mark.size();
        text_.remove_prefix(mark_);
    }
    starts_.push_back(0);
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text_.size(); ++i) {
        if (i % block == 0) {
            counts_.push_back(characters);
        }
        if (!is_continuation(byte_at(text_, i))) {
            ++characters;
        }
        if (text_[i] == '\n') {
            starts_.push_back(i + 1);
        }
    }
    counts_.push_back(characters);
}

Place LineIndex::place(const YAML::Mark& mark) const {
    if (mark.is_null()) {
        return {file_, 1, 1};
    }
    return place_in_line(static_cast<std::size_t>(std::max(mark.line, 0)),
                         static_cast<std::size_t>(std::max(mark.column, 0)));
}

Place LineIndex::place_of_byte(std::size_t offset) const {
    const std::size_t at = offset - std::min(offset, mark_);
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), at);
    const auto line = static_cast<std::size_t>(after - starts_.begin() - 1);
    return place_in_line(line, at - starts_[line]);
}

bool LineIndex::quote_closes(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(std::max(mark.line, 0));
    const auto column = static_cast<std::size_t>(std::max(mark.column, 0));
    if (line >= starts_.size() || starts_[line] + column >= text_.size()) {
        return true;
    }
    std::size_t at = starts_[line] + column;
    const char quote = text_[at];
    if (quote != '"' && quote != '\'') {
        return true;
    }
    for (++at; at < text_.size() && text_[at] != '\n'; ++at) {
        if (quote == '"' && text_[at] == '\\' && text_.substr(at + 1, 1) != "\n") {
            ++at;
        } else if (text_[at] == quote) {
            return true;  // a doubled single quote opens and closes again: it needs no care here
        }
    }
    return false;
}

std::size_t LineIndex::characters_before(std::size_t offset) const {
    const std::size_t end = std::min(offset, text_.size());
    const std::size_t begin = end - end % block;
    const std::string_view rest = text_.substr(begin, end - begin);
    const auto more = std::count_if(rest.begin(), rest.end(), [](char c) {
        return !is_continuation(static_cast<unsigned char>(c));
    });
    return counts_[begin / block] + static_cast<std::size_t>(more);
}

Place LineIndex::place_in_line(std::size_t line, std::size_t bytes) const {
    const std::size_t start = starts_[std::min(line, starts_.size() - 1)];
    const std::size_t characters = characters_before(start + bytes) - characters_before(start);
    return {file_,
            static_cast<int>(std::min(line, starts_.size() - 1)) + 1,
            static_cast<int>(characters) + 1};
}

}  // namespace liftwarden::config
