#include "src/wire/ttl.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace std::chrono_literals;

namespace {

const core::WallTime now{1'777'732'321'251ms};

TtlFacts asked(core::Duration ttl) {
    TtlFacts facts;
    facts.asked = ttl;
    facts.wall = now;
    facts.wall_synchronised = true;
    return facts;
}

}  // namespace

TEST_CASE("ttl: it counts from receipt when nothing else is known", "[wire][ttl]") {
    CHECK(remaining_ttl(asked(10s)) == 10s);
}

TEST_CASE("ttl: Message Expiry lowers it and never raises it", "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.expiry = 4s;
    CHECK(remaining_ttl(facts) == 4s);
    facts.expiry = 11s;
    CHECK(remaining_ttl(facts) == 10s);
    facts.expiry = 0s;
    CHECK(remaining_ttl(facts) == 0s);
}

TEST_CASE("ttl: the largest Message Expiry changes nothing", "[wire][ttl]") {
    TtlFacts facts = asked(10500ms);
    facts.expiry = std::chrono::seconds{0xffff'ffffLL};
    CHECK(remaining_ttl(facts) == 10500ms);
    facts.expiry = std::chrono::seconds::max();
    CHECK(remaining_ttl(facts) == 10500ms);
}

TEST_CASE("ttl: the age by issued_at is taken off", "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.issued_at = now - 3s;
    CHECK(remaining_ttl(facts) == 7s);
    facts.issued_at = now;
    CHECK(remaining_ttl(facts) == 10s);
}

TEST_CASE("ttl: a message older than its TTL has none left", "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.issued_at = now - 10s;
    CHECK(remaining_ttl(facts) == 0s);
    facts.issued_at = now - 9999ms;
    CHECK(remaining_ttl(facts) == 1ms);
    facts.issued_at = core::WallTime{std::chrono::sys_days{std::chrono::year{1} / 1 / 1}};
    CHECK(remaining_ttl(facts) == 0s);
}

TEST_CASE("ttl: issued_at counts only when the clock is synchronised", "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.issued_at = now - 3s;
    facts.wall_synchronised = false;
    CHECK(remaining_ttl(facts) == 10s);
}

TEST_CASE("ttl: issued_at up to 2 s ahead neither lowers nor raises", "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.issued_at = now + 2s;
    CHECK(remaining_ttl(facts) == 10s);
    facts.away = 60s;  // it is credible, so the absence does not matter
    CHECK(remaining_ttl(facts) == 10s);
}

TEST_CASE("ttl: issued_at further ahead is ignored, as if it were not there", "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.issued_at = now + 2001ms;
    CHECK(remaining_ttl(facts) == 10s);
    facts.away = 60s;
    CHECK(remaining_ttl(facts) == 0s);
}

TEST_CASE("ttl: the smaller of expiry and age holds", "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.expiry = 5s;
    facts.issued_at = now - 3s;
    CHECK(remaining_ttl(facts) == 5s);
    facts.issued_at = now - 8s;
    CHECK(remaining_ttl(facts) == 2s);
}

TEST_CASE("ttl: after an absence longer than the TTL an undated message has expired",
          "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.away = 10s;
    CHECK(remaining_ttl(facts) == 10s);
    facts.away = 10s + 1ns;
    CHECK(remaining_ttl(facts) == 0s);
    facts.expiry = 20s;
    CHECK(remaining_ttl(facts) == 10s);
}

TEST_CASE("ttl: after an absence an issued_at that cannot be trusted dates nothing",
          "[wire][ttl]") {
    TtlFacts facts = asked(10s);
    facts.away = 60s;
    facts.issued_at = now - 1s;
    CHECK(remaining_ttl(facts) == 9s);
    facts.wall_synchronised = false;
    CHECK(remaining_ttl(facts) == 0s);
}
