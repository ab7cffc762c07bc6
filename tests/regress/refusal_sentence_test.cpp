// The details of early refusals were no sentences, unlike all others.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

#include <cctype>

using namespace liftwarden::test;

TEST_CASE("regress: the detail of an early refusal is a sentence", "[regress]") {
    Site site;
    Node node(site, "node-a");
    for (const char* fields : {R"("seq":"1","action":"car_call","floor":"nowhere")",
                               R"("seq":"1","action":"car_call")",
                               R"("seq":"1","action":"fly")",
                               R"("seq":)"}) {
        node.send(fields);
    }
    REQUIRE(wait_until([&] { return node.results().size() == 4; }));
    for (const auto& result : node.results()) {
        const std::string detail{result.at("detail").as_string()};
        CAPTURE(detail);
        REQUIRE_FALSE(detail.empty());
        CHECK(std::isupper(static_cast<unsigned char>(detail.front())) != 0);
        CHECK((detail.back() == '.' || detail.back() == '?'));
    }
}
