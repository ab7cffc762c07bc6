// `liftwarden log`: the same history from the running daemon and from the file without one.
#include "tests/support/site/site.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

#include <sstream>

using namespace liftwarden::test;

namespace {

// What `log --json ARGS` prints, an object a line.
std::vector<boost::json::object> history(const Site& site, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"log", "-c", site.config(), "--json"});
    const auto output = site.command_line(std::move(arguments));
    INFO(output.text);
    REQUIRE(output.code == 0);
    std::vector<boost::json::object> entries;
    std::istringstream lines(output.text);
    for (std::string line; std::getline(lines, line);) {
        entries.push_back(boost::json::parse(line).as_object());
    }
    return entries;
}

}  // namespace

TEST_CASE("log: who sent what and what became of it, with and without a daemon", "[e2e]") {
    SiteOptions options;
    options.elevators = {"EL001", "EL002"};
    Site site(options);
    Node a(site, "node-a");
    Node b(site, "node-b", "EL002");
    a.send(R"("seq":"1001","action":"car_call","floor":"2","task":"T-1")");
    CHECK(a.final_of("1001").at("status") == "acked");
    b.send(R"("seq":"2001","action":"car_call","floor":"3")");
    CHECK(b.final_of("2001").at("status") == "acked");
    a.expect("1001", "served", 30s);

    const auto all = history(site, {});
    REQUIRE(all.size() == 2);
    CHECK(all[0].at("seq") == "1001");
    CHECK(all[0].at("status") == "served");
    CHECK(all[0].at("action") == "car_call");
    CHECK(all[0].at("source") == "node-a");
    CHECK(all[0].contains("wire_seq"));
    CHECK(history(site, {"EL002"}).size() == 1);
    CHECK(history(site, {"--seq", "1001", "--since", "1h"}).size() == 1);
    CHECK(history(site, {"--seq", "nobody"}).empty());
    const auto people = site.command_line({"log", "-c", site.config(), "EL001"});
    CHECK_THAT(people.text, Catch::Contains("car_call 2") && Catch::Contains("seq 1001 by node-a"));

    site.daemon().signal(SIGTERM);
    REQUIRE(site.daemon().wait(10s) == 0);
    CHECK(history(site, {"EL001"}) == history(site, {"--seq", "1001"}));
    CHECK(history(site, {}).size() == 2);
}
