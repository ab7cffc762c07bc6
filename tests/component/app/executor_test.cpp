#include "src/app/executor.hpp"

#include "tests/support/fake_ports.hpp"

#include <catch2/catch.hpp>

namespace app = liftwarden::app;
namespace core = liftwarden::core;
namespace ports = liftwarden::ports;
namespace wire = liftwarden::wire;
using namespace liftwarden::test;
using namespace std::chrono_literals;

namespace {

const core::ElevatorId first{"EL001"};
const core::ElevatorId second{"EL002"};

struct World {
    ManualClock clock;
    FakeJournal journal;
    FakeBroker broker;
    DeferredWork loop;
    wire::Topics topics{"lift", "site"};
    app::Publisher publisher{broker, topics, core::GatewayId{"gw-01"}, clock, [this](auto work) {
                                 loop(std::move(work));
                             }};
    app::Deliveries deliveries;
    FakeLink link_a;
    FakeLink link_b;
    std::map<core::ElevatorId, ports::ElevatorLink*> links{{first, &link_a}, {second, &link_b}};
    std::vector<core::ControlReply> replies;
    app::Executor executor{{journal,
                            publisher,
                            deliveries,
                            topics,
                            clock,
                            links,
                            nullptr,
                            [this](const core::ControlReply& reply) { replies.push_back(reply); }}};

    World() { publisher.online(); }
};

core::ResultMessage result(const core::ElevatorId& elevator) {
    core::ResultMessage message;
    message.elevator = elevator;
    message.to = core::SourceId{"node-a"};
    message.seq = core::Seq{"1"};
    message.status = core::Status::acked;
    return message;
}

}  // namespace

TEST_CASE("executor: bus actions reach the bus of their elevator, in order", "[app][executor]") {
    World world;
    const core::Actions actions{core::RequestGrant{first, core::GrantId{1}},
                                core::RequestGrant{second, core::GrantId{2}},
                                core::WriteCommand{first, core::GrantId{1}, {}, {}},
                                core::ReleaseGrant{second, core::GrantId{2}},
                                core::RequestRead{first, core::ReadKind::acknowledgement},
                                core::WriteHeartbeat{second, 7},
                                core::ResetLink{first}};
    world.executor.run(actions);
    CHECK((world.link_a.calls == core::Actions{actions[0], actions[2], actions[4], actions[6]}));
    CHECK((world.link_b.calls == core::Actions{actions[1], actions[3], actions[5]}));
}

TEST_CASE("executor: results inside a commit become outbox messages of the same transaction",
          "[app][executor]") {
    World world;
    core::CommandRow row;
    row.command.elevator = first;
    auto message = result(first);
    message.reply = core::ReplyTo{"lift/site/reply/node-a/x", "id"};
    world.executor.run({core::Commit{core::Ticket{9}, {row, message, core::Alarm{}}, false}});
    REQUIRE(world.journal.batches.size() == 1);
    const auto& batch = world.journal.batches[0];
    CHECK(batch.ticket == core::Ticket{9});
    CHECK_FALSE(batch.urgent);
    REQUIRE(batch.writes.size() == 2);
    CHECK((batch.writes[0] == core::JournalWrite{row}));
    REQUIRE(batch.outbox.size() == 2);
    CHECK(batch.outbox[0].topic == "lift/site/EL001/result/node-a");
    CHECK_FALSE(batch.outbox[0].correlation);
    CHECK(batch.outbox[1].topic == "lift/site/reply/node-a/x");
    CHECK(batch.outbox[1].correlation == "id");
    CHECK_THAT(batch.outbox[0].payload, Catch::Contains("\"acked\""));
    CHECK(world.broker.sent.empty());
}

TEST_CASE("executor: settling lets the waiting delivery go", "[app][executor]") {
    World world;
    const auto delivery = world.deliveries.open();
    world.executor.run({core::Settle{delivery}});
    CHECK(world.deliveries.wait(delivery, 0s));
}

TEST_CASE("executor: publications go to the broker on their topics", "[app][executor]") {
    World world;
    core::StateView state;
    state.elevator = first;
    core::SessionView session;
    session.elevator = first;
    core::Alarm alarm;
    alarm.elevator = first;
    alarm.kind = "lock_out";
    world.executor.run({core::PublishState{state},
                        core::PublishSession{session},
                        core::Raise{alarm},
                        core::PublishResult{result(first)}});
    std::vector<std::string> topics;
    for (const auto& sent : world.broker.sent) {
        topics.push_back(sent.message.topic);
    }
    CHECK(topics == std::vector<std::string>{"lift/site/EL001/state",
                                             "lift/site/EL001/session",
                                             "lift/site/EL001/event",
                                             "lift/site/EL001/result/node-a"});
}

TEST_CASE("executor: the core's answer to an operator is passed on", "[app][executor]") {
    World world;
    const core::ControlReply reply{core::RequestId{3}, true, "done"};
    world.executor.run({reply});
    CHECK((world.replies == std::vector<core::ControlReply>{reply}));
}
