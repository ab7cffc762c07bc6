#include "drivers/sim/fault.hpp"

#include "drivers/sim/fault_set.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using namespace std::chrono_literals;
using core::TimePoint;
using sim::FaultKind;
using sim::parse_fault;

TEST_CASE("fault text: elevator, name and limits are read", "[sim][faults]") {
    const auto lost = parse_fault("EL001:ack-lost");
    REQUIRE(lost.has_value());
    CHECK(lost->elevator == "EL001");
    CHECK(lost->kind == FaultKind::ack_lost);
    CHECK(lost->count == 1U);

    CHECK(parse_fault("*:ack-lost:3")->count == 3U);
    CHECK(parse_fault("*:ack-lost:always")->count == std::nullopt);
    const auto timed = parse_fault("*:refuse:1500ms");
    CHECK(timed->time == core::Duration{1500ms});
    CHECK(timed->count == std::nullopt);

    const auto late = parse_fault("EL001:ack-late:2s:4");
    CHECK(late->delay == core::Duration{2s});
    CHECK(late->count == 4U);

    const auto silence = parse_fault("EL001:silence");
    CHECK(silence->count == std::nullopt);
    CHECK(silence->time == std::nullopt);

    CHECK(parse_fault("EL001:exception-write:11")->number == 11);
    CHECK(parse_fault("EL001:fault-code:none")->number == std::nullopt);
    CHECK(parse_fault("EL001:occupied:on")->on);
    CHECK_FALSE(parse_fault("EL001:occupied:off")->on);

    const auto foreign = parse_fault("EL001:foreign-write:car_call:B1:77");
    CHECK(foreign->word == "car_call");
    CHECK(foreign->argument == "B1");
    CHECK(foreign->wire_seq == 77);
}

TEST_CASE("fault text: what is wrong is quoted, with what was expected", "[sim][faults]") {
    const auto text = [](const char* spec) { return parse_fault(spec).error().text; };
    CHECK(text("ack-lost") ==
          "fault 'ack-lost': expected ELEVATOR:FAULT, with * for all elevators");
    CHECK(text("EL001:ack-list") == "fault 'EL001:ack-list': there is no fault 'ack-list'");
    CHECK(text("EL001:ack-late") ==
          "fault 'EL001:ack-late': expected ELEVATOR:ack-late:<DURATION such as 500ms, 3s, 1min>"
          "[:<COUNT, DURATION or always>]");
    CHECK(text("EL001:busy:many") ==
          "fault 'EL001:busy:many': 'many' where COUNT, DURATION or always was expected; write "
          "ELEVATOR:busy[:<COUNT, DURATION or always>]");
    for (const char* bad : {"",
                            ":busy",
                            "EL001:",
                            "EL001:busy:0",
                            "EL001:busy:-1",
                            "EL001:busy:1:2",
                            "EL001:busy:3h",
                            "EL001:silence:25000min",
                            "EL001:exception:99999",
                            "EL001:occupied:maybe",
                            "EL001:drop-link:1",
                            "EL001:mode",
                            "EL001:mode:",
                            "EL001:foreign-write:car_call:3:x"}) {
        INFO(bad);
        CHECK_FALSE(parse_fault(bad).has_value());
    }
}

TEST_CASE("fault text: every line of the help names a fault that exists", "[sim][faults]") {
    const auto lines = sim::fault_help();
    CHECK(lines.size() == 28);
    for (const std::string& line : lines) {
        const std::string name = line.substr(9, line.find_first_of(":[", 9) - 9);
        const auto parsed = parse_fault("EL001:" + name);
        INFO(line);
        CHECK(
            (parsed || parsed.error().text.find("expected ELEVATOR:" + name) != std::string::npos));
    }
}

TEST_CASE("fault set: counts run down, times run out, later ones follow", "[sim][faults]") {
    sim::FaultSet faults;
    TimePoint now{};
    faults.add(*parse_fault("E:exception:4:1"), now);
    faults.add(*parse_fault("E:exception:5:2"), now);
    faults.add(*parse_fault("E:silence:1s"), now);
    CHECK(faults.hit(FaultKind::exception, now)->number == 4);
    CHECK(faults.hit(FaultKind::exception, now)->number == 5);
    CHECK(faults.hit(FaultKind::exception, now)->number == 5);
    CHECK_FALSE(faults.hit(FaultKind::exception, now));
    CHECK(faults.hit(FaultKind::silence, now + 999ms));
    CHECK_FALSE(faults.hit(FaultKind::silence, now + 1s));
}
