// Starting, stopping, dying, and everything being unplugged meanwhile.
#include "tests/support/net.hpp"
#include "tests/support/site/site.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";

bool stops_in_two_seconds(Process& daemon) {
    const auto start = std::chrono::steady_clock::now();
    daemon.signal(SIGTERM);
    const auto code = daemon.wait(10s);
    return code == 0 && std::chrono::steady_clock::now() - start < 2s;
}

}  // namespace

TEST_CASE("kill -9 with a command queued: it is executed after the restart, once", "[e2e]") {
    Site site;
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(R"("seq":"1","action":"car_call","floor":"3")");
    a.expect("1", "acked");
    b.send(R"("seq":"2","action":"car_call","floor":"1")");
    b.expect("2", "accepted");
    site.crash_daemon();
    a.send(R"("seq":"3","action":"release")");
    CHECK(b.final_of("2", 30s).at("status") == "acked");
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 3", "car_call 1"});
}

TEST_CASE("kill -9 between write and outcome: the command is verified and executed once", "[e2e]") {
    SiteOptions options;
    options.elevator_keys = {"scan: 1500ms"};  // time to die in between
    Site site(options);
    Node node(site, "node-a");
    node.send(call_2);
    node.expect("1", "sent");
    site.crash_daemon();
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 2"});
}

TEST_CASE("a message the gateway had not journalled comes again after kill -9", "[e2e]") {
    Site site;
    Node node(site, "node-a");
    site.daemon().signal(SIGSTOP);
    node.send(call_2);
    site.daemon().kill();
    site.start_daemon();
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 2"});
}

TEST_CASE("an outcome reached while the broker is away is published when it is back", "[e2e]") {
    SiteOptions options;
    options.broker.persistence = true;
    Site site(options);
    {
        Node node(site, "node-a");
        site.plc("EL001:ack-late:1500ms");
        node.send(call_2);
        node.expect("1", "sent");
    }
    site.broker().stop();
    REQUIRE(wait_until([&] { return site.truth().lines("late_answer").size() == 1; }));
    site.broker().start();
    Node node(site, "node-a");
    CHECK(node.final_of("1", 30s).at("status") == "acked");
}

TEST_CASE("a missing broker at start is a state, not an end", "[e2e]") {
    SiteOptions options;
    options.start_daemon = false;
    Site site(options);
    site.broker().stop();
    ProcessOptions daemon;
    daemon.argv = {LIFTWARDEN_BINARY, "run", "-c", site.config()};
    daemon.stderr_file = site.dir().file("daemon2.log");
    Process process(daemon);
    REQUIRE(wait_until([&] {
        const auto status = site.command_line({"status", "-c", site.config(), "--json"});
        return status.code == 0 && status.text.find("\"quality\":\"good\"") != std::string::npos;
    }));
    site.broker().start();
    Node node(site, "node-a");
    REQUIRE(wait_until(
        [&] {
            node.send(call_2);
            return wait_until([&] { return node.count("1", "acked") > 0; }, 1s);
        },
        30s));
    CHECK(stops_in_two_seconds(process));
}

TEST_CASE("a missing PLC at start is a state, not an end", "[e2e]") {
    SiteOptions options;
    options.start_daemon = false;
    Site site(options);
    site.stop_plc();
    site.start_daemon();
    REQUIRE(site.observer().wait_for(
        [](const PeerMessage& message) { return message.topic == "lift/test/EL001/state"; }));
    CHECK(site.shows("EL001", "state", "phase", "offline"));
    site.start_plc();
    site.wait_ready();
}

TEST_CASE("SIGTERM ends within two seconds, whatever is unplugged", "[e2e][M20]") {
    SECTION("nothing") {
        Site site;
        CHECK(stops_in_two_seconds(site.daemon()));
        const auto status = site.last("EL001", "state");
        CHECK(status.at("gateway") == "gw-test");
    }
    SECTION("the broker hangs") {
        Site site;
        site.broker().pause();
        CHECK(stops_in_two_seconds(site.daemon()));
        site.broker().resume();
    }
    SECTION("the broker is gone") {
        Site site;
        site.broker().kill();
        CHECK(stops_in_two_seconds(site.daemon()));
    }
    SECTION("the PLC is silent") {
        Site site;
        site.plc("EL001:silence:60s");
        REQUIRE(wait_until([&] { return site.shows("EL001", "state", "quality", "stale"); }));
        CHECK(stops_in_two_seconds(site.daemon()));
    }
    SECTION("a command is in flight") {
        Site site;
        Node node(site, "node-a");
        site.plc("EL001:ack-late:5s");
        node.send(call_2);
        node.expect("1", "sent");
        CHECK(stops_in_two_seconds(site.daemon()));
    }
}

TEST_CASE("queued commands survive an orderly stop", "[e2e]") {
    Site site;
    Node a(site, "node-a");
    Node b(site, "node-b");
    a.send(R"("seq":"1","action":"car_call","floor":"3")");
    a.expect("1", "acked");
    b.send(R"("seq":"2","action":"car_call","floor":"1")");
    b.expect("2", "accepted");
    CHECK(stops_in_two_seconds(site.daemon()));
    site.start_daemon();
    a.send(R"("seq":"3","action":"release")");
    CHECK(b.final_of("2", 30s).at("status") == "acked");
}

TEST_CASE("the gateway's status is retained: online, and offline after death", "[e2e]") {
    Site site;
    const auto online = [](const char* word) {
        return [word](const PeerMessage& message) {
            return message.topic == "lift/test/gateway/gw-test" &&
                   message.payload.find(std::string("\"online\":") + word) != std::string::npos;
        };
    };
    REQUIRE(site.observer().wait_for(online("true")));
    site.daemon().kill();
    REQUIRE(site.observer().wait_for(online("false")));
}

TEST_CASE(
    "another gateway that claims the elevator locks it out until it withdraws and somebody resets",
    "[e2e]") {
    Site site;
    Node node(site, "node-a");
    MqttPeer other(site.broker().port(), "gw-other");
    other.publish({"lift/test/gateway/gw-other",
                   R"({"gateway":"gw-other","online":true,"elevators":["EL001"],"boot_id":"x"})",
                   true,
                   {}});
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "channel", "locked_out"); }));
    node.send(call_2);
    CHECK(node.final_of("1").at("reason") == "elevator_unknown");
    const auto early =
        site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", "no"});
    CHECK(early.code == 1);
    CHECK(early.text.find("gw-other") != std::string::npos);
    other.publish({"lift/test/gateway/gw-other", "", true, {}});
    REQUIRE(wait_until([&] {
        return site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", "no"})
                   .code == 0;
    }));
    node.send(R"("seq":"2","action":"car_call","floor":"2")");
    CHECK(node.final_of("2").at("status") == "acked");
}

TEST_CASE("a second daemon on the same journal is refused with a clear word", "[e2e]") {
    Site site;
    const auto second = site.command_line({"run", "-c", site.config()});
    CHECK(second.code != 0);
    INFO(second.text);
    CHECK((second.text.find("journal") != std::string::npos ||
           second.text.find("running") != std::string::npos));
    CHECK(site.daemon().running());
}

TEST_CASE("a bad configuration exits 78 with every problem named", "[e2e]") {
    const TempDir dir;
    const std::string file = dir.file("bad.yaml");
    write_file(file,
               "gateway: {id: gw, site: s}\nmqtt: {url: \"http://x\", usrname: a}\nbuses: {}\n"
               "elevators: {}\n");
    ProcessOptions options;
    options.argv = {LIFTWARDEN_BINARY, "run", "-c", file};
    options.stderr_file = dir.file("err");
    Process process(options);
    CHECK(process.wait() == 78);
    const std::string said = read_file(dir.file("err"));
    INFO(said);
    CHECK(said.find("bad.yaml:2:") != std::string::npos);
    CHECK(said.find("usrname") != std::string::npos);
    CHECK(said.find("username") != std::string::npos);
    CHECK(said.find("http://x") != std::string::npos);
}

TEST_CASE("send publishes one command and prints its results", "[e2e]") {
    Site site;
    const auto sent =
        site.command_line({"send", "-c", site.config(), "EL001", "car_call", "2", "--seq", "77"});
    INFO(sent.text);
    CHECK(sent.code == 0);
    CHECK(sent.text.find("acked") != std::string::npos);
    const auto refused =
        site.command_line({"send", "-c", site.config(), "EL001", "car_call", "9", "--seq", "78"});
    CHECK(refused.code == 1);
    CHECK(refused.text.find("unknown_floor") != std::string::npos);
    CHECK(site.truth().executed() == std::vector<std::string>{"car_call 2"});
}

TEST_CASE("status without a daemon exits 69", "[e2e]") {
    SiteOptions options;
    options.start_daemon = false;
    Site site(options);
    CHECK(site.command_line({"status", "-c", site.config()}).code == 69);
}
