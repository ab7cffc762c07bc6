#include "tests/component/redis/fixture.hpp"
#include "tests/component/redis/proxy.hpp"

#include <catch2/catch.hpp>

namespace liftwarden::test {
namespace {

using core::Health;
using core::LockReading;
using Fault = RedisProxy::Fault;

const std::string holder = "uuid:1";
const std::string about_el001 = "control:EL001";

// A held lock, and the service behind a proxy that may spoil answers.
struct Place {
    RedisServer server;
    RedisProxy proxy{server.port()};
    RedissonThread node{server.port(), lock_key, holder};
    Service service{lock_settings(proxy.port())};

    Place() {
        node.try_lock(60s);
        service.wait_until_usable();
    }
    // Asks about EL001; it must stay unanswered and be told so in time.
    core::LockChecked unanswered() {
        const core::TimePoint before = service.clock.now();
        const core::LockChecked answer = service.check(holder);
        CHECK_FALSE(answer.reading);
        CHECK(service.clock.now() - before < 600ms);  // 80 ms and a busy machine
        return answer;
    }
    void works_again() {
        proxy.heal();
        CHECK(service.reading(holder).claim_matches);
    }
};

TEST_CASE("redis broken: an answer that comes too late is never taken for another question's",
          "[component][redis]") {
    RedisServer server;
    RedissonThread node(server.port(), lock_key, holder);
    REQUIRE(node.try_lock(60s));
    Service service(lock_settings(server.port()));
    service.wait_until_usable();
    for (int round = 0; round < 5; ++round) {
        REQUIRE(service.reading(holder).claim_matches);
        server.pause();
        const auto late = service.check(holder);
        CHECK_FALSE(late.reading);
        CHECK(contains(late.detail, "no answer in time"));
        // The server still answers the question of above, with the lock held; then it is released.
        server.resume();
        REQUIRE(node.unlock());
        CHECK(service.reading(holder).kind == LockReading::Kind::none);
        REQUIRE(node.try_lock(60s));
    }
    const auto answers = service.events.of<core::LockChecked>();
    std::map<std::uint64_t, int> count;
    for (const auto& answer : answers) {
        ++count[answer.grant.value()];
    }
    CHECK(std::all_of(
        count.begin(), count.end(), [](const auto& grant) { return grant.second == 1; }));
}

TEST_CASE("redis broken: a slow answer for one elevator delays no other", "[component][redis]") {
    Place place;
    place.proxy.spoil(Fault::silence, about_el001);
    for (int i = 0; i < 10; ++i) {
        const core::GrantId slow = place.service.ask(holder);
        const auto other = place.service.check(holder, std::nullopt, el002);
        REQUIRE(other.reading);
        CHECK(other.reading->answered_at - other.reading->sent_at < 70ms);
        CHECK_FALSE(place.service.answer_to(slow).reading);
    }
    place.works_again();
}

TEST_CASE("redis broken: an answer in single bytes does not stretch the deadline",
          "[component][redis]") {
    Place place;
    place.proxy.spoil(Fault::drip, about_el001);
    CHECK(contains(place.unanswered().detail, "no answer in time"));
    place.works_again();
}

TEST_CASE("redis broken: answers that are none", "[component][redis]") {
    Place place;
    const std::string master = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";
    const std::vector<std::string> answers{
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "\r\n",
        "$2000000000\r\nabc",
        "$99999999999999999999\r\n",
        "*2000000000\r\n",
        "*-5\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
        ":1\r\n:2\r\n",
        "$-1\r\n$-1\r\n",
        "*0\r\n*0\r\n",
        master + ":1\r\n",
        master + "*1\r\n$1\r\nx\r\n",
        master +
            "*8\r\n$1\r\nx\r\n$4\r\nhash\r\n:1\r\n$6\r\nuuid:1\r\n:60000\r\n$0\r\n\r\n"
            "$10\r\n1700000000\r\n$1\r\n0\r\n",
        "*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:1\r\n$9\r\nconnected\r\n:0\r\n",
        "-LOADING Redis is loading the dataset in memory\r\n-LOADING again\r\n",
        std::string(300'000, '$')};
    for (const std::string& bytes : answers) {
        CAPTURE(bytes.substr(0, 40));
        REQUIRE(place.service.reading(holder).claim_matches);
        place.proxy.spoil(Fault::replace, about_el001, bytes);
        CHECK_FALSE(place.unanswered().detail.empty());
        place.works_again();
    }
}

TEST_CASE("redis broken: the answer to an earlier question is not taken", "[component][redis]") {
    Place place;
    REQUIRE(place.service.reading(holder).claim_matches);
    place.proxy.spoil(Fault::repeat, about_el001);
    // Right after a good one on the same connection, so that what is repeated is that answer.
    CHECK(contains(place.unanswered().detail, "another question"));
    place.works_again();
}

TEST_CASE("redis broken: a connection that ends in the middle", "[component][redis]") {
    Place place;
    for (int i = 0; i < 3; ++i) {
        const int before = place.proxy.connections();
        place.proxy.spoil(Fault::hang_up, about_el001);
        place.unanswered();
        place.works_again();
        CHECK(place.proxy.connections() > before);
    }
}

TEST_CASE("redis broken: without a connection a question is answered at once",
          "[component][redis]") {
    Place place;
    place.server.kill();
    place.service.probe(Health::outage);
    place.unanswered();
    for (int i = 0; i < 20; ++i) {
        const core::TimePoint before = place.service.clock.now();
        CHECK_FALSE(place.service.check(holder).reading);
        CHECK(place.service.clock.now() - before < 70ms);
    }
}

TEST_CASE("redis broken: a spoiled probe is an outage", "[component][redis]") {
    Place place;
    SECTION("garbage") {
        place.proxy.spoil(Fault::replace, "liftwarden:probe", "@@@\r\n");
        place.service.probe(Health::outage);
    }
    SECTION("silence") {
        place.proxy.spoil(Fault::silence, "liftwarden:probe");
        place.service.probe(Health::outage);
    }
    SECTION("an endless trickle") {
        place.proxy.spoil(Fault::drip, "liftwarden:probe");
        place.service.probe(Health::outage);
    }
    // Verification has connections of its own.
    CHECK(place.service.reading(holder).claim_matches);
    place.proxy.heal();
    place.service.probe(Health::usable);
}

TEST_CASE("redis broken: an order whose answer was lost may be given again", "[component][redis]") {
    Place place;
    RedisClient admin(place.server.port());
    REQUIRE(place.node.unlock());
    REQUIRE(place.service.hold("gw:1").done == core::LockDone::ours);
    place.proxy.spoil(Fault::hang_up, "gw:1");
    CHECK(place.service.give_back("gw:1").done == core::LockDone::no_answer);
    CHECK(admin.command({"EXISTS", lock_key}) == "0");  // it was carried out
    place.proxy.heal();
    REQUIRE(place.node.try_lock(60s));
    CHECK(wait_until([&] { return place.service.give_back("gw:1").done == core::LockDone::ours; }));
    CHECK(admin.command({"HGETALL", lock_key}) == holder + " 1");
}

}  // namespace
}  // namespace liftwarden::test
