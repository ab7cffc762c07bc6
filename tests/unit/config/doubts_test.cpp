// What may be meant so, and probably is not: warnings.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden::config;
using namespace liftwarden::config::test;

namespace {

void expect_warning(const std::string& text, int line, int column, const std::string& words) {
    const Loaded loaded = load_sample(text);
    INFO(all_texts(loaded.problems));
    CHECK(loaded.ok());
    REQUIRE(loaded.problems.size() == 1);
    CHECK(loaded.problems[0].severity == Severity::warning);
    CHECK(loaded.problems[0].line == line);
    CHECK(loaded.problems[0].column == column);
    CHECK_THAT(loaded.problems[0].text, Catch::Contains(words));
}

}  // namespace

TEST_CASE("doubts: floors whose values go up and down", "[config][doubts]") {
    expect_warning(changed("\"2\": {value: 2}", "\"2\": {value: -5}"),
                   16,
                   20,
                   "floor \"2\" has value -5, and floor \"1\" below it has 1");
    expect_warning(changed("B1: {value: 0}", "B1: {value: 65535}"),
                   15,
                   20,
                   "floors are listed from the lowest to the highest");
}

TEST_CASE("doubts: a PLC may count its floors from the top", "[config][doubts]") {
    CHECK(load_sample(changed("B1: {value: 0}", "B1: {value: 5}")).problems.size() == 1);
    const std::string falling = replaced(
        changed("B1: {value: 0}", "B1: {value: 5}"), "\"1\": {value: 1", "\"1\": {value: 4");
    CHECK(load_sample(falling).problems.empty());
    CHECK(load_sample(changed("B1: {value: 0}", "B1: {value: -1}")).problems.empty());
}

TEST_CASE("doubts: action 0", "[config][doubts]") {
    expect_warning(changed("car_call: 2", "car_call: 0"),
                   30,
                   39,
                   "car_call is action 0, which means no command in many PLCs");
    expect_warning(changed("open_door: 3", "open_door: 0"), 30, 53, "open_door is action 0");
    CHECK(load_sample(sample()).problems.empty());
}

TEST_CASE("doubts: a floor label with characters nobody types", "[config][doubts]") {
    expect_warning(changed("\"2\": {value",
                           "\xe2\x80\x9c"
                           "2\xe2\x80\x9d: {value"),
                   16,
                   7,
                   "has a typographic quote (U+201C) in its label");
    expect_warning(changed("\"2\": {value", "\"2\xc2\xa0\": {value"),
                   16,
                   7,
                   "floor \"2<U+00A0>\" has an invisible character (U+00A0) in its label");
    expect_warning(changed("\"2\": {value", "2\": {value"),
                   16,
                   7,
                   "floor \"2\"\" has a quotation mark in its label");
    CHECK(load_sample(changed("\"2\": {value", "\"l'atelier\": {value")).problems.empty());
    CHECK(load_sample(changed("\"2\": {value", "\"2\xc3\xa8me \xc3\xa9tage\": {value"))
              .problems.empty());
}
