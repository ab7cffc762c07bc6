#include "src/adapters/config/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {

const char* to_string(Severity severity) {
    return severity == Severity::error ? "error" : "warning";
}

std::string to_string(const Problem& problem) {
    const char* severity = to_string(problem.severity);
    if (problem.line == 0) {
        return fmt::format("{}: {}: {}", problem.file, severity, problem.text);
    }
    return fmt::format(
        "{}:{}:{}: {}: {}", problem.file, problem.line, problem.column, severity, problem.text);
}

bool has_errors(const std::vector<Problem>& problems) {
    return std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.severity == Severity::error;
    });
}

}  // namespace liftwarden::config
