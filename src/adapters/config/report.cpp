#include "src/adapters/config/report.hpp"

#include "src/adapters/config/utf8.hpp"

#include <liftwarden/core/assert.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace liftwarden::config {

std::uint32_t Report::add_file(std::string name) {
    files_.push_back(std::move(name));
    return static_cast<std::uint32_t>(files_.size() - 1);
}

void Report::add(Place place, Severity severity, std::string text) {
    LIFTWARDEN_ASSERT(place.file < files_.size());
    if (severity == Severity::error) {
        ++errors_;
    }
    if (findings_.size() == limit) {
        ++not_kept_;
        return;
    }
    findings_.push_back({place, severity, std::move(text)});
}

std::string Report::describe(Place place) const {
    return fmt::format("{}:{}:{}", files_.at(place.file), place.line, place.column);
}

std::vector<Problem> Report::problems() const {
    std::vector<Finding> sorted = findings_;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
        return a.place < b.place;
    });
    std::vector<Problem> problems;
    for (const Finding& finding : sorted) {
        const Place place = finding.place;
        problems.push_back(
            {files_.at(place.file), place.line, place.column, finding.severity, finding.text});
    }
    if (not_kept_ > 0) {
        const Severity worst = errors_ > 0 ? Severity::error : Severity::warning;
        problems.push_back({files_.at(sorted.back().place.file),
                            0,
                            0,
                            worst,
                            fmt::format("{} further problems are not shown", not_kept_)});
    }
    return problems;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t shown = 60;
    std::string result = "\"";
    for (const char c : text.substr(0, shown)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(result), "\\x{:02x}", byte);
        } else {
            result += c;
        }
    }
    if (text.size() > shown) {
        // Not in the middle of a UTF-8 sequence.
        while (result.size() > 1 && (static_cast<unsigned char>(result.back()) & 0x80U) != 0) {
            result.pop_back();
        }
        result += "...";
    }
    return with_invisible_shown(result) + '"';
}

std::string listed(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace liftwarden::config
