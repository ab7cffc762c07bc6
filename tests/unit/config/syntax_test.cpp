// Files that are no YAML: the place and the text that a person would point at, whatever the parser
// stumbled over.
#include "src/adapters/config/syntax.hpp"

#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

using namespace liftwarden::config;
using namespace liftwarden::config::test;

namespace {

struct Slip {
    const char* from;
    const char* to;
    int line;
    int column;
    const char* text;
};

void check_all(const std::vector<Slip>& slips) {
    for (const Slip& slip : slips) {
        INFO("with " << slip.to << " for " << slip.from);
        const Loaded loaded = load_sample(changed(slip.from, slip.to));
        INFO(all_texts(loaded.problems));
        CHECK_FALSE(loaded.ok());
        REQUIRE(loaded.problems.size() == 1);
        const Problem& problem = loaded.problems.front();
        CHECK(problem.line == slip.line);
        CHECK(problem.column == slip.column);
        CHECK_THAT(problem.text, Catch::Contains(slip.text));
    }
}

}  // namespace

TEST_CASE("syntax: a missing colon or blank is told on its own line", "[config][syntax]") {
    check_all({
        {"    unit: 1",
         "    unit 1",
         11,
         5,
         "\"unit 1\" has no colon, as in \"key: value\"; did you mean \"unit: 1\"?"},
        {"    unit: 1",
         "    unit:1",
         11,
         5,
         "\"unit:1\" has no blank after its colon; did you mean \"unit: 1\"?"},
        {"    unit: 1", "    unit=1  # one", 11, 5, "\"unit=1\" has no colon"},
        {"    unit: 1", "    unit = 1", 11, 5, "did you mean \"unit: 1\"?"},
        {"    unit: 1", "    unit", 11, 5, "\"unit\" has no colon"},
        {"buses:\n", "buses\n", 4, 1, "\"buses\" has no colon"},
        {"      ack: hold", "      ack:hold", 19, 7, "did you mean \"ack: holding:110\"?"},
        {"      ack: hold", "      ack hold", 19, 7, "did you mean \"ack: holding:110\"?"},
        {"  url: m", "  version 5\n  url: m", 3, 3, "did you mean \"version: 5\"?"},
    });
}

TEST_CASE("syntax: a second colon is no parser's riddle", "[config][syntax]") {
    check_all({
        {"holding:110",
         "holding: 110",
         19,
         12,
         "\"holding: 110\" has a blank in its address; did you mean \"holding:110\"?"},
        {"{at: input:5,", "{at: input: 5,", 27, 19, "has a second colon with a blank after it"},
        {"host: 10", "host: tcp: 10", 7, 11, "put the value in quotes"},
    });
}

TEST_CASE("syntax: an indentation that matches nothing shows those above", "[config][syntax]") {
    check_all({
        {"    unit: 1",
         "   unit: 1",
         11,
         4,
         "\"unit: 1\" is indented by 3 blanks; the lines above it are at 0, 2, 4"},
        {"    unit: 1",
         "     unit: 1",
         11,
         6,
         "\"unit: 1\" is indented deeper than the line above"},
        {"      ack: hold", "     ack: hold", 19, 6, "is indented by 5 blanks"},
        {"    host:", "\thost:", 7, 1, "a tab indents \"host: 10.0.0.5\"; YAML wants blanks"},
    });
}

TEST_CASE("syntax: a bracket that stays open is shown where it opened", "[config][syntax]") {
    check_all({
        {"[front, rear]}",
         "[front, rear}",
         15,
         30,
         "the \"[\" that opens here is not closed before the \"}\" at 15:42"},
        {"{value: 0}", "{value: 0", 14, 11, "the \"{\" that opens here is not closed: \"B1: {val"},
        {"site: dc-east}", "site: dc-east", 1, 10, "the \"{\" that opens here is not closed"},
        {"values: {0: stopped, 1: up, 2: down}}",
         "values: {0: stopped, 1: up, 2: down}",
         21,
         18,
         "the \"{\" that opens here is not closed"},
        {"sides: {front: 0, rear: 1}",
         "sides: {front: 0, rear: 1",
         32,
         12,
         "the \"{\" that opens here is not closed"},
        {"{value: 0}", "[value: 0}", 14, 11, "the \"[\" that opens here is not closed before the"},
        {"{value: 0}", "{value: 0}}", 14, 21, "\"}\" follows the closing bracket; nothing may"},
    });
}

TEST_CASE("syntax: what is missing between brackets is named", "[config][syntax]") {
    check_all({
        {"doors: [front",
         "doors:[front",
         15,
         23,
         "has no blank after its colon; did you mean \"doors: [front, rear]}\"?"},
        {"\"2\": {", "\"2\":{", 16, 7, "did you mean \"\"2\": {value: 2}\"?"},
        {"\"2\": {",
         "\"2\" {",
         16,
         7,
         "has no colon, as in \"key: value\"; did you mean \"\"2\": {"},
        {"1: up, 2: down", "1: up 2: down", 21, 59, "a comma is missing before \"2: down}}\""},
        {"{at: input:5, none",
         "{at: input:5 none",
         27,
         27,
         "a comma is missing before \"none: 0}\""},
        {"values: {0: stopped", "values{0: stopped", 21, 38, "has a bracket within a text"},
        {"\"2\": {value: 2}",
         "\"2\": {value: \"2\" doors: [front]}",
         16,
         24,
         "a comma is missing before \"doors"},
    });
}

TEST_CASE("syntax: quotes and characters that begin no value", "[config][syntax]") {
    check_all({
        {"host: 10.0.0.5", "host: @10.0.0.5", 7, 11, "put it in quotes"},
        {"host: 10.0.0.5",
         "host: \"10.0.0.5\" x",
         7,
         22,
         "\"x\" follows the closing quote; nothing may"},
        {"host: 10.0.0.5",
         "host: \"10.0.0.5\n    port: 502",
         7,
         11,
         "the quote that opens here is not closed on its line"},
    });
}

TEST_CASE("syntax: a slip in a file that is JSON", "[config][syntax]") {
    const Loaded loaded = load_sample(
        "{\n\"gateway\": {\"id\": \"g\",\n  \"site\": \"s\"\n"
        "  \"x\": 1},\n\"mqtt\": {}\n}\n");
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].line == 4);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains("a comma is missing before \"\"x\": 1}"));
}

TEST_CASE("syntax: line ends of other systems", "[config][syntax]") {
    std::string text = sample();
    for (char& c : text) {
        c = c == '\n' ? '\r' : c;
    }
    const Loaded old_mac = load_sample(text);
    REQUIRE(old_mac.problems.size() == 1);
    CHECK_THAT(old_mac.problems[0].text, Catch::Contains("save the file with line feeds"));
    const Loaded one = load_sample(changed("unit: 1",
                                           "unit: 1\r"
                                           "#"));
    REQUIRE(one.problems.size() == 1);
    CHECK(one.problems[0].line == 11);
    CHECK_THAT(one.problems[0].text, Catch::Contains("a carriage return stands within a line"));
}

TEST_CASE("syntax: lines that are right are not blamed for what comes later", "[config][syntax]") {
    const std::string text =
        "a: |\n  any text: here\n   deeper\nb:\n- c: 1\n  d: 2\n- e\n"
        "f: {x: [1, 2],\n  y: 'it''s'}\n'g': \"\\\"\"\n---\n? x\n";
    const SyntaxFault fault = explain_syntax(text, 10, 0, "the parser's words");
    CHECK(fault.line == 10);
    CHECK(fault.text == "the parser's words: \"---\"");
}

TEST_CASE("syntax: without a culprit the parser's own place and words remain", "[config][syntax]") {
    CHECK(explain_syntax("", 0, 0, "words").text == "words");
    CHECK(explain_syntax("a: 1\n", 7, 3, "words").line == 7);
    const SyntaxFault later = explain_syntax("a: 1\nb 2\nc: 3\n", 0, 1, "words");
    CHECK(later.line == 0);
    CHECK(later.text == "words: \"a: 1\"");
}

// The first line of a block cannot be told from the second when they do not agree.
TEST_CASE("syntax: a slip anywhere is told on its line or the next, in plain words",
          "[config][syntax]") {
    std::vector<std::string> lines;
    std::istringstream stream(sample());
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    const auto expect_near = [&](std::size_t at, const std::string& slipped) {
        std::string text;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            text += (i == at ? slipped : lines[i]) + "\n";
        }
        const Loaded loaded = load_sample(text);
        const int line = static_cast<int>(at) + 1;
        INFO(slipped << "\n" << all_texts(loaded.problems));
        const bool near = std::any_of(
            loaded.problems.begin(), loaded.problems.end(), [&](const Problem& problem) {
                return problem.line == line || problem.line == line + 1;
            });
        CHECK((near || loaded.problems.empty()));
        for (const char* jargon : {"illegal", "end of map", "end of sequence", "token"}) {
            CHECK_THAT(all_texts(loaded.problems), !Catch::Contains(jargon));
        }
    };
    const auto expect_without = [&](std::size_t at, std::size_t column) {
        std::string slipped = lines[at];
        expect_near(at, slipped.erase(column, 1));
    };
    for (std::size_t at = 0; at < lines.size(); ++at) {
        expect_near(at, " " + lines[at]);
        expect_near(at, "\t" + lines[at]);
        for (std::size_t i = 0; i < lines[at].size(); ++i) {
            if (i == 0 || std::string(":[]{},\"").find(lines[at][i]) != std::string::npos) {
                expect_without(at, i);
            } else if (lines[at][i] == ' ' && lines[at][i - 1] == ':') {
                expect_without(at, i);
            }
        }
    }
}

TEST_CASE("syntax: the depth of a line costs no stack and makes no long message",
          "[config][syntax]") {
    std::string items;
    for (int i = 0; i < 300'000; ++i) {
        items += "- ";
    }
    const SyntaxFault fault = explain_syntax(items + "a\n b: 1\n", 1, 0, "words");
    CHECK(fault.line == 1);
    CHECK(fault.text.size() < 300);
    CHECK(explain_syntax("a: 1\n" + items + std::string(500'000, '['), 0, 0, "words").line == 0);
}

TEST_CASE("syntax: any text is survived", "[config][syntax]") {
    const std::string alphabet = "ab:, -#'\"[]{}|>\t\n\\";
    std::uint32_t state = 1;
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (int i = 0; i < 24; ++i) {
            state = state * 1664525U + 1013904223U;
            text += alphabet[(state >> 16U) % alphabet.size()];
        }
        const SyntaxFault fault = explain_syntax(text, 3, 0, "words");
        REQUIRE(fault.line <= 3);
        REQUIRE_FALSE(fault.text.empty());
    }
}
