// A broker that was down for half a minute was found again only half a minute later: the pauses
// between attempts grew without regard to how long anybody may wait.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

TEST_CASE("regress: a broker that comes back is found within seconds, however long it was gone",
          "[regress]") {
    Site site;
    site.broker().stop();
    // As long as four attempts of doubling pauses: the next one used to come 8 s and more later.
    std::this_thread::sleep_for(17s);
    site.broker().start();
    const auto back = std::chrono::steady_clock::now();
    REQUIRE(wait_until(
        [&] {
            const auto status = site.command_line({"status", "-c", site.config(), "--json"});
            return status.text.find("\"online\":true") != std::string::npos;
        },
        30s));
    const auto took = std::chrono::steady_clock::now() - back;
    CHECK(std::chrono::duration_cast<Millis>(took).count() < 8000);  // 5 s, and a busy machine
}
