#include "src/adapters/config/syntax_scan.hpp"

#include "src/adapters/config/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

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
