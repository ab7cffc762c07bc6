// What is wrong with a configuration, and where.
#pragma once

#include <string>
#include <vector>

namespace liftwarden::config {

enum class Severity { error, warning };
[[nodiscard]] const char* to_string(Severity severity);

// One finding. `line` and `column` are 1-based and count characters, so that an editor jumps to the
// place; both are 0 when the finding concerns the file as a whole. A plain value.
struct Problem {
    std::string file;
    int line = 0;
    int column = 0;
    Severity severity = Severity::error;
    std::string text;  // one sentence with the offending text in it
    friend bool operator==(const Problem&, const Problem&) = default;
};

// "file:line:column: error: text", the form that editors and compilers share.
[[nodiscard]] std::string to_string(const Problem& problem);

[[nodiscard]] bool has_errors(const std::vector<Problem>& problems);

}  // namespace liftwarden::config
