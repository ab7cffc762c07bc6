// Reads lines as a person would, and remembers the last slip. Used by syntax.cpp alone.
#pragma once

#include "src/adapters/config/syntax.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace liftwarden::config {

// Knows of YAML what configurations use: mappings and lists by indentation, the same in brackets,
// quotes, comments. Lives for one file; the lines handed in must outlive it.
class SyntaxScan {
  public:
    // The next line, without its end.
    void line(std::string_view text);
    // No line follows: what is open stays open.
    void end();
    // The last slip so far.
    [[nodiscard]] const std::optional<SyntaxFault>& fault() const { return fault_; }

  private:
    // What stands between two commas, or a bracket and a comma.
    struct Part {
        bool colon = false;      // its key is over
        bool text = false;       // a plain text has begun, at `begin` of the present line
        bool continued = false;  // that text has begun in a line before
        bool over = false;       // a quoted text or a bracket has ended
        std::size_t begin = 0;
        [[nodiscard]] bool empty() const { return !colon && !text && !over; }
    };
    struct Bracket {
        char opened = '{';
        std::size_t line = 0;
        std::size_t column = 0;
        std::string_view of;  // the line it stands in
        std::size_t indentation = 0;
        Part part;
    };

    void slip(std::size_t column, std::string text);
    void slip_at(std::size_t line, std::size_t column, std::string text);
    void not_closed(const Bracket& bracket, const std::string& before);

    // Outside of brackets.
    void block(std::size_t indentation);
    void indent(std::size_t indentation);
    void content(std::size_t at);
    void quoted_key(std::size_t at, bool in_list);
    void without_key(std::size_t at);
    void value(std::size_t at);
    void plain_value(std::size_t at);
    // Past a quoted text; nullopt, after a slip, if it does not close on its line.
    std::optional<std::size_t> past_quote(std::size_t at);
    void nothing_after(std::size_t at, const char* what);

    // Within brackets, from `at` to the end of the line or of the outermost bracket.
    void flow(std::size_t at);
    void open_bracket(std::size_t at);
    void close_bracket(std::size_t at);
    bool ends_key(std::size_t at);
    void flow_colon(std::size_t at);
    void flow_text(std::size_t at);
    bool begins_anew(std::size_t indentation);

    [[nodiscard]] bool blank_at(std::size_t at) const;
    [[nodiscard]] std::size_t skip_blanks(std::size_t at) const;
    [[nodiscard]] bool ends_at(std::size_t at) const;  // line or comment
    [[nodiscard]] std::optional<std::size_t> colon_after(std::size_t at) const;
    [[nodiscard]] std::string shown(std::size_t at) const;

    std::string_view text_;
    std::size_t number_ = 0;           // of the present line
    std::vector<std::size_t> levels_;  // indentations of the mappings and lists that are open
    bool may_nest_ = false;            // the line before had a key and no value
    std::optional<std::size_t> literal_above_;  // lines indented more are text of a | or >
    std::vector<Bracket> open_;
    std::optional<SyntaxFault> fault_;
};

}  // namespace liftwarden::config
