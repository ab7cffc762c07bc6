// SIGTERM with the broker and the PLC hanging took more than 2 s on a busy machine, and ended
// with 75.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

TEST_CASE("regress: SIGTERM with broker and PLC hanging ends with 0 within two seconds",
          "[regress]") {
    const auto hung_before = GENERATE(0ms, 2500ms);  // with words still to say, and long silent
    CAPTURE(hung_before.count());
    Site site;
    Node node(site, "node-a");
    site.plc("EL001:silence:60s");
    site.broker().pause();
    std::this_thread::sleep_for(hung_before);
    const auto start = std::chrono::steady_clock::now();
    site.daemon().signal(SIGTERM);
    const auto code = site.daemon().wait(10s);
    const auto took = std::chrono::steady_clock::now() - start;
    site.broker().resume();
    CHECK(code == 0);
    CHECK(std::chrono::duration_cast<Millis>(took).count() < 2000);
    CHECK(site.daemon_log().find("something still hangs") == std::string::npos);
}
