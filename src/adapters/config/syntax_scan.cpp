#include "src/adapters/config/syntax_scan.hpp"

#include "src/adapters/config/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace liftwarden::config {
namespace {

// "unit 1", "unit=1" and "unit:1" as they were meant; empty if that cannot be told.
std::string as_pair(std::string_view text) {
    const auto word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    };
    const auto end = std::find_if_not(text.begin(), text.end(), word);
    const auto key = text.substr(0, static_cast<std::size_t>(end - text.begin()));
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

std::string_view without_end(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r");
    return text.substr(0, last == text.npos ? 0 : last + 1);
}

}  // namespace

void SyntaxScan::line(std::string_view text) {
    text_ = without_end(text);
    const std::size_t indentation = std::min(text_.find_first_not_of(' '), text_.size());
    const bool literal = literal_above_ && (text_.empty() || indentation > *literal_above_);
    if (!literal && indentation < text_.size() && text_[indentation] != '#') {
        literal_above_.reset();
        if (!open_.empty() && !begins_anew(indentation)) {
            flow(indentation);
        } else {
            block(indentation);
        }
    }
    ++number_;
}

void SyntaxScan::end() {
    if (!open_.empty()) {
        not_closed(open_.back(), "");
        open_.clear();
    }
}

void SyntaxScan::slip(std::size_t column, std::string text) {
    slip_at(number_, column, std::move(text));
}

void SyntaxScan::slip_at(std::size_t line, std::size_t column, std::string text) {
    fault_ = SyntaxFault{line, column, std::move(text)};
}

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
    content(indentation, false);
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
    const std::vector<std::size_t> above = levels_;
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

void SyntaxScan::content(std::size_t at, bool in_list) {
    may_nest_ = false;
    if (text_[at] == '-' && (at + 1 == text_.size() || blank_at(at + 1))) {
        const std::size_t item = skip_blanks(at + 1);
        may_nest_ = ends_at(item);
        if (!may_nest_) {
            levels_.push_back(item);
            content(item, true);
        }
        return;
    }
    std::size_t key_end = at;
    if (text_[at] == '"' || text_[at] == '\'') {
        const auto past = past_quote(at);
        if (!past) {
            return;
        }
        key_end = *past;
    } else if (text_[at] == '{' || text_[at] == '[') {
        value(at);
        return;
    }
    if (const auto colon = colon_after(key_end)) {
        value(skip_blanks(*colon + 1));
    } else if (!in_list) {
        without_key(at);
    }
}

void SyntaxScan::without_key(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    const std::size_t comment = rest.find(" #");
    const std::string_view said = without_end(rest.substr(0, comment));
    const std::size_t colon = said.find(':');
    if (colon != said.npos && said.find(' ') > colon) {
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

std::optional<std::size_t> SyntaxScan::past_quote(std::size_t at) {
    const char quote = text_[at];
    for (std::size_t i = at + 1; i < text_.size(); ++i) {
        if (quote == '"' && text_[i] == '\\') {
            ++i;
        } else if (text_[i] == quote) {
            if (quote == '"' || text_.substr(i + 1, 1) != "'") {
                return i + 1;
            }
            ++i;
        }
    }
    slip(at, "the quote that opens here is not closed on its line");
    return std::nullopt;
}

void SyntaxScan::nothing_after(std::size_t at, const char* what) {
    const std::size_t next = skip_blanks(at);
    if (!ends_at(next) && text_[next] != ':') {
        slip(next, fmt::format("{} follows {}; nothing may", shown(next), what));
    }
}

bool SyntaxScan::blank_at(std::size_t at) const {
    return at < text_.size() && (text_[at] == ' ' || text_[at] == '\t');
}

std::size_t SyntaxScan::skip_blanks(std::size_t at) const {
    while (blank_at(at)) {
        ++at;
    }
    return at;
}

bool SyntaxScan::ends_at(std::size_t at) const {
    return at >= text_.size() || (text_[at] == '#' && (at == 0 || blank_at(at - 1)));
}

// The colon that ends a plain key, or the key that ended before `at`.
std::optional<std::size_t> SyntaxScan::colon_after(std::size_t at) const {
    for (; at < text_.size() && !ends_at(at); ++at) {
        if (text_[at] == ':' && (at + 1 == text_.size() || blank_at(at + 1))) {
            return at;
        }
    }
    return std::nullopt;
}

std::string SyntaxScan::shown(std::size_t at) const {
    const std::string_view rest = text_.substr(std::min(at, text_.size()));
    return quoted(without_end(rest.substr(0, rest.find(" #"))));
}

}  // namespace liftwarden::config
