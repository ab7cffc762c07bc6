#include "src/app/inbox.hpp"

#include "tests/support/fake_ports.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>

#include <thread>

namespace app = liftwarden::app;
namespace core = liftwarden::core;
namespace ports = liftwarden::ports;
namespace wire = liftwarden::wire;
using namespace liftwarden::test;

namespace {

core::GatewayConfig config() {
    core::GatewayConfig config;
    config.id = core::GatewayId{"gw-01"};
    config.site = "site";
    core::ElevatorConfig elevator;
    elevator.id = core::ElevatorId{"EL001"};
    elevator.floors = {{core::FloorLabel{"1"}, 1, {core::Side::front}},
                       {core::FloorLabel{"2"}, 2, {core::Side::front}}};
    elevator.actions = {core::ActionKind::hall_call, core::ActionKind::car_call};
    config.elevators.push_back(elevator);
    return config;
}

// What the loop was told.
struct Listener final : app::InboxListener {
    void refused(const core::ElevatorId&,
                 const core::SourceId& source,
                 const wire::Refusal& refusal) override {
        refusals.emplace_back(source.str(), refusal.reason);
    }
    void raised(const core::Alarm& alarm) override { alarms.push_back(alarm.kind); }
    void online() override { ++online_count; }
    void offline(const std::string&) override { --online_count; }

    std::vector<std::pair<std::string, core::Reason>> refusals;
    std::vector<std::string> alarms;
    int online_count = 0;
};

struct World {
    explicit World(bool mqtt_5 = true) : version_5(mqtt_5) {}

    bool version_5;
    core::GatewayConfig gateway = config();
    wire::Topics topics{"lift", "site"};
    FakeJournal journal;
    EventLog events;
    ManualClock clock;
    app::Deliveries deliveries;
    Listener listener;
    DeferredWork loop;
    std::vector<int> ends;
    app::MqttInbox inbox{{gateway,
                          topics,
                          "boot-a",
                          journal,
                          events,
                          clock,
                          deliveries,
                          listener,
                          [this](auto work) { loop(std::move(work)); },
                          [this](int code, const std::string&) { ends.push_back(code); },
                          version_5,
                          200ms}};

    void receive(const std::string& topic, const std::string& payload, bool retained = false) {
        ports::InboundMessage message;
        message.topic = topic;
        message.payload = payload;
        message.retained = retained;
        message.received_at = clock.now();
        inbox.receive(std::move(message));
    }
};

constexpr auto dispatch = "lift/site/EL001/dispatch/node-a";
constexpr auto call = R"({"seq":"7","action":"car_call","floor":"2"})";

std::string gateway_status(const std::string& boot_id, bool online = true) {
    return R"({"gateway":"x","online":)" + std::string{online ? "true" : "false"} +
           R"(,"elevators":["EL001"],"boot_id":")" + boot_id + "\"}";
}

}  // namespace

TEST_CASE("inbox: a command waits for the core and returns when it is settled", "[app][inbox]") {
    World world;
    std::atomic<std::uint64_t> asked{0};
    world.journal.on_look_up = [&](const core::CommandReceived& event) {
        CHECK(event.command.seq == core::Seq{"7"});
        asked = event.delivery.value();
    };
    std::atomic<bool> returned{false};
    std::thread receiver([&] {
        world.receive(dispatch, call);
        returned = true;
    });
    REQUIRE(wait_until([&] { return asked != 0; }));
    CHECK_FALSE(returned);
    world.deliveries.settle(core::DeliveryId{asked});
    receiver.join();
    CHECK(world.ends.empty());
    CHECK(world.inbox.counts().commands == 1);
}

TEST_CASE("inbox: a command that is not durable in time ends the process unacknowledged",
          "[app][inbox]") {
    World world;
    world.receive(dispatch, call);
    CHECK(world.ends == std::vector<int>{75});
}

TEST_CASE("inbox: settling early or twice is harmless", "[app][inbox]") {
    World world;
    world.journal.on_look_up = [&](const core::CommandReceived& event) {
        world.deliveries.settle(event.delivery);
        world.deliveries.settle(event.delivery);
    };
    world.receive(dispatch, call);
    CHECK(world.ends.empty());
}

TEST_CASE("inbox: a refused message returns at once and is answered by the loop", "[app][inbox]") {
    World world;
    world.receive(dispatch, "nonsense");
    CHECK(world.listener.refusals.empty());
    world.loop.run();
    REQUIRE(world.listener.refusals.size() == 1);
    CHECK(world.listener.refusals[0].first == "node-a");
    CHECK(world.listener.refusals[0].second == core::Reason::bad_json);
    CHECK(world.ends.empty());
}

TEST_CASE("inbox: a retained command is refused", "[app][inbox]") {
    World world;
    world.receive(dispatch, call, true);
    world.loop.run();
    REQUIRE(world.listener.refusals.size() == 1);
    CHECK(world.listener.refusals[0].second == core::Reason::retained);
}

TEST_CASE("inbox: removing a retained command from the broker is met with silence",
          "[app][inbox]") {
    const auto version_5 = GENERATE(true, false);
    World world(version_5);
    world.receive(dispatch, "", version_5);  // MQTT 3.1.1 hides the flag of a live message
    CHECK(world.loop.waiting() == 0);
    CHECK(world.inbox.counts().refused == 0);
    CHECK(world.ends.empty());
}

TEST_CASE("inbox: an empty command is refused", "[app][inbox]") {
    World world;
    world.receive(dispatch, "");
    world.loop.run();
    REQUIRE(world.listener.refusals.size() == 1);
    CHECK(world.listener.refusals[0].second == core::Reason::bad_json);
}

TEST_CASE("inbox: a flood of bad messages keeps a bounded number waiting", "[app][inbox]") {
    World world;
    for (int i = 0; i < 10'000; ++i) {
        world.receive(dispatch, "nonsense");
    }
    CHECK(world.loop.waiting() == 256);
    CHECK(world.inbox.counts().refused == 10'000);
    CHECK(world.inbox.counts().unanswered == 10'000 - 256);
    world.loop.run();
    world.receive(dispatch, "nonsense");
    CHECK(world.loop.waiting() == 1);
}

TEST_CASE("inbox: other topics are ignored", "[app][inbox]") {
    World world;
    const auto topic = GENERATE(std::string{"lift/site/EL999/dispatch/node-a"},
                                std::string{"lift/other/EL001/dispatch/node-a"},
                                std::string{"lift/site/EL001/state"},
                                std::string{""});
    world.receive(topic, call);
    CHECK(world.inbox.counts().ignored == 1);
    CHECK(world.loop.waiting() == 0);
    CHECK(world.ends.empty());
}

TEST_CASE("inbox: another gateway's status reaches the core before the message is acknowledged",
          "[app][inbox]") {
    World world;
    std::thread receiver(
        [&] { world.receive("lift/site/gateway/gw-02", gateway_status("b"), true); });
    REQUIRE(wait_until([&] { return world.loop.waiting() == 1; }));
    const auto claims = world.events.of<core::GatewayClaim>();
    world.loop.run();
    receiver.join();
    REQUIRE(claims.size() == 1);
    CHECK(claims[0].gateway == core::GatewayId{"gw-02"});
    CHECK(claims[0].online);
    CHECK(world.ends.empty());
}

TEST_CASE("inbox: our own status is no claim, but our id on another machine is an alarm",
          "[app][inbox]") {
    World world;
    constexpr auto topic = "lift/site/gateway/gw-01";
    SECTION("this boot") {
        world.receive(topic, gateway_status("boot-a"));
    }
    SECTION("an earlier boot, retained") {
        world.receive(topic, gateway_status("boot-z"), true);
    }
    SECTION("going offline") {
        world.receive(topic, gateway_status("boot-z", false));
    }
    SECTION("nonsense") {
        world.receive(topic, "x");
    }
    SECTION("another boot, live") {
        world.receive(topic, gateway_status("boot-z"));
        world.loop.run();
        CHECK(world.listener.alarms == std::vector<std::string>{"gateway_id_in_use"});
        world.listener.alarms.clear();
    }
    world.loop.run();
    CHECK(world.listener.alarms.empty());
    CHECK(world.events.events().empty());
}

TEST_CASE("inbox: after the journal is closed a message ends the process unacknowledged",
          "[app][inbox]") {
    World world;
    world.inbox.close();
    world.receive(dispatch, call);
    CHECK(world.ends == std::vector<int>{0});
    CHECK(world.inbox.counts().commands == 0);
}

TEST_CASE("inbox: the link's state is passed on to the loop", "[app][inbox]") {
    World world;
    world.inbox.online();
    CHECK(world.listener.online_count == 0);
    world.loop.run();
    CHECK(world.listener.online_count == 1);
    world.inbox.offline("gone");
    world.loop.run();
    CHECK(world.listener.online_count == 0);
}
