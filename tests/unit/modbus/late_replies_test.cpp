#include "drivers/modbus/late_replies.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::modbus;
using namespace std::chrono_literals;

namespace {

constexpr IoClock::time_point start{1000s};
const ReplyKind read_two{1, 3, 6};
const ReplyKind read_one{1, 3, 4};
const ReplyKind write_block{1, 16, 5};
const ReplyKind other_unit{2, 3, 6};

LateReplies adaptive() {
    return LateReplies(200ms, 0ms);
}

}  // namespace

TEST_CASE("late replies: with nothing missing anything may be asked", "[modbus][rtu]") {
    LateReplies late = adaptive();
    CHECK_FALSE(late.confusable(read_two, start));
    CHECK(late.awaited(start).empty());
    CHECK(late.line_quiet_until() <= start);
    CHECK(late.unit_quiet_until(1) <= start);
}

TEST_CASE("late replies: a missing reply makes its own kind confusable, no other",
          "[modbus][rtu]") {
    LateReplies late = adaptive();
    late.missed(read_two, start);
    CHECK(late.confusable(read_two, start + 1s));
    CHECK_FALSE(late.confusable(read_one, start + 1s));
    CHECK_FALSE(late.confusable(write_block, start + 1s));
    CHECK_FALSE(late.confusable(other_unit, start + 1s));
    CHECK(late.awaited(start + 1s) == std::vector<ReplyKind>{read_two});
    CHECK(late.unit_quiet_until(1) == start + 200ms);
    CHECK(late.unit_quiet_until(2) <= start);
}

TEST_CASE("late replies: the line rests only for a unit that answered so far", "[modbus][rtu]") {
    LateReplies late = adaptive();
    late.missed(read_two, start);
    CHECK(late.line_quiet_until() <= start);  // it never said a word
    late.answered(1);
    late.missed(read_two, start + 1s);
    CHECK(late.line_quiet_until() == start + 1200ms);
    late.missed(read_two, start + 2s);
    CHECK(late.line_quiet_until() == start + 1200ms);
    CHECK(late.unit_quiet_until(1) == start + 2200ms);
}

TEST_CASE("late replies: an answer settles all that came before", "[modbus][rtu]") {
    LateReplies late = adaptive();
    late.answered(1);
    late.missed(read_two, start);
    late.missed(write_block, start + 1s);
    late.answered(1);
    CHECK(late.awaited(start + 1s).empty());
    CHECK(late.line_quiet_until() <= start);
    CHECK(late.unit_quiet_until(1) <= start);
}

TEST_CASE("late replies: one that arrives settles itself and what was asked before it",
          "[modbus][rtu]") {
    LateReplies late = adaptive();
    late.missed(read_two, start);
    late.missed(write_block, start + 1s);
    late.missed(read_one, start + 2s);
    late.arrived(write_block, start + 2100ms);
    CHECK(late.awaited(start + 3s) == std::vector<ReplyKind>{read_one});
    late.arrived(read_one, start + 2200ms);
    CHECK(late.awaited(start + 3s).empty());
    CHECK(late.unit_quiet_until(1) <= start);
    late.arrived(other_unit, start);  // of nobody's asking
    CHECK(late.awaited(start + 3s).empty());
}

TEST_CASE("late replies: the quiet time grows with the worst lateness seen", "[modbus][rtu]") {
    LateReplies late = adaptive();
    late.missed(read_two, start);
    late.arrived(read_two, start + 100ms);
    CHECK(late.quiet_time() == 200ms);
    late.missed(read_two, start + 1s);
    late.arrived(read_two, start + 1800ms);
    CHECK(late.quiet_time() == 1s);
    late.missed(read_two, start + 10s);
    late.arrived(read_two, start + 19s);
    CHECK(late.quiet_time() == 5s);
}

TEST_CASE("late replies: what lay there unseen says nothing about lateness", "[modbus][rtu]") {
    LateReplies late = adaptive();
    late.missed(read_two, start);
    late.arrived(read_two, std::nullopt);
    CHECK(late.quiet_time() == 200ms);
    CHECK(late.awaited(start).empty());
}

TEST_CASE("late replies: a configured quiet time is kept", "[modbus][rtu]") {
    LateReplies late(200ms, 70ms);
    late.missed(read_two, start);
    CHECK(late.unit_quiet_until(1) == start + 70ms);
    late.arrived(read_two, start + 900ms);
    CHECK(late.quiet_time() == 70ms);
}

TEST_CASE("late replies: after ten seconds nothing is expected any more", "[modbus][rtu]") {
    LateReplies late = adaptive();
    late.missed(read_two, start);
    CHECK(late.confusable(read_two, start + 10s));
    CHECK_FALSE(late.confusable(read_two, start + 10001ms));
}

TEST_CASE("late replies: the memory is bounded", "[modbus][rtu]") {
    LateReplies late = adaptive();
    for (int i = 0; i < 1000; ++i) {
        late.missed(read_two, start);
    }
    CHECK(late.awaited(start).size() <= 8);
}
