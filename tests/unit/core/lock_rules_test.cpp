// What one reading of the lock says.
#include "src/core/lock_rules.hpp"

#include "tests/support/core_builders.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

constexpr TimePoint t0{std::chrono::hours(1)};
constexpr Duration ack_timeout = 3s;

struct Case {
    LockRules rules;
    Fence fence;
    LockReading reading;
    LockClaim claim{"a:1", std::nullopt};

    explicit Case(LockScheme scheme = LockScheme::redisson) {
        rules.scheme = scheme;
        fence.holder = "a:1";
        reading.kind =
            scheme == LockScheme::string ? LockReading::Kind::string : LockReading::Kind::hash;
        reading.sent_at = t0;
        reading.answered_at = t0 + 1ms;
        reading.claim_matches = true;
        reading.holder = "a:1";
        reading.lease = 30s;
    }
    [[nodiscard]] LockVerdict judge(Duration later = 1ms) const {
        return judge_lock(reading, claim, fence, rules, ack_timeout, t0 + later);
    }
};

Case fenced(std::int64_t token, std::optional<std::int64_t> counter, std::int64_t mark) {
    Case it(LockScheme::redisson_fenced);
    it.claim.token = token;
    it.reading.counter = counter;
    it.fence.token = mark;
    return it;
}

}  // namespace

TEST_CASE("lock rules: a held lock lets the write leave while it is fresh and the lease lasts",
          "[core][lock]") {
    Case it;
    const auto verdict = it.judge();
    CHECK(verdict.kind == LockVerdict::Kind::held);
    CHECK(verdict.write_before == t0 + 200ms);
    CHECK(verdict.fence.holder == "a:1");
    CHECK(verdict.fence.lease_surely_until == t0 + 30s - 300ms - 2ms);
    CHECK(verdict.fence.lease_over_at == t0 + 1ms + 30s + 300ms + 2ms);
    it.reading.lease = 3350ms;
    CHECK(it.judge().write_before == t0 + 200ms);
    it.rules.freshness = 1s;
    CHECK(it.judge().write_before == t0 + 3350ms - 33500us - 2ms - ack_timeout);
}

TEST_CASE("lock rules: each way not to hold it has its reason and says what stands there",
          "[core][lock]") {
    Case it;
    SECTION("nobody") {
        it.reading.kind = LockReading::Kind::none;
        CHECK(it.judge().reason == Reason::lock_not_held);
    }
    SECTION("somebody else") {
        it.reading.claim_matches = false;
        it.reading.holder = "b:7";
        CHECK(it.judge().reason == Reason::lock_not_held);
        CHECK_THAT(it.judge().detail, Catch::Contains("b:7"));
    }
    SECTION("another family of clients") {
        it.reading.kind = LockReading::Kind::string;
        CHECK(it.judge().reason == Reason::lock_unverifiable);
        CHECK_THAT(it.judge().detail, Catch::Contains("a string") && Catch::Contains("a hash"));
    }
    SECTION("for ever") {
        it.reading.lease.reset();
        CHECK(it.judge().reason == Reason::lock_unverifiable);
    }
    SECTION("not long enough for write and acknowledgement") {
        it.reading.lease = 3200ms;
        CHECK(it.judge().reason == Reason::lock_expiring);
    }
    SECTION("an answer that is old already") {
        it.reading.lease = 4s;
        CHECK(it.judge(500ms).kind == LockVerdict::Kind::held);
        CHECK(it.judge(900ms).reason == Reason::lock_expiring);
    }
    CHECK(it.judge(900ms).kind == LockVerdict::Kind::refused);
}

TEST_CASE("lock rules: the token must be the counter of the same reading", "[core][lock]") {
    CHECK(fenced(42, 42, 41).judge().kind == LockVerdict::Kind::held);
    CHECK(fenced(42, 42, 41).judge().fence.token == 42);
    CHECK(fenced(41, 42, 41).judge().reason == Reason::stale_token);
    const auto invented = fenced(999999, 42, 41).judge();
    CHECK(invented.reason == Reason::lock_not_held);
    CHECK(invented.fence.token == 41);
    CHECK(invented.fence.generation == 1);
}

TEST_CASE("lock rules: a counter that went back begins a generation, for the old holder at first",
          "[core][lock]") {
    auto it = fenced(3, 3, 41);
    it.fence.lease_over_at = t0 + 20s;
    const auto same_holder = it.judge();
    CHECK(same_holder.kind == LockVerdict::Kind::held);
    CHECK(same_holder.fence.generation == 2);
    CHECK(same_holder.fence.token == 3);

    it.claim.owner = "b:7";
    const auto other = it.judge();
    CHECK(other.kind == LockVerdict::Kind::wait);
    it.fence = other.fence;
    CHECK(it.fence.generation == 2);
    CHECK(it.judge(19s).kind == LockVerdict::Kind::wait);
    CHECK(it.judge(21s).kind == LockVerdict::Kind::held);
    CHECK(it.judge(21s).fence.generation == 2);
}

TEST_CASE("lock rules: a lost counter locks nobody out for good", "[core][lock]") {
    auto it = fenced(41, std::nullopt, 41);
    const auto lost = it.judge();
    CHECK(lost.reason == Reason::lock_unverifiable);
    CHECK(lost.fence.generation == 2);
    it.fence = lost.fence;
    CHECK(it.judge().fence.generation == 2);  // once
    it.claim = {"b:7", 1};
    it.reading.counter = 1;
    CHECK(it.judge(1h).fence.token == 1);
}

TEST_CASE("lock rules: without tokens every change of holder counts as one", "[core][lock]") {
    for (const auto scheme : {LockScheme::redisson, LockScheme::string}) {
        Case it(scheme);
        CHECK(it.judge().fence.token == 0);
        it.claim.owner = "b:7";
        CHECK(it.judge().fence.token == 1);
        CHECK(it.judge().fence.holder == "b:7");
    }
}
