// The part of the scan outside of brackets.
#include "src/adapters/config/report.hpp"
#include "src/adapters/config/syntax_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace liftwarden::config {
namespace {

// Of the word, or of the quoted text, that a line begins with.
std::size_t key_length(std::string_view text) {
    if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
        const std::size_t close = text.find(text.front(), 1);
        return close == text.npos ? text.size() : close + 1;
    }
    const auto word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    const auto end = std::find_if_not(text.begin(), text.end(), word);
    return static_cast<std::size_t>(end - text.begin());
}

// "unit 1", "unit=1" and "unit:1" as they were meant; empty if that cannot be told.
std::string as_pair(std::string_view text) {
    const std::string_view key = text.substr(0, key_length(text));
    std::string_view rest = text.substr(key.size());
    const std::size_t begin = rest.find_first_not_of(" =:;\t");
    if (key.empty() || rest.empty() || begin == 0 || begin == rest.npos) {
        return {};
    }
    return fmt::format("{}: {}", key, rest.substr(begin));
}

std::string meant(const std::string& pair) {
    return pair.empty() ? std::string{} : fmt::format("; did you mean {}?", quoted(pair));
}

// "holding:100" of "holding: 100", else empty.
std::string as_address(std::string_view text) {
    constexpr std::array<std::string_view, 4> tables{"holding", "input", "coil", "discrete"};
    const std::size_t colon = text.find(':');
    const std::string_view table = text.substr(0, colon);
    const std::size_t number = text.find_first_not_of(' ', colon + 1);
    if (std::find(tables.begin(), tables.end(), table) == tables.end() || number == text.npos) {
        return {};
    }
    const std::size_t end = text.find_first_not_of("0123456789", number);
    return fmt::format("{}:{}", table, text.substr(number, end == text.npos ? end : end - number));
}

std::string_view trimmed_end(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t");
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

}  // namespace

void SyntaxScan::block(std::size_t indentation) {
    if (text_[indentation] == '\t') {
        const std::size_t content = text_.find_first_not_of(" \t");
        slip(indentation, fmt::format("a tab indents {}; YAML wants blanks", shown(content)));
        return;
    }
    const std::string_view start = text_.substr(0, 3);
    if (start == "---" || start == "..." || start.substr(0, 1) == "%") {
        levels_.clear();
        may_nest_ = false;
        return;
    }
    indent(indentation);
    content(indentation);
}

void SyntaxScan::indent(std::size_t indentation) {
    if (levels_.empty() || (indentation > levels_.back() && may_nest_)) {
        levels_.push_back(indentation);
        return;
    }
    if (indentation > levels_.back()) {
        slip(indentation,
             fmt::format("{} is indented deeper than the line above it, which has its value "
                         "already",
                         shown(indentation)));
        levels_.push_back(indentation);
        return;
    }
    // The innermost ones say enough.
    constexpr std::ptrdiff_t shown_max = 8;
    const auto first = levels_.end() - std::min<std::ptrdiff_t>(std::ssize(levels_), shown_max);
    const std::vector<std::size_t> above(first, levels_.end());
    while (!levels_.empty() && levels_.back() > indentation) {
        levels_.pop_back();
    }
    if (levels_.empty() || levels_.back() != indentation) {
        slip(indentation,
             fmt::format("{} is indented by {} blanks; the lines above it are at {}",
                         shown(indentation),
                         indentation,
                         fmt::join(above, ", ")));
        levels_.push_back(indentation);
    }
}

void SyntaxScan::content(std::size_t at) {
    may_nest_ = false;
    bool in_list = false;
    while (text_[at] == '-' && (at + 1 == text_.size() || blank_at(at + 1))) {
        in_list = true;
        at = skip_blanks(at + 1);
        if (ends_at(at)) {
            may_nest_ = true;
            return;
        }
        levels_.push_back(at);
    }
    if (text_[at] == '"' || text_[at] == '\'') {
        quoted_key(at, in_list);
        return;
    }
    if (text_[at] == '{' || text_[at] == '[') {
        value(at);
        return;
    }
    if (const auto colon = colon_after(at)) {
        value(skip_blanks(*colon + 1));
    } else if (!in_list) {
        without_key(at);
    }
}

void SyntaxScan::quoted_key(std::size_t at, bool in_list) {
    const auto past = past_quote(at);
    if (!past) {
        return;
    }
    const std::size_t colon = skip_blanks(*past);
    if (colon < text_.size() && text_[colon] == ':' &&
        (colon + 1 == text_.size() || blank_at(colon + 1))) {
        value(skip_blanks(colon + 1));
    } else if (!in_list) {
        without_key(at);
    }
}

void SyntaxScan::without_key(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    const std::size_t comment = rest.find(" #");
    const std::string_view said = trimmed_end(rest.substr(0, comment));
    const std::size_t colon = said.find(':', key_length(said));
    if (colon != said.npos && said.find(' ', key_length(said)) > colon) {
        slip(at,
             fmt::format("{} has no blank after its colon{}", quoted(said), meant(as_pair(said))));
    } else {
        slip(at,
             fmt::format(
                 "{} has no colon, as in \"key: value\"{}", quoted(said), meant(as_pair(said))));
    }
    may_nest_ = true;  // what follows may have been meant to stand below it
}

void SyntaxScan::value(std::size_t at) {
    if (ends_at(at)) {
        may_nest_ = true;
        return;
    }
    switch (text_[at]) {
        case '"':
        case '\'':
            if (const auto past = past_quote(at)) {
                nothing_after(*past, "the closing quote");
            }
            return;
        case '{':
        case '[':
            flow(at);
            return;
        case '|':
        case '>':
            literal_above_ = levels_.empty() ? 0 : levels_.back();
            return;
        case '@':
        case '`':
        case '%':
        case ',':
        case '}':
        case ']':
            slip(at,
                 fmt::format("{} begins with a character that no value can begin with; put it in "
                             "quotes",
                             shown(at)));
            return;
        default:
            plain_value(at);
    }
}

void SyntaxScan::plain_value(std::size_t at) {
    const auto colon = colon_after(at);
    if (!colon) {
        return;
    }
    const std::string address = as_address(text_.substr(at));
    slip(at,
         address.empty()
             ? fmt::format("{} has a second colon with a blank after it; put the value in quotes, "
                           "or begin a new line",
                           shown(at))
             : fmt::format(
                   "{} has a blank in its address; did you mean {}?", shown(at), quoted(address)));
}

}  // namespace liftwarden::config
