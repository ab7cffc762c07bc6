// The part of the scan between brackets.
#include "src/adapters/config/report.hpp"
#include "src/adapters/config/syntax_scan.hpp"

#include <fmt/format.h>

namespace liftwarden::config {
namespace {

char closer_of(char opened) {
    return opened == '[' ? ']' : '}';
}

}  // namespace

void SyntaxScan::not_closed(const Bracket& bracket, const std::string& before) {
    slip_at(bracket.line,
            bracket.column,
            fmt::format("the {} that opens here is not closed{}: {}",
                        quoted(std::string(1, bracket.opened)),
                        before,
                        quoted(bracket.of.substr(bracket.indentation))));
}

// A line with a key, no deeper than the one where the bracket opened and not after a comma: whoever
// wrote it took the bracket for closed.
bool SyntaxScan::begins_anew(std::size_t indentation) {
    const Bracket& outermost = open_.front();
    if (indentation > outermost.indentation || open_.back().part.empty() ||
        !colon_after(indentation)) {
        return false;
    }
    not_closed(open_.back(), "");
    open_.clear();
    may_nest_ = false;
    return true;
}

void SyntaxScan::flow(std::size_t at) {
    if (!open_.empty() && open_.back().part.text) {
        open_.back().part.begin = at;
        open_.back().part.continued = true;
    }
    while (!ends_at(at)) {
        const char c = text_[at];
        if (blank_at(at)) {
            ++at;
            continue;
        }
        if (c == '[' || c == '{') {
            open_bracket(at);
        } else if (c == ']' || c == '}') {
            close_bracket(at);
            if (open_.empty()) {
                nothing_after(at + 1, "the closing bracket");
                return;
            }
        } else if (c == ',') {
            open_.back().part = {};
        } else if (c == ':' && ends_key(at)) {
            flow_colon(at);
        } else if ((c == '"' || c == '\'') && !open_.back().part.text) {
            flow_text(at);
            const auto past = past_quote(at);
            if (!past) {
                open_.clear();
                return;
            }
            open_.back().part.text = false;
            open_.back().part.over = true;
            at = *past;
            continue;
        } else {
            flow_text(at);
        }
        ++at;
    }
}

// True for a colon that ends a key; one that only lacks its blank is taken for one too.
bool SyntaxScan::ends_key(std::size_t at) {
    const Part& part = open_.back().part;
    const char next = at + 1 < text_.size() ? text_[at + 1] : ' ';
    if ((next == '[' || next == '{') && part.text) {
        const std::string_view key = text_.substr(part.begin, at - part.begin);
        slip(part.begin,
             fmt::format("{} has no blank after its colon; did you mean {}?",
                         shown(part.begin),
                         quoted(fmt::format("{}: {}", key, text_.substr(at + 1)))));
        return true;
    }
    return part.over || std::string_view(" \t,[]{}").find(next) != std::string_view::npos;
}

void SyntaxScan::open_bracket(std::size_t at) {
    if (!open_.empty()) {
        const Part& part = open_.back().part;
        if (part.text) {
            slip(at,
                 fmt::format("{} has a bracket within a text; put the text in quotes, or a colon "
                             "and a blank before the bracket",
                             shown(part.begin)));
        } else if (part.over) {
            slip(at, fmt::format("a comma is missing before {}", shown(at)));
        }
        open_.back().part.text = false;
    }
    const std::size_t indentation = std::min(text_.find_first_not_of(' '), at);
    open_.push_back({text_[at], number_, at, text_, indentation, {}});
}

void SyntaxScan::close_bracket(std::size_t at) {
    const Bracket bracket = open_.back();
    if (text_[at] != closer_of(bracket.opened)) {
        not_closed(
            bracket,
            fmt::format(
                " before the {} at {}:{}", quoted(text_.substr(at, 1)), number_ + 1, at + 1));
    }
    open_.pop_back();
    // Of two that were left out one is told; the other closes what it fits.
    if (text_[at] != closer_of(bracket.opened) && !open_.empty() &&
        text_[at] == closer_of(open_.back().opened)) {
        open_.pop_back();
    }
    if (!open_.empty()) {
        open_.back().part.text = false;
        open_.back().part.over = true;
    }
}

void SyntaxScan::flow_colon(std::size_t at) {
    Bracket& bracket = open_.back();
    Part& part = bracket.part;
    if (part.colon) {
        const std::size_t begin = part.text ? part.begin : at;
        const std::string_view before = text_.substr(begin, at - begin);
        const std::size_t last_blank = before.find_last_of(' ');
        if (last_blank != before.npos || part.continued) {
            const std::size_t key = last_blank == before.npos ? begin : begin + last_blank + 1;
            slip(key, fmt::format("a comma is missing before {}", shown(key)));
        } else {
            slip(begin,
                 fmt::format("{} has a second colon with a blank after it; an address is written "
                             "without that blank, as in \"holding:100\"",
                             shown(begin)));
        }
    }
    part = {};
    part.colon = true;
}

void SyntaxScan::flow_text(std::size_t at) {
    Part& part = open_.back().part;
    if (part.over) {
        slip(at, fmt::format("a comma is missing before {}", shown(at)));
        part = {};
    }
    if (!part.text) {
        part.text = true;
        part.begin = at;
    }
}

}  // namespace liftwarden::config
