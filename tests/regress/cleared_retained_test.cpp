// Clearing the retained copy of a refused command was refused itself.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

TEST_CASE("regress: clearing a retained command is met with silence", "[regress]") {
    SiteOptions options;
    options.mqtt_keys = GENERATE("version: 5", "version: 3.1.1");
    CAPTURE(options.mqtt_keys);
    Site site(options);
    Node node(site, "node-a");
    node.send_raw(R"({"seq":"1","action":"car_call","floor":"2"})", true);
    if (options.mqtt_keys == "version: 5") {  // 3.1.1 does not show the flag of a live message
        CHECK(node.final_of("1").at("reason") == "retained");
    } else {
        node.final_of("1");
    }
    node.send_raw("", true);
    node.send(R"("seq":"2","action":"car_call","floor":"3")");  // comes after it
    node.final_of("2");
    for (const auto& result : node.results()) {
        CHECK_FALSE(result.at("seq").is_null());
    }
}
