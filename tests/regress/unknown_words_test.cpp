// An elevator that the file does not have, and a command that there is not, were not named.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

TEST_CASE("regress: an elevator that the file does not have is named, and so is a wrong command",
          "[regress]") {
    Site site;
    const auto log = site.command_line({"log", "-c", site.config(), "EL999"});
    CHECK(log.code == 1);
    CHECK(log.text.find("EL999") != std::string::npos);
    CHECK(log.text.find("EL001") != std::string::npos);
    const auto send = site.command_line({"send", "-c", site.config(), "EL999", "car_call", "2"});
    CHECK(send.code == 64);
    CHECK(send.text.find("EL999") != std::string::npos);
    const auto bogus = site.command_line({"bogus"});
    CHECK(bogus.code == 64);
    CHECK(bogus.text.find("bogus") != std::string::npos);
}
