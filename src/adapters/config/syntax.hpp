// What is wrong with a file that is no YAML, in words for people who do not know the parser's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace liftwarden::config {

// Lines and columns are 0-based and count bytes, as the parser's marks do.
struct SyntaxFault {
    std::size_t line = 0;
    std::size_t column = 0;
    std::string text;  // with the offending text
};

// The likely culprit for a file that the parser gave up on at `line` with `message`. The parser
// notices a slip only where it makes the rest impossible, often a line later; this looks at the
// lines up to there for what people get wrong: a missing colon or blank, a second colon, an
// indentation that matches nothing, brackets and quotes that do not close. Never fails: without a
// culprit it is the parser's own place, with the text that stands there. Linear in the text.
[[nodiscard]] SyntaxFault explain_syntax(std::string_view text,
                                         std::size_t line,
                                         std::size_t column,
                                         const std::string& message);

}  // namespace liftwarden::config
