// A command with a foreign Response Topic was executed and answered, but logged as `ignored`.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

TEST_CASE("regress: a command with a foreign Response Topic is not logged as ignored",
          "[regress]") {
    Site site;
    Node node(site, "node-a");
    node.send(R"("seq":"1","action":"car_call","floor":"2")",
              MqttProperties{{}, "lift/test/reply/node-b/x", "c"});
    CHECK(node.final_of("1").at("status") == "acked");
    CHECK(wait_until(
        [&] { return site.daemon_log().find("response_topic_ignored") != std::string::npos; }));
    CHECK(site.daemon_log().find(" ignored ") == std::string::npos);
}
