// The PLC goes, comes back as another, or has a second master.
#include "tests/e2e/load.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::test;

namespace {

using Executed = std::vector<std::string>;

constexpr const char* call_2 = R"("seq":"1","action":"car_call","floor":"2")";

SiteOptions one_quick_elevator() {
    SiteOptions options = quick_site();
    options.elevators = {"EL001"};
    options.elevator_keys.emplace_back("ack_timeout: 1s");
    return options;
}

void warm_up(Node& node) {
    node.send(R"("seq":"0","action":"car_call","floor":"1")");
    node.expect("0", "served");
}

bool shows_lock_out(const Site& site, const std::string& config, const std::string& cause) {
    return wait_until(
        [&] {
            const auto status = site.command_line({"status", "-c", config, "--json"});
            return status.text.find("\"lock_out\":\"" + cause) != std::string::npos;
        },
        20s);
}

bool locked_out(const Site& site, const std::string& cause) {
    return shows_lock_out(site, site.config(), cause);
}

bool event_seen(Site& site, const std::string& kind) {
    return site.observer()
        .wait_for([&](const PeerMessage& message) {
            return message.topic == "lift/test/EL001/event" &&
                   message.payload.find(kind) != std::string::npos;
        })
        .has_value();
}

void reset_elevator(const Site& site, const std::string& took_effect) {
    const auto reset =
        site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", took_effect});
    INFO(reset.text);
    REQUIRE(reset.code == 0);
}

// Another gateway computer with a copy of the configuration: its own id, files and maybe broker.
class SecondGateway {
  public:
    SecondGateway(const Site& site, std::uint16_t broker) {
        config_ = dir_.file("liftwarden.yaml");
        std::string text = read_file(site.config());
        replace(text, "gw-test", "gw-copy");
        replace(text, site.journal(), dir_.file("journal.db"));
        replace(text, site.dir().file("control.sock"), dir_.file("control.sock"));
        const std::size_t at = text.find("mqtt://127.0.0.1:") + 17;
        text.replace(at, text.find('"', at) - at, std::to_string(broker));
        write_file(config_, text);
        ProcessOptions options;
        options.argv = {LIFTWARDEN_BINARY, "run", "-c", config_};
        options.stderr_file = dir_.file("log");
        process_ = std::make_unique<Process>(options);
    }
    [[nodiscard]] const std::string& config() const { return config_; }
    void stop() { process_->stop(); }

  private:
    static void replace(std::string& text, const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    }

    TempDir dir_;
    std::string config_;
    std::unique_ptr<Process> process_;
};

}  // namespace

TEST_CASE("a PLC that is gone after it executed: the command waits, then is acked by the echo",
          "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:reply-lost");
    node.send(call_2);
    REQUIRE(wait_until([&] { return site.truth().executed().size() == 2; }));
    site.plc("EL001:refuse-connections:3s");
    CHECK(event_seen(site, "verifying"));
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().writes() == 2);
}

TEST_CASE("a PLC that is gone before the write arrived: proved not taken, written once more",
          "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:drop-before-write");
    node.send(call_2);
    node.expect("1", "sent");
    site.plc("EL001:refuse-connections:2s");
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
}

TEST_CASE("a PLC that restarts with a command in flight: nobody knows, an operator decides",
          "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:ack-late:20s");
    node.send(call_2);
    REQUIRE(wait_until([&] { return site.truth().executed().size() == 2; }));
    site.plc("EL001:reboot:500ms");
    const auto doubtful = node.expect("1", "unknown", 20s);
    CHECK(doubtful.at("needs_operator").as_bool());
    REQUIRE(locked_out(site, "unknown_outcome"));
    node.send(R"("seq":"2","action":"car_call","floor":"3")");
    CHECK(node.final_of("2").at("reason") == "elevator_unknown");
    reset_elevator(site, "no");
    const auto resolved = node.final_of("1");
    CHECK(resolved.at("status") == "failed");
    CHECK(resolved.at("reason") == "operator");
    node.send(R"("seq":"3","action":"car_call","floor":"3")");
    CHECK(node.final_of("3").at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2", "car_call 3"});
}

TEST_CASE("a PLC that restarts while commands wait: they are written after a scan of the new one",
          "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:reboot:1s");
    node.send(call_2);
    CHECK(event_seen(site, "plc_restarted"));
    CHECK(node.final_of("1", 20s).at("status") == "acked");
    CHECK(site.truth().executed() == Executed{"car_call 1", "car_call 2"});
}

TEST_CASE("a PLC replaced by a fresh one is taken for a restarted one", "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    warm_up(node);
    site.stop_plc();
    REQUIRE(wait_until([&] { return site.shows("EL001", "state", "quality", "stale"); }));
    site.start_plc();
    CHECK(event_seen(site, "plc_restarted"));
    node.send(call_2);
    CHECK(node.final_of("1", 20s).at("status") == "acked");
}

TEST_CASE(
    "a PLC replaced by one that served somebody else: nothing is written until somebody looked",
    "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    warm_up(node);
    // The spare's registers: an echo that is nobody's here.
    site.plc("EL001:refuse-connections:1500ms");
    site.plc("EL001:foreign-write:car_call:3:777");
    REQUIRE(locked_out(site, "foreign_writer"));
    const std::size_t writes = site.truth().writes();
    node.send(call_2);
    CHECK(node.final_of("1").at("reason") == "elevator_unknown");
    CHECK(site.truth().writes() == writes);
    reset_elevator(site, "no");
    node.send(R"("seq":"2","action":"car_call","floor":"2")");
    CHECK(node.final_of("2", 20s).at("status") == "acked");
}

TEST_CASE(
    "a second writer while our command is in flight: unknown, locked out, never written again",
    "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    warm_up(node);
    site.plc("EL001:ack-late:20s");
    node.send(call_2);
    node.expect("1", "sent");
    REQUIRE(wait_until([&] { return site.truth().executed().size() == 2; }));
    site.plc("EL001:foreign-write:car_call:4");
    node.expect("1", "unknown", 20s);
    REQUIRE(locked_out(site, "unknown_outcome"));
    const SimLog truth = site.truth();
    std::size_t ours = 0;
    for (const auto& line : truth.lines("mailbox_write")) {
        ours += line.at("argument").to_number<int>() == 2 ? 1U : 0U;
    }
    CHECK(ours == 1);
}

TEST_CASE("two gateways on one PLC, one broker: each hears of the other and both stop",
          "[e2e][plc]") {
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    SecondGateway copy(site, site.broker().port());
    REQUIRE(locked_out(site, "second_gateway"));
    REQUIRE(shows_lock_out(site, copy.config(), "second_gateway"));
    node.send(call_2);
    CHECK(node.final_of("1").at("reason") == "elevator_unknown");
    CHECK(site.truth().writes() == 0);
    copy.stop();
    // Its farewell ends the claim.
    REQUIRE(wait_until([&] {
        return site.command_line({"reset", "-c", site.config(), "EL001", "--took-effect", "no"})
                   .code == 0;
    }));
    node.send(R"("seq":"2","action":"car_call","floor":"2")");
    CHECK(node.final_of("2").at("status") == "acked");
}

TEST_CASE("two gateways on one PLC that share no broker: the echo gives it away", "[e2e][plc]") {
    Mosquitto elsewhere;
    Site site(one_quick_elevator());
    Node node(site, "node-a");
    SECTION("the copy comes later, to a PLC that has been used") {
        warm_up(node);
        SecondGateway copy(site, elsewhere.port());
        CHECK(shows_lock_out(site, copy.config(), "ledger_lost"));
        node.send(call_2);
        CHECK(node.final_of("1").at("status") == "acked");
    }
    SECTION("both are there first: the write of one stops the other") {
        SecondGateway copy(site, elsewhere.port());
        REQUIRE(wait_until([&] {
            return site.command_line({"status", "-c", copy.config(), "--json"})
                       .text.find("\"quality\":\"good\"") != std::string::npos;
        }));
        warm_up(node);
        CHECK(shows_lock_out(site, copy.config(), "foreign_writer"));
        // And the one that is stopped writes nothing, whatever it is told.
        const auto sent = site.command_line(
            {"send", "-c", copy.config(), "EL001", "car_call", "4", "--seq", "9"});
        CHECK(sent.text.find("elevator_unknown") != std::string::npos);
        CHECK(site.truth().executed() == Executed{"car_call 1"});
    }
}
