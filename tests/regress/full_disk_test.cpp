// On a small file system no reserve was kept, and nothing said so: with the disk full the gateway
// died at the next commit, and again at every start, without a word to anybody.
#include "tests/support/site/site.hpp"
#include "tests/support/tiny_disk.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace liftwarden::test;

TEST_CASE("regress: with the disk full an accepted command gets its outcome, and a start works",
          "[regress]") {
    const TempDir place;
    const TinyDisk disk(place.path());
    if (!disk.mounted()) {
        return;
    }
    SiteOptions options;
    options.journal = place.file("journal.db");
    Site site(options);
    Node node(site, "node-a");
    site.plc("EL001:ack-late:1500ms");
    node.send(R"("seq":"1","action":"car_call","floor":"2")");
    node.expect("1", "sent");
    disk.fill(0);
    CHECK(node.final_of("1").at("status") == "acked");
    node.send(R"("seq":"2","action":"car_call","floor":"3")");
    CHECK(node.final_of("2").at("reason") == "journal_failed");

    site.crash_daemon();
    site.wait_ready();
    const auto status = site.command_line({"status", "-c", site.config(), "--json"});
    CHECK(status.code == 0);
    CHECK(status.text.find("\"accepting\":false") != std::string::npos);
    CHECK(status.text.find("\"reserve\":false") != std::string::npos);
    CHECK(site.daemon_log().find("journal_reserve") != std::string::npos);

    disk.clear();
    CHECK(wait_until([&] {
        node.send(R"("seq":"3","action":"car_call","floor":"3")");
        return wait_until([&] { return node.count("3", "acked") > 0; }, 1s);
    }));
}
