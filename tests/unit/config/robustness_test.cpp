// Whatever the text, loading ends with settings or with problems.
#include "tests/unit/config/sample.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <string>

using namespace liftwarden::config;
using namespace liftwarden::config::test;

TEST_CASE("config: every beginning of a file is survived", "[config][robust]") {
    const std::string& text = sample();
    for (std::size_t length = 0; length < text.size(); ++length) {
        const Loaded loaded = load_sample(text.substr(0, length));
        INFO("first " << length << " bytes");
        // Nothing but the last line may be missing without being missed.
        REQUIRE((!loaded.ok() || length > text.size() - 40));
        REQUIRE(loaded.ok() == loaded.problems.empty());
    }
}

TEST_CASE("config: a file with any line missing is survived", "[config][robust]") {
    const std::string& text = sample();
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        std::string rest = text;
        rest.erase(at, text.find('\n', at) + 1 - at);
        INFO(rest);
        const Loaded loaded = load_sample(rest);
        CHECK_THAT(all_texts(loaded.problems), !Catch::Contains("internal"));
    }
}

TEST_CASE("config: random damage is survived", "[config][robust]") {
    std::mt19937 random(20240607);  // always the same damage
    const std::string alphabet = " \n\t:,{}[]\"'&*!|>#%@`?-<0az\xc3\xbc\xff";
    std::size_t refused = 0;
    for (int round = 0; round < 3'000; ++round) {
        std::string text = sample();
        for (int i = 0; i < 1 + round % 4; ++i) {
            text[random() % text.size()] = alphabet[random() % alphabet.size()];
        }
        const Loaded loaded = load_sample(text);
        refused += loaded.ok() ? 0U : 1U;
        for (const Problem& problem : loaded.problems) {
            REQUIRE(problem.line >= 1);
            REQUIRE(problem.column >= 1);
            REQUIRE(problem.text.find("internal") == std::string::npos);
            REQUIRE(problem.text.find('\n') == std::string::npos);
        }
    }
    CHECK(refused > 2'000);
}
