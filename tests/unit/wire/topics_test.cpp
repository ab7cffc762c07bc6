#include "src/wire/topics.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::wire;

namespace {

const Topics topics("lift", "dc-east");
const core::ElevatorId elevator("EL001");
const core::SourceId source("node-a");

}  // namespace

TEST_CASE("topics: each topic of the contract is built", "[wire][topics]") {
    CHECK(topics.dispatch(elevator, source) == "lift/dc-east/EL001/dispatch/node-a");
    CHECK(topics.ride(elevator, source) == "lift/dc-east/EL001/ride/node-a");
    CHECK(topics.result(elevator, source) == "lift/dc-east/EL001/result/node-a");
    CHECK(topics.ride_result(elevator, source) == "lift/dc-east/EL001/ride_result/node-a");
    CHECK(topics.state(elevator) == "lift/dc-east/EL001/state");
    CHECK(topics.session(elevator) == "lift/dc-east/EL001/session");
    CHECK(topics.event(elevator) == "lift/dc-east/EL001/event");
    CHECK(topics.node(source) == "lift/dc-east/node/node-a");
    CHECK(topics.gateway(core::GatewayId("gw-01")) == "lift/dc-east/gateway/gw-01");
}

TEST_CASE("topics: a prefix may have several levels", "[wire][topics]") {
    const Topics deep("acme/site7/lift", "dc");
    const std::string topic = deep.dispatch(elevator, source);
    CHECK(topic == "acme/site7/lift/dc/EL001/dispatch/node-a");
    CHECK(deep.parse(topic) == Topic(DispatchTopic{elevator, source}));
    CHECK(deep.parse("lift/dc/EL001/dispatch/node-a") == Topic(OtherTopic{}));
}

TEST_CASE("topics: a gateway hears its own elevators, all nodes and all gateways",
          "[wire][topics]") {
    CHECK(topics.subscriptions({elevator, core::ElevatorId("EL002")}) ==
          std::vector<std::string>{"lift/dc-east/EL001/dispatch/+",
                                   "lift/dc-east/EL002/dispatch/+",
                                   "lift/dc-east/node/+",
                                   "lift/dc-east/gateway/+"});
}

TEST_CASE("topics: what is built is read back", "[wire][topics]") {
    CHECK(topics.parse(topics.dispatch(elevator, source)) ==
          Topic(DispatchTopic{elevator, source}));
    CHECK(topics.parse(topics.node(source)) == Topic(NodeTopic{source}));
    CHECK(topics.parse(topics.gateway(core::GatewayId("gw-01"))) ==
          Topic(GatewayTopic{core::GatewayId("gw-01")}));
}

TEST_CASE("topics: anything else is of no concern", "[wire][topics]") {
    const std::string long_id(65, 'x');
    for (const std::string& topic : {std::string(),
                                     std::string("lift"),
                                     std::string("lift/dc-east"),
                                     std::string("lift/dc-east/"),
                                     std::string("lift/dc-west/EL001/dispatch/node-a"),
                                     std::string("lift/dc-east/EL001/dispatch"),
                                     std::string("lift/dc-east/EL001/dispatch/"),
                                     std::string("lift/dc-east/EL001/dispatch/node-a/x"),
                                     std::string("lift/dc-east//dispatch/node-a"),
                                     std::string("lift/dc-east/EL001/Dispatch/node-a"),
                                     std::string("lift/dc-east/EL001/ride/node-a"),
                                     std::string("lift/dc-east/EL001/result/node-a"),
                                     std::string("lift/dc-east/EL001/state"),
                                     std::string("lift/dc-east/any/dispatch/node-a"),
                                     std::string("lift/dc-east/reply/dispatch/node-a"),
                                     std::string("lift/dc-east/node/"),
                                     std::string("lift/dc-east/node"),
                                     std::string("lift/dc-east/node/a/b"),
                                     std::string("lift/dc-east/gateway/a b"),
                                     std::string("lift/dc-east/EL001/dispatch/node a"),
                                     std::string("lift/dc-east/EL001/dispatch/+"),
                                     std::string("lift/dc-east/EL\x01/dispatch/node-a"),
                                     std::string("lift/dc-east/\xc3\xa9/dispatch/node-a"),
                                     "lift/dc-east/" + long_id + "/dispatch/node-a",
                                     "lift/dc-east/EL001/dispatch/" + long_id,
                                     std::string("/lift/dc-east/EL001/dispatch/node-a")}) {
        INFO(topic);
        CHECK(topics.parse(topic) == Topic(OtherTopic{}));
    }
}

TEST_CASE("topics: an id is 1 to 64 characters of the allowed ones", "[wire][topics]") {
    CHECK(is_topic_id("Az09._:-"));
    CHECK(is_topic_id(std::string(64, 'a')));
    CHECK_FALSE(is_topic_id(std::string(65, 'a')));
    for (const char* id : {"", "a/b", "+", "#", "a b", "a\n", "\xc3\xa9", "a,b", "a@b", "$SYS"}) {
        CHECK_FALSE(is_topic_id(id));
    }
    CHECK_FALSE(is_topic_id(std::string_view("a\0b", 3)));
}

TEST_CASE("topics: four words are no elevator ids", "[wire][topics]") {
    for (const char* word : {"any", "node", "gateway", "reply"}) {
        CHECK(is_reserved_elevator(word));
    }
    CHECK_FALSE(is_reserved_elevator("EL001"));
    CHECK_FALSE(is_reserved_elevator("Any"));
}

TEST_CASE("topics: a reply goes strictly below the sender's own branch", "[wire][topics]") {
    CHECK(topics.is_reply(source, "lift/dc-east/reply/node-a/1"));
    CHECK(topics.is_reply(source, "lift/dc-east/reply/node-a/a/b/c"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-a/"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-ab/1"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-b/1"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-west/reply/node-a/1"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-a/#"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-a/a+b"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-a/a\nb"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-a/\xff"));
    CHECK_FALSE(topics.is_reply(source, "lift/dc-east/reply/node-a/" + std::string(600, 'x')));
}
