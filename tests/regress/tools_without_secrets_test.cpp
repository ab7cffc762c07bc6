// status, log and reset wanted files that they do not need, and a file without any error.
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

// A copy of the site's file with something changed in it.
std::string changed(Site& site, const std::string& from, const std::string& to) {
    std::string text = read_file(site.config());
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    const std::string path = site.dir().file("changed.yaml");
    write_file(path, text);
    return path;
}

}  // namespace

TEST_CASE("regress: status, log and reset need no secret, and no file without errors",
          "[regress]") {
    Site site;
    Node node(site, "node-a");
    node.send(R"("seq":"1","action":"car_call","floor":"2")");
    node.final_of("1");
    const auto answers = [&](const std::string& config, bool warns) {
        CAPTURE(config);
        const auto status = site.command_line({"status", "-c", config});
        CAPTURE(status.text);
        CHECK(status.code == 0);
        CHECK((status.text.find("has errors") != std::string::npos) == warns);
        const auto log = site.command_line({"log", "-c", config});
        CHECK(log.code == 0);
        CHECK(log.text.find("car_call") != std::string::npos);
        const auto reset =
            site.command_line({"reset", "-c", config, "EL001", "--took-effect", "no"});
        CHECK(reset.code == 1);  // it is not locked out, says the daemon
        CHECK(reset.text.find("locked") != std::string::npos);
    };
    answers(
        changed(
            site, "version: 5", "version: 5, username: gw, password_file: /nowhere/to/be/found"),
        false);
    answers(changed(site, "mqtt:", "nonsense: 1\nmqtt:"), true);
    // What cannot be read at all tells no socket.
    write_file(site.dir().file("broken.yaml"), "gateway: {id: gw\n");
    CHECK(site.command_line({"status", "-c", site.dir().file("broken.yaml")}).code == 78);
}
