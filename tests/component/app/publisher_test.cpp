#include "src/app/publisher.hpp"

#include "tests/support/fake_ports.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>

namespace app = liftwarden::app;
namespace core = liftwarden::core;
namespace wire = liftwarden::wire;
using namespace liftwarden::test;
using namespace std::chrono_literals;

namespace {

struct World {
    ManualClock clock;
    FakeBroker broker;
    DeferredWork loop;
    wire::Topics topics{"lift", "site"};
    app::Publisher publisher{broker, topics, core::GatewayId{"gw-01"}, clock, [this](auto work) {
                                 loop(std::move(work));
                             }};

    void confirm_all() {
        broker.finish_all(true);
        loop.run();
    }
};

core::StateView state(core::TimePoint observed_at, std::uint32_t queue) {
    core::StateView view;
    view.elevator = core::ElevatorId{"EL001"};
    view.observation = core::Observation{};
    view.observed_at = observed_at;
    view.queue = queue;
    return view;
}

core::ResultMessage result() {
    core::ResultMessage message;
    message.elevator = core::ElevatorId{"EL001"};
    message.to = core::SourceId{"node-a"};
    message.seq = core::Seq{"1"};
    return message;
}

boost::json::object last(const FakeBroker& broker) {
    return boost::json::parse(broker.sent.back().message.payload).as_object();
}

}  // namespace

TEST_CASE("publisher: of a retained topic only the newest content is sent after the one under way",
          "[app][publisher]") {
    World world;
    world.publisher.online();
    for (std::uint32_t queue = 1; queue <= 50; ++queue) {
        world.publisher.state(state(world.clock.now(), queue));
    }
    REQUIRE(world.broker.sent.size() == 1);
    CHECK(world.broker.sent.front().message.retained);
    CHECK(world.broker.sent.front().message.expiry == 15s);
    world.confirm_all();
    REQUIRE(world.broker.sent.size() == 1);
    CHECK(last(world.broker).at("queue") == 50);
    world.confirm_all();
    CHECK(world.broker.sent.empty());
    CHECK(world.publisher.unconfirmed() == 0);
}

TEST_CASE("publisher: the age of a state is that of the moment it is sent", "[app][publisher]") {
    World world;
    world.publisher.state(state(world.clock.now(), 0));
    world.clock.advance(7s);
    world.publisher.online();
    REQUIRE(world.broker.sent.size() == 1);
    CHECK(last(world.broker).at("age_ms") == 7000);
}

TEST_CASE("publisher: every retained topic is sent again after a reconnect", "[app][publisher]") {
    World world;
    world.publisher.gateway_status([] { return std::string{"{}"}; });
    core::SessionView session;
    session.elevator = core::ElevatorId{"EL001"};
    world.publisher.session(session);
    world.publisher.state(state(world.clock.now(), 0));
    world.publisher.online();
    CHECK(world.broker.sent.size() == 3);
    world.publisher.offline();
    world.broker.finish_all(false);
    world.loop.run();
    world.publisher.online();
    CHECK(world.broker.sent.size() == 3);
    world.confirm_all();
    CHECK(world.broker.sent.empty());
}

TEST_CASE("publisher: results while offline and above the bound are dropped and counted",
          "[app][publisher]") {
    World world;
    world.publisher.result(result());
    CHECK(world.publisher.dropped() == 1);
    world.publisher.online();
    for (int i = 0; i < 2000; ++i) {
        world.publisher.result(result());
    }
    CHECK(world.broker.sent.size() == 512);
    CHECK(world.publisher.dropped() == 1 + 2000 - 512);
    world.confirm_all();
    world.publisher.result(result());
    CHECK(world.broker.sent.size() == 1);
}

TEST_CASE("publisher: a flood of refusals does not crowd out other answers", "[app][publisher]") {
    World world;
    world.publisher.online();
    for (int i = 0; i < 10'000; ++i) {
        world.publisher.refusal(result());
    }
    const auto refusals = world.broker.sent.size();
    CHECK(refusals == 64);
    world.publisher.result(result());
    CHECK(world.broker.sent.size() == refusals + 1);
}

TEST_CASE("publisher: a result goes to the source, and a copy to its Response Topic",
          "[app][publisher]") {
    World world;
    world.publisher.online();
    auto message = result();
    message.reply = core::ReplyTo{"lift/site/reply/node-a/x", std::string{"\0\1", 2}};
    world.publisher.result(message);
    REQUIRE(world.broker.sent.size() == 2);
    const auto& plain = world.broker.sent[0].message;
    const auto& copy = world.broker.sent[1].message;
    CHECK(plain.topic == "lift/site/EL001/result/node-a");
    CHECK_FALSE(plain.correlation);
    CHECK_FALSE(plain.retained);
    CHECK(copy.topic == "lift/site/reply/node-a/x");
    CHECK(copy.correlation == std::string{"\0\1", 2});
    CHECK(copy.payload == plain.payload);
}

TEST_CASE("publisher: an alarm of the gateway itself reaches every elevator's event topic",
          "[app][publisher]") {
    World world;
    for (const auto* id : {"EL001", "EL002"}) {
        core::SessionView session;
        session.elevator = core::ElevatorId{id};
        world.publisher.session(session);
    }
    world.publisher.online();
    world.confirm_all();
    core::Alarm alarm;
    alarm.kind = "gateway_id_in_use";
    world.publisher.event(alarm);
    REQUIRE(world.broker.sent.size() == 2);
    CHECK(world.broker.sent[0].message.topic == "lift/site/EL001/event");
    CHECK(world.broker.sent[1].message.topic == "lift/site/EL002/event");
}
