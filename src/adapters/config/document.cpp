#include "src/adapters/config/document.hpp"

#include "src/adapters/config/syntax.hpp"
#include "src/adapters/config/tree_builder.hpp"
#include "src/adapters/config/utf8.hpp"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

namespace liftwarden::config {
namespace {

// Only the start of a further document matters.
class SecondDocument final : public YAML::EventHandler {
  public:
    explicit SecondDocument(const LineIndex& lines) : lines_(lines) {}
    [[nodiscard]] std::optional<Place> place() const { return place_; }

    void OnDocumentStart(const YAML::Mark& mark) override { place_ = lines_.place(mark); }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&,
                  const std::string&,
                  YAML::anchor_t,
                  const std::string&) override {}
    void OnSequenceStart(const YAML::Mark&,
                         const std::string&,
                         YAML::anchor_t,
                         YAML::EmitterStyle::value) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&,
                    const std::string&,
                    YAML::anchor_t,
                    YAML::EmitterStyle::value) override {}
    void OnMapEnd() override {}

  private:
    const LineIndex& lines_;
    std::optional<Place> place_;
};

void report_syntax(Report& report, const LineIndex& lines, const YAML::Exception& fault) {
    const auto number = [](int mark) { return static_cast<std::size_t>(std::max(mark, 0)); };
    const SyntaxFault culprit =
        explain_syntax(lines.body(), number(fault.mark.line), number(fault.mark.column), fault.msg);
    report.error(lines.place(culprit.line, culprit.column),
                 fmt::format("not valid YAML: {}", culprit.text));
}

void refuse_second_document(Report& report, YAML::Parser& parser, const LineIndex& lines) {
    SecondDocument second(lines);
    try {
        parser.HandleNextDocument(second);
    } catch (const YAML::Exception& fault) {
        if (!second.place()) {
            report_syntax(report, lines, fault);
        }
    }
    if (second.place()) {
        report.error(*second.place(),
                     "a second YAML document begins here; a file holds exactly one");
    }
}

// Editors and the parser disagree on whether a carriage return by itself ends a line.
std::optional<std::size_t> lone_carriage_return(std::string_view text) {
    for (std::size_t at = text.find('\r'); at != text.npos; at = text.find('\r', at + 1)) {
        if (text.substr(at + 1, 1) != "\n") {
            return at;
        }
    }
    return std::nullopt;
}

}  // namespace

const Entry* Node::find(std::string_view key) const {
    for (const Entry& entry : entries) {
        if (entry.key == key) {
            return &entry;
        }
    }
    return nullptr;
}

std::optional<Node> parse_document(Report& report, std::uint32_t file, const std::string& text) {
    const LineIndex lines(file, text);
    if (const std::optional<BadByte> bad = first_bad_byte(text)) {
        report.error(lines.place_of_byte(bad->offset),
                     fmt::format("the file must be UTF-8 text; byte 0x{:02x} is not", bad->value));
        return std::nullopt;
    }
    if (const auto at = lone_carriage_return(text)) {
        report.error(lines.place_of_byte(*at),
                     text.find('\n') == text.npos
                         ? "lines end with a carriage return alone; save the file with line feeds "
                           "(Unix)"
                         : "a carriage return stands within a line; remove it, or save the file "
                           "with line feeds (Unix)");
        return std::nullopt;
    }
    std::istringstream stream(text);
    TreeBuilder builder(report, lines);
    try {
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder) || !builder.root()) {
            report.error({file, 1, 1}, "the file is empty");
            return std::nullopt;
        }
        refuse_second_document(report, parser, lines);
        return builder.root();
    } catch (const Abandoned& why) {
        report.error(why.place, why.text);
    } catch (const YAML::Exception& fault) {
        report_syntax(report, lines, fault);
    }
    return std::nullopt;
}

Place place_of(const Entry& entry, const std::vector<std::string>& path) {
    const Entry* at = &entry;
    for (const std::string& step : path) {
        const Entry* next = at->value.find(step);
        if (next == nullptr) {
            break;
        }
        at = next;
    }
    return at->value.place;
}

const char* describe(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::invalid:
            return "an unsupported form";
        case Node::Kind::null:
            return "nothing";
        case Node::Kind::scalar:
            return "a single value";
        case Node::Kind::sequence:
            return "a list";
        case Node::Kind::mapping:
            return "a mapping";
    }
    return "?";
}

}  // namespace liftwarden::config
