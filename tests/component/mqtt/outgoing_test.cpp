#include "src/adapters/mqtt/outgoing.hpp"

#include "tests/component/mqtt/fixture.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::test;
using mqtt::Outgoing;

TEST_CASE("outgoing: closed, it refuses; open, it hands out in order", "[mqtt][outgoing]") {
    Outgoing outgoing(10, 10);
    Outcomes outcomes;
    CHECK_FALSE(outgoing.offer(message("t", "0"), outcomes.done()));
    CHECK(outcomes.refused == 1);
    outgoing.open();
    CHECK(outgoing.offer(message("t", "1"), outcomes.done()));
    CHECK(outgoing.offer(message("t", "2"), outcomes.done()));
    CHECK(outgoing.next()->message.payload == "1");
    CHECK(outgoing.next()->message.payload == "2");
    CHECK_FALSE(outgoing.next().has_value());
    CHECK(outcomes.total() == 1);
}

TEST_CASE("outgoing: the window holds back, an answer lets one more go", "[mqtt][outgoing]") {
    Outgoing outgoing(10, 2);
    Outcomes outcomes;
    outgoing.open();
    for (int index = 0; index < 3; ++index) {
        outgoing.offer(message("t", ""), outcomes.done());
    }
    const auto first = outgoing.next();
    REQUIRE(first);
    REQUIRE(outgoing.next());
    CHECK_FALSE(outgoing.next().has_value());
    outgoing.finish(first->id, true);
    CHECK(outcomes.delivered == 1);
    CHECK(outgoing.delivered() == 1);
    CHECK(outgoing.next().has_value());
}

TEST_CASE("outgoing: a full queue refuses and counts", "[mqtt][outgoing]") {
    Outgoing outgoing(2, 1);
    Outcomes outcomes;
    outgoing.open();
    CHECK(outgoing.offer(message("t", ""), outcomes.done()));
    CHECK(outgoing.offer(message("t", ""), outcomes.done()));
    CHECK_FALSE(outgoing.offer(message("t", ""), outcomes.done()));
    CHECK(outcomes.refused == 1);
    CHECK(outgoing.dropped() == 1);
}

TEST_CASE("outgoing: closing ends everything once, and late answers change nothing",
          "[mqtt][outgoing]") {
    Outgoing outgoing(10, 1);
    Outcomes outcomes;
    outgoing.open();
    outgoing.offer(message("t", "sent"), outcomes.done());
    outgoing.offer(message("t", "waiting"), outcomes.done());
    const auto sent = outgoing.next();
    outgoing.close();
    CHECK(outcomes.refused == 2);
    CHECK(outgoing.idle());
    outgoing.finish(sent->id, true);
    CHECK(outcomes.delivered == 0);
    outgoing.open();
    outgoing.offer(message("t", "new"), outcomes.done());
    CHECK(outgoing.next()->id != sent->id);
}

TEST_CASE("outgoing: draining takes no more but lets go what is there", "[mqtt][outgoing]") {
    Outgoing outgoing(10, 10);
    Outcomes outcomes;
    outgoing.open();
    outgoing.offer(message("t", "there"), outcomes.done());
    outgoing.drain();
    CHECK_FALSE(outgoing.offer(message("t", "late"), outcomes.done()));
    CHECK_FALSE(outgoing.idle());
    const auto item = outgoing.next();
    REQUIRE(item);
    outgoing.finish(item->id, true);
    CHECK(outgoing.idle());
    CHECK(outcomes.delivered == 1);
}
