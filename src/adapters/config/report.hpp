// Where findings are collected while the files are read.
#pragma once

#include "src/adapters/config/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::config {

// A position in one of the files of a Report; line 0 means the file as a whole.
struct Place {
    std::uint32_t file = 0;
    int line = 0;
    int column = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
};

// Collects findings of one run. Keeps at most `limit` of them, so that a megabyte of nonsense does
// not become a gigabyte of complaints; the last one then says how many more there were.
class Report {
  public:
    static constexpr std::size_t limit = 500;

    // Files are told apart, and later sorted, by the order in which they were added.
    std::uint32_t add_file(std::string name);
    void error(Place place, std::string text) { add(place, Severity::error, std::move(text)); }
    void warning(Place place, std::string text) { add(place, Severity::warning, std::move(text)); }
    [[nodiscard]] std::size_t errors() const { return errors_; }
    // "file:line:column", for findings that name two places.
    [[nodiscard]] std::string describe(Place place) const;
    // All findings, sorted by place; those of one place in the order they were found.
    [[nodiscard]] std::vector<Problem> problems() const;

  private:
    struct Finding {
        Place place;
        Severity severity;
        std::string text;
    };
    void add(Place place, Severity severity, std::string text);

    std::vector<std::string> files_;
    std::vector<Finding> findings_;
    std::size_t errors_ = 0;
    std::size_t not_kept_ = 0;
};

// The text in double quotes, shortened to a line's worth and free of control characters.
[[nodiscard]] std::string quoted(std::string_view text);

// "a, b, c".
[[nodiscard]] std::string listed(const std::vector<std::string>& words);

}  // namespace liftwarden::config
