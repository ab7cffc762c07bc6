#include "src/core/echo_rules.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

ElevatorRow row_with_baseline(std::uint16_t echo) {
    ElevatorRow row;
    row.baseline = Echo{echo};
    return row;
}

CommandRow sent_row(std::uint16_t echo_before) {
    CommandRow row;
    row.status = Status::sent;
    row.wire_seq = WireSeq{8};
    row.echo_before = Echo{echo_before};
    row.heartbeat_before = 4;
    return row;
}

Reading shown(std::uint16_t echo, std::optional<std::uint16_t> heartbeat) {
    Reading made = reading({}, state(), echo);
    made.heartbeat = heartbeat;
    return made;
}

}  // namespace

TEST_CASE("echo: the baseline is what is expected at rest", "[core][echo]") {
    CHECK(judge_echo_at_rest(row_with_baseline(7), Echo{7}, {}) == EchoVerdict::as_expected);
    CHECK(judge_echo_at_rest(row_with_baseline(0), Echo{0}, {true, true}) ==
          EchoVerdict::as_expected);
}

TEST_CASE("echo: a new journal with echo 0 is a first start, with another a lost ledger",
          "[core][echo]") {
    CHECK(judge_echo_at_rest({}, Echo{0}, {}) == EchoVerdict::first_sight);
    CHECK(judge_echo_at_rest({}, Echo{7}, {}) == EchoVerdict::ledger_lost);
}

TEST_CASE("echo: 0 is a restart only with a sign of one", "[core][echo]") {
    const ElevatorRow row = row_with_baseline(7);
    CHECK(judge_echo_at_rest(row, Echo{0}, {true, false}) == EchoVerdict::restarted);
    CHECK(judge_echo_at_rest(row, Echo{0}, {false, true}) == EchoVerdict::restarted);
    CHECK(judge_echo_at_rest(row, Echo{0}, {false, false}) == EchoVerdict::foreign_writer);
}

TEST_CASE("echo: our own wire_seq of a failed command is a late execution", "[core][echo]") {
    ElevatorRow row = row_with_baseline(7);
    row.failed_wire_seqs = {WireSeq{8}, WireSeq{9}};
    CHECK(judge_echo_at_rest(row, Echo{8}, {}) == EchoVerdict::late_execution);
    CHECK(judge_echo_at_rest(row, Echo{9}, {true, true}) == EchoVerdict::late_execution);
    CHECK(judge_echo_at_rest(row, Echo{10}, {}) == EchoVerdict::foreign_writer);
}

TEST_CASE("echo: any other change is a foreign writer, whatever the link did", "[core][echo]") {
    CHECK(judge_echo_at_rest(row_with_baseline(7), Echo{8}, {}) == EchoVerdict::foreign_writer);
    CHECK(judge_echo_at_rest(row_with_baseline(7), Echo{8}, {true, true}) ==
          EchoVerdict::foreign_writer);
}

TEST_CASE("wire_seq: is the successor of the last own one", "[core][echo]") {
    CHECK(next_wire_seq(WireSeq{41}, Echo{41}) == WireSeq{42});
    CHECK(next_wire_seq(std::nullopt, Echo{0}) == WireSeq{1});
}

TEST_CASE("wire_seq: wraps from 65535 to 1 and is never 0", "[core][echo]") {
    CHECK(next_wire_seq(WireSeq{65535}, Echo{65535}) == WireSeq{1});
    CHECK(next_wire_seq(WireSeq{65534}, Echo{65534}) == WireSeq{65535});
}

TEST_CASE("wire_seq: never equals the echo", "[core][echo]") {
    CHECK(next_wire_seq(WireSeq{41}, Echo{42}) == WireSeq{43});
    CHECK(next_wire_seq(WireSeq{65535}, Echo{1}) == WireSeq{2});
    CHECK(next_wire_seq(WireSeq{65534}, Echo{65535}) == WireSeq{1});
    for (std::uint32_t last = 0; last <= 65535; ++last) {
        const auto own = WireSeq{static_cast<std::uint16_t>(last)};
        const auto echo = Echo{static_cast<std::uint16_t>(last + 1)};
        const WireSeq next = next_wire_seq(own, echo);
        if (next.value() == 0 || next.value() == echo.value() || next == own) {
            FAIL("after " << last << " came " << next.value());
        }
    }
}

TEST_CASE("proof: the echo stored with the intent proves that the command was not taken",
          "[core][echo]") {
    CHECK(proves_not_taken(sent_row(7), shown(7, 5)));
    CHECK(proves_not_taken(sent_row(7), shown(7, std::nullopt)));
    CHECK_FALSE(proves_not_taken(sent_row(7), shown(0, 4)));
    CHECK_FALSE(proves_not_taken(sent_row(7), shown(8, 4)));
    CHECK_FALSE(proves_not_taken(sent_row(7), shown(9, 4)));
}

TEST_CASE("proof: a stored echo of 0 proves it only together with our heartbeat", "[core][echo]") {
    CHECK(proves_not_taken(sent_row(0), shown(0, 4)));
    CHECK_FALSE(proves_not_taken(sent_row(0), shown(0, 0)));
    CHECK_FALSE(proves_not_taken(sent_row(0), shown(0, 5)));
    CHECK_FALSE(proves_not_taken(sent_row(0), shown(0, std::nullopt)));
    CommandRow without = sent_row(0);
    without.heartbeat_before = 0;
    CHECK_FALSE(proves_not_taken(without, shown(0, 0)));
    without.heartbeat_before.reset();
    CHECK_FALSE(proves_not_taken(without, shown(0, std::nullopt)));
}

TEST_CASE("heartbeat: 0 or nothing is never ours", "[core][echo]") {
    CHECK_FALSE(heartbeat_holds(std::uint16_t{0}, std::uint16_t{1}, 2));
    CHECK_FALSE(heartbeat_holds(std::nullopt, std::uint16_t{1}, 2));
    CHECK_FALSE(heartbeat_holds(std::uint16_t{1}, std::nullopt, 2));
}

TEST_CASE("heartbeat: holds within the beats that may be under way, across the wrap",
          "[core][echo]") {
    CHECK(heartbeat_holds(std::uint16_t{100}, std::uint16_t{100}, 0));
    CHECK(heartbeat_holds(std::uint16_t{99}, std::uint16_t{100}, 1));
    CHECK(heartbeat_holds(std::uint16_t{101}, std::uint16_t{100}, 1));
    CHECK_FALSE(heartbeat_holds(std::uint16_t{98}, std::uint16_t{100}, 1));
    CHECK_FALSE(heartbeat_holds(std::uint16_t{102}, std::uint16_t{100}, 1));
    CHECK(heartbeat_holds(std::uint16_t{1}, std::uint16_t{65535}, 1));
    CHECK(heartbeat_holds(std::uint16_t{65535}, std::uint16_t{1}, 1));
}
