#include "src/core/ledger.hpp"

#include "tests/support/core_builders.hpp"
#include "tests/support/core_print.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::core;
using namespace liftwarden::test;

namespace {

constexpr TimePoint t0{std::chrono::hours(1)};

CommandRow known(const Command& it, const std::string& who) {
    CommandRow row;
    row.command = it;
    row.party = {who, Party::Kind::trip, it.seq.str()};
    row.boot_id = "boot";
    row.received_at = t0;
    return row;
}

Seen compare(const Command& it, const std::string& who, const CommandRow& row, Duration age = 1s) {
    return compare_with_ledger(it, who, row, "boot", t0 + age, 10min);
}

}  // namespace

TEST_CASE("ledger: same seq, source and content is a repeat", "[core][ledger]") {
    const Command first = command("7").car_call("2");
    CHECK(compare(first, "node-a", known(first, "node-a")) == Seen::repeat);
}

TEST_CASE("ledger: lock, times and ids are no content", "[core][ledger]") {
    const Command first = command("7").car_call("2");
    Command again = command("7").car_call("2").ttl(5s).msg_id("x").wait(false).task("T");
    again.lock = LockClaim{"somebody", 4};
    again.issued_at = "2026-05-02T14:32:01.251Z";
    CHECK(compare(again, "node-a", known(first, "node-a")) == Seen::repeat);
}

TEST_CASE("ledger: every part of the content makes a conflict", "[core][ledger]") {
    const CommandRow row = known(command("7").hall_call("2"), "node-a");
    CHECK(compare(command("7").hall_call("3"), "node-a", row) == Seen::other_content);
    CHECK(compare(command("7").car_call("2"), "node-a", row) == Seen::other_content);
    CHECK(compare(command("7").hall_call("2").up(), "node-a", row) == Seen::other_content);
    CHECK(compare(command("7").hall_call("2").side(Side::rear), "node-a", row) ==
          Seen::other_content);
    const CommandRow hold = known(command("8").hold(5), "node-a");
    CHECK(compare(command("8").hold(6), "node-a", hold) == Seen::other_content);
    const CommandRow mode = known(command("9").set_mode(OrderedMode::agv), "node-a");
    CHECK(compare(command("9").set_mode(OrderedMode::normal), "node-a", mode) ==
          Seen::other_content);
}

TEST_CASE("ledger: another source conflicts, another member of the group repeats",
          "[core][ledger]") {
    const CommandRow row = known(command("7").car_call("2"), "dispatch");
    CHECK(compare(command("7").from("node-b").car_call("2"), "dispatch", row) == Seen::repeat);
    CHECK(compare(command("7").from("node-c").car_call("2"), "node-c", row) == Seen::other_source);
}

TEST_CASE("ledger: a repeat is taken until repeat_window and not after", "[core][ledger]") {
    const Command first = command("7").car_call("2");
    const CommandRow row = known(first, "node-a");
    CHECK(compare(first, "node-a", row, 10min) == Seen::repeat);
    CHECK(compare(first, "node-a", row, 10min + 1ns) == Seen::too_old);
}

TEST_CASE("ledger: times of another boot cannot be compared and count as too old",
          "[core][ledger]") {
    const Command first = command("7").car_call("2");
    CHECK(compare_with_ledger(first, "node-a", known(first, "node-a"), "other", t0, 10min) ==
          Seen::too_old);
}

TEST_CASE("ledger: a source that left its group still repeats what it sent", "[core][ledger]") {
    const Command first = command("7").car_call("2");
    CHECK(compare(first, "node-a", known(first, "dispatch")) == Seen::repeat);
}
