// What YAML can do beyond a plain tree, and files that are no YAML.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden::config;
using namespace liftwarden::config::test;

namespace {

Problem only_problem(const std::string& text) {
    const Loaded loaded = load_sample(text);
    INFO(all_texts(loaded.problems));
    CHECK_FALSE(loaded.ok());
    REQUIRE(loaded.problems.size() == 1);
    return loaded.problems.front();
}

void expect_only(const std::string& text, int line, int column, const std::string& fragment) {
    const Problem problem = only_problem(text);
    INFO(to_string(problem));
    CHECK(problem.line == line);
    CHECK(problem.column == column);
    CHECK_THAT(problem.text, Catch::Contains(fragment));
}

}  // namespace

TEST_CASE("config: anchors, aliases, merge keys and tags are refused", "[config][yaml]") {
    expect_only(changed("unit: 1", "unit: &one 1"), 11, 11, "anchors (&name) are not supported");
    expect_only(changed("unit: 1", "unit: !!int 1"), 11, 11, "tags are not supported");
    expect_only(changed("unit: 1", "unit: !my 1"), 11, 11, "tags are not supported");
    expect_only(changed("unit: 1", "unit: 1\n    <<: {poll: 1s}"), 12, 5, "merge keys");
    const Loaded loaded =
        load_sample(replaced(changed("B1: {value: 0}", "B1: &b {value: 0}"), "{value: 2}", "*b"));
    INFO(all_texts(loaded.problems));
    REQUIRE(loaded.problems.size() == 2);
    CHECK(loaded.problems[0].line == 14);
    CHECK(loaded.problems[1].line == 16);
    CHECK_THAT(loaded.problems[1].text, Catch::Contains("aliases (*name) are not supported"));
}

TEST_CASE("config: keys that are no text are refused", "[config][yaml]") {
    expect_only(
        changed("buses:", "? [a]\n: 1\nbuses:"), 4, 3, "a key must be plain text, not a list");
    expect_only(changed("buses:", "~: 1\nbuses:"), 4, 1, "a key must be plain text, not nothing");
}

TEST_CASE("config: syntax errors have their place", "[config][yaml]") {
    expect_only("gateway: {id: gw-01\nmqtt: 1\n", 1, 10, "not valid YAML");
    expect_only("a:\n\t- b\n", 2, 1, "not valid YAML");
    expect_only("a: *nowhere\n", 1, 4, "not valid YAML");
    expect_only("a: b: c\n", 1, 4, "not valid YAML");
}

TEST_CASE("config: an unclosed quote does not swallow the rest of the file", "[config][yaml]") {
    const char* text = "the quote that opens here is not closed on its line";
    expect_only(changed("site: dc-east", "site: \"dc-east"), 1, 28, text);
    expect_only(changed("rear: 1", "rear: 1, \"x"), 32, 32, text);
    expect_only(sample() + "journal: {path: '/a}\nlock: {}\n", 33, 17, text);
    expect_only(sample() + "control:\n  socket: \"/a\\\"\n", 34, 11, text);
    expect_only(sample() + "control:\n  socket: \"/a\\\n    b\"\n", 34, 11, text);
    CHECK(load_sample(changed("site: dc-east", "site: 'dc-east'")).ok());
    CHECK(load_sample(sample() + "control:\n  socket: '/it''s'\n").ok());
    CHECK(load_sample(sample() + "control:\n  socket: \"/say\\\"x\\\"\"\n").ok());
}

TEST_CASE("config: a file holds exactly one document", "[config][yaml]") {
    expect_only("", 1, 1, "the file is empty");
    expect_only("# nothing but this\n", 1, 1, "the file is empty");
    expect_only("- a\n- b\n", 1, 1, "the configuration must be a mapping such as {gateway: ");
    expect_only("text\n", 1, 1, "buses: ...}, not \"text\"");
    expect_only(sample() + "---\ngateway: {}\n", 33, 1, "a second YAML document begins here");
    expect_only(sample() + "---\n", 33, 1, "a second YAML document begins here");
    CHECK(load_sample("---\n" + sample() + "...\n").ok());
}

TEST_CASE("config: text that is no UTF-8 is refused at the byte", "[config][yaml]") {
    expect_only(changed("dc-east", "dc\xffx"), 1, 30, "byte 0xff is not");
    expect_only(changed("dc-east", "dc\xc0\xaf"), 1, 30, "byte 0xc0 is not");
    expect_only(changed("dc-east", "dc\xed\xa0\x80"), 1, 30, "byte 0xed is not");
    expect_only(changed("dc-east", std::string("dc\0x", 4)), 1, 30, "byte 0x00 is not");
    expect_only(std::string("\xff\xfe"
                            "a\0:\0",
                            6),
                1,
                1,
                "must be UTF-8");
}

TEST_CASE("config: columns count characters, and a byte order mark none", "[config][yaml]") {
    const Loaded german = load_sample(changed("B1: {value: 0}", "\"Süd\": {value: x}"));
    REQUIRE(german.problems.size() == 1);
    CHECK(german.problems[0].column == 22);
    const Loaded marked = load_sample("\xef\xbb\xbf" + changed("id: gw-01", "id: g/w"));
    REQUIRE(marked.problems.size() == 1);
    CHECK(marked.problems[0].column == 15);
    const Loaded bad = load_sample("\xef\xbb\xbf" + changed("id: gw-01", "id: g\xff"));
    REQUIRE(bad.problems.size() == 1);
    CHECK(bad.problems[0].column == 16);
}

TEST_CASE("config: Windows line ends change nothing", "[config][yaml]") {
    std::string text = changed("unit: 1", "unit: 0");
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) {
        text.insert(at, 1, '\r');
    }
    expect_only(text, 11, 11, "from 1 to 247, not \"0\"");
}

TEST_CASE("config: nesting and size have limits", "[config][yaml]") {
    CHECK_THAT(only_problem("a: " + std::string(100'000, '[')).text,
               Catch::Contains("nested more than 32 levels deep"));
    std::string many = "a: [";
    for (int i = 0; i < 60'000; ++i) {
        many += "1,";
    }
    CHECK_THAT(only_problem(many + "1]\n").text, Catch::Contains("more than 50000 values"));
}

TEST_CASE("config: columns are right on one very long line", "[config][yaml]") {
    std::string line = "elevators: {";
    while (line.size() < 400'000) {
        line += "\"\xc3\xa4\": 1, ";
    }
    const Loaded loaded = load_sample(line + "x: y}\n");
    REQUIRE_FALSE(loaded.ok());
    CHECK(loaded.problems[0].line == 1);
    // The second key: two columns of quotes and one character each time.
    CHECK_THAT(all_texts(loaded.problems), Catch::Contains("a.yaml:1:21: error: duplicate key"));
}

TEST_CASE("config: a flood of problems is cut off, and says so", "[config][yaml]") {
    std::string text = sample();
    for (int i = 0; i < 2'000; ++i) {
        text += "bad" + std::to_string(i) + ": 1\n";
    }
    const Loaded loaded = load_sample(text);
    CHECK_FALSE(loaded.ok());
    REQUIRE(loaded.problems.size() == 501);
    CHECK(loaded.problems.back().text == "1500 further problems are not shown");
}
