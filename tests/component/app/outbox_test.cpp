#include "src/app/outbox.hpp"

#include "tests/support/fake_ports.hpp"

#include <catch2/catch.hpp>

namespace app = liftwarden::app;
namespace ports = liftwarden::ports;
using namespace liftwarden::test;

namespace {

struct World {
    FakeJournal journal;
    FakeBroker broker;
    DeferredWork loop;
    app::Outbox outbox{journal, broker, [this](auto work) { loop(std::move(work)); }, 4};

    void confirm_all() {
        broker.finish_all(true);
        loop.run();
    }
    // Confirms and fetches until nothing is left to do.
    void drain() {
        for (int round = 0; round < 100; ++round) {
            confirm_all();
            outbox.retry();
            while (!journal.fetches.empty()) {
                outbox.offer(journal.answer());
            }
        }
    }
    std::vector<std::string> published() const {
        std::vector<std::string> payloads;
        for (const auto& message : broker.history) {
            payloads.push_back(message.payload);
        }
        return payloads;
    }
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("outbox: a message is published once online and reported when confirmed",
          "[app][outbox]") {
    World world;
    world.outbox.start(ports::OutboxId{0});
    world.outbox.offer(world.journal.add(1, 2));
    CHECK(world.broker.sent.empty());
    world.outbox.online();
    CHECK(world.broker.payloads() == Texts{"1", "2"});
    CHECK(world.journal.confirmed.empty());
    world.confirm_all();
    CHECK(world.journal.confirmed == std::vector<std::uint64_t>{1, 2});
    CHECK(world.outbox.empty());
}

TEST_CASE("outbox: messages of an earlier process go out first", "[app][outbox]") {
    World world;
    world.journal.add(5, 7);
    world.outbox.start(ports::OutboxId{7});
    world.outbox.online();
    REQUIRE(world.journal.fetches.size() == 1);
    world.outbox.offer(world.journal.add(8, 8));  // a commit, before the answer to the fetch
    CHECK(world.broker.sent.empty());
    world.drain();
    CHECK(world.published() == Texts{"5", "6", "7", "8"});
    CHECK(world.outbox.empty());
}

TEST_CASE("outbox: what does not fit into the window stays in the journal and follows in order",
          "[app][outbox]") {
    World world;
    world.outbox.start(ports::OutboxId{0});
    world.outbox.online();
    world.outbox.offer(world.journal.add(1, 6));
    world.outbox.offer(world.journal.add(7, 9));
    CHECK(world.outbox.unconfirmed() == 4);
    CHECK(world.broker.payloads() == Texts{"1", "2", "3", "4"});
    world.drain();
    CHECK(world.published() == Texts{"1", "2", "3", "4", "5", "6", "7", "8", "9"});
    CHECK(world.journal.stored.empty());
    CHECK(world.outbox.empty());
}

TEST_CASE("outbox: a commit between a fetch and its answer is neither lost nor taken for it",
          "[app][outbox]") {
    World world;
    world.outbox.start(ports::OutboxId{0});
    world.outbox.online();
    world.outbox.offer(world.journal.add(1, 8));
    world.confirm_all();
    REQUIRE(world.journal.fetches.size() == 1);
    const auto answer = world.journal.answer();
    world.outbox.offer(world.journal.add(9, 9));
    world.outbox.offer(answer);
    world.drain();
    CHECK(world.published() == Texts{"1", "2", "3", "4", "5", "6", "7", "8", "9"});
}

TEST_CASE("outbox: after a lost link everything unconfirmed is sent again in order",
          "[app][outbox]") {
    World world;
    world.outbox.start(ports::OutboxId{0});
    world.outbox.online();
    world.outbox.offer(world.journal.add(1, 3));
    world.broker.finish(true);
    world.outbox.offline();
    world.broker.finish_all(false);
    world.loop.run();
    world.outbox.offer(world.journal.add(4, 4));
    CHECK(world.broker.sent.empty());
    world.outbox.online();
    CHECK(world.broker.payloads() == Texts{"2", "3", "4"});
}

TEST_CASE("outbox: an answer about the lost link does not disturb the new one", "[app][outbox]") {
    World world;
    world.outbox.start(ports::OutboxId{0});
    world.outbox.online();
    world.outbox.offer(world.journal.add(1, 1));
    world.outbox.offline();
    world.outbox.online();
    REQUIRE(world.broker.payloads() == Texts{"1", "1"});
    SECTION("failed: the second one is still under way") {
        world.broker.finish(false);
        world.loop.run();
        world.outbox.retry();
        CHECK(world.broker.payloads() == Texts{"1"});
    }
    SECTION("delivered after all: done") {
        world.broker.finish(true);
        world.loop.run();
        CHECK(world.outbox.empty());
        world.broker.finish(true);
        world.loop.run();
        CHECK(world.journal.confirmed == std::vector<std::uint64_t>{1});
    }
}

TEST_CASE("outbox: a full send queue is retried, not spun on", "[app][outbox]") {
    World world;
    world.broker.full = true;
    world.outbox.start(ports::OutboxId{0});
    world.outbox.online();
    world.outbox.offer(world.journal.add(1, 2));
    world.loop.run();
    world.broker.full = false;
    CHECK(world.broker.sent.empty());
    world.outbox.retry();
    CHECK(world.broker.payloads() == Texts{"1", "2"});
}

TEST_CASE("outbox: a thousand messages of an outage pass through a small window", "[app][outbox]") {
    World world;
    world.journal.add(1, 1'000);
    world.outbox.start(ports::OutboxId{1'000});
    world.outbox.online();
    std::size_t most = 0;
    while (!world.outbox.empty()) {
        while (!world.journal.fetches.empty()) {
            world.outbox.offer(world.journal.answer());
        }
        most = std::max(most, world.outbox.unconfirmed());
        world.confirm_all();
    }
    CHECK(most == 4);
    CHECK(world.published().size() == 1'000);
    CHECK(world.journal.stored.empty());
}

TEST_CASE("outbox: messages the broker will not have do not hold up the others", "[app][outbox]") {
    World world;
    world.outbox.start(ports::OutboxId{0});
    world.outbox.online();
    world.outbox.offer(world.journal.add(1, 8));
    // Refuses 1 to 4, which fill the window, for ever.
    const auto serve = [&] {
        for (auto count = world.broker.sent.size(); count > 0; --count) {
            const auto id = std::stoul(world.broker.sent.front().message.payload);
            world.broker.finish(id > 4);
        }
        world.loop.run();
        world.outbox.retry();
        while (!world.journal.fetches.empty()) {
            world.outbox.offer(world.journal.answer());
        }
    };
    for (int second = 0; second < 60; ++second) {
        serve();
    }
    CHECK(world.journal.confirmed == std::vector<std::uint64_t>{5, 6, 7, 8});
    CHECK(world.journal.stored.size() == 4);
    SECTION("they get another chance on the next link") {
        world.outbox.offline();
        world.outbox.online();
        world.drain();
        CHECK(world.journal.stored.empty());
    }
    SECTION("they get another chance after some minutes") {
        for (int second = 0; second < 600; ++second) {
            world.outbox.retry();
        }
        world.drain();
        CHECK(world.journal.stored.empty());
    }
}
