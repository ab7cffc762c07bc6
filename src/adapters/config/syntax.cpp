#include "src/adapters/config/syntax.hpp"

#include "src/adapters/config/report.hpp"
#include "src/adapters/config/syntax_scan.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace liftwarden::config {
namespace {

std::string_view next_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    return line;
}

std::string_view trimmed(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t end = line.find_last_not_of(" \t\r");
    return begin == line.npos ? std::string_view{} : line.substr(begin, end - begin + 1);
}

// The parser's words in everybody's.
std::string in_plain_words(const std::string& message) {
    constexpr std::pair<std::string_view, const char*> phrases[] = {
        {"end of map", "this does not continue the mapping that is open"},
        {"end of sequence", "this does not continue the list that is open"},
        {"illegal map value", "a colon stands where none can"},
        {"illegal map key", "a question mark stands where none can"},
        {"illegal block entry", "an item of a list stands where none can"},
        {"illegal flow end", "a closing bracket stands where none is open"},
        {"unknown token", "a character stands where no value can begin with it"},
    };
    for (const auto& [phrase, words] : phrases) {
        if (message.find(phrase) != message.npos) {
            return words;
        }
    }
    return message;
}

// For what the scan does not know.
std::string at_mark(std::string_view line, const std::string& message) {
    if (message.find("anchor") != message.npos) {
        return "aliases (*name) are not supported; write the value out";
    }
    const std::string_view text = trimmed(line);
    const std::string words = in_plain_words(message);
    return text.empty() ? words : fmt::format("{}: {}", words, quoted(text));
}

}  // namespace

SyntaxFault explain_syntax(std::string_view text,
                           std::size_t line,
                           std::size_t column,
                           const std::string& message) {
    SyntaxScan scan;
    std::optional<SyntaxFault> culprit;
    // What is wrong further down the parser has not seen.
    const auto remember = [&] {
        if (scan.fault() && scan.fault()->line <= line) {
            culprit = scan.fault();
        }
    };
    std::string_view at_line;
    std::string_view rest = text;
    // The bracket that is not closed shows in the line after it, at the earliest.
    bool beyond = false;
    for (std::size_t number = 0; !rest.empty() && !beyond; ++number) {
        const std::string_view now = next_line(rest);
        if (number == line) {
            at_line = now;
        }
        scan.line(now);
        remember();
        beyond = number > line && !trimmed(now).empty();
    }
    if (!beyond) {
        scan.end();
        remember();
    }
    if (culprit) {
        return *culprit;
    }
    return {line, column, at_mark(at_line, message)};
}

}  // namespace liftwarden::config
