#include "src/wire/journal_text.hpp"

#include "src/wire/text.hpp"
#include "tests/unit/wire/random_rows.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace liftwarden;
using namespace liftwarden::wire;
using namespace liftwarden::wire::test;
using namespace std::chrono_literals;

namespace {

core::CommandRow plain_row() {
    core::CommandRow row;
    row.command.elevator = core::ElevatorId("EL001");
    row.command.source = core::SourceId("node-a");
    row.command.seq = core::Seq("1003");
    row.command.content.action = core::ActionKind::car_call;
    row.command.content.floor = core::FloorLabel("3");
    row.command.reply = core::ReplyTo{"lift/dc/reply/node-a/1", std::string("\x00\xfe", 2)};
    row.command.ttl = 60s;
    row.party = {"node-a", core::Party::Kind::task, "T-77"};
    row.boot_id = "b00t";
    row.received_at = core::TimePoint{5s};
    row.deadline = core::TimePoint{65s};
    row.status = core::Status::sent;
    row.wire_seq = core::WireSeq(812);
    row.echo_before = core::Echo(811);
    return row;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t place = text.find(from);
    REQUIRE(place != std::string::npos);
    return text.replace(place, from.size(), to);
}

std::string fault(const std::string& text) {
    const auto row = decode_command_row(text);
    INFO(text);
    REQUIRE(row.has_error());
    CHECK(row.error().kind == core::ErrorClass::corrupt);
    return row.error().text;
}

}  // namespace

TEST_CASE("journal text: a row can be read by a person", "[wire][journal]") {
    CHECK(encode(plain_row()) ==
          R"({"command":{"elevator":"EL001","source":"node-a","seq":"1003",)"
          R"("content":{"action":"car_call","floor":"3"},)"
          R"("reply":{"topic":"lift/dc/reply/node-a/1","correlation_hex":"00fe"},)"
          R"("ttl_ns":60000000000},"party":{"who":"node-a","kind":"task","name":"T-77"},)"
          R"("boot_id":"b00t","received_at_ns":5000000000,"deadline_ns":65000000000,)"
          R"("status":"sent","reason":"none","detail":"","wire_seq":812,"echo_before":811,)"
          R"("resent":false,"elapsed":{}})");
}

TEST_CASE("journal text: every command row comes back as it was", "[wire][journal]") {
    RandomRows random(1);
    for (int i = 0; i < 3000; ++i) {
        const auto row = random.make<core::CommandRow>();
        const std::string text = encode(row);
        const auto back = decode_command_row(text);
        INFO(text);
        REQUIRE(back.has_value());
        REQUIRE(*back == row);
        REQUIRE(is_utf8(text));
    }
}

TEST_CASE("journal text: every elevator row comes back as it was", "[wire][journal]") {
    RandomRows random(2);
    for (int i = 0; i < 1000; ++i) {
        const auto row = random.make<core::ElevatorRow>();
        const std::string text = encode(row);
        const auto back = decode_elevator_row(text);
        INFO(text);
        REQUIRE(back.has_value());
        REQUIRE(*back == row);
    }
}

TEST_CASE("journal text: every alarm comes back as it was", "[wire][journal]") {
    RandomRows random(3);
    for (int i = 0; i < 1000; ++i) {
        const auto alarm = random.make<core::Alarm>();
        const auto back = decode_alarm(encode(alarm));
        REQUIRE(back.has_value());
        REQUIRE(*back == alarm);
    }
}

TEST_CASE("journal text: text that is not UTF-8 is kept as hex", "[wire][journal]") {
    core::CommandRow row = plain_row();
    row.detail = "\xff!";
    const std::string text = encode(row);
    CHECK(text.find(R"("detail":{"hex":"ff21"})") != std::string::npos);
    CHECK(decode_command_row(text)->detail == row.detail);
}

TEST_CASE("journal text: a missing field is named by its path", "[wire][journal]") {
    const std::string text = encode(plain_row());
    CHECK(fault(replaced(text, R"("deadline_ns":65000000000,)", "")) ==
          "a command's row: deadline_ns is missing");
    CHECK(fault(replaced(text, R"("action":"car_call",)", "")) ==
          "a command's row: command.content.action is missing");
    CHECK(fault(replaced(text, R"("topic":"lift/dc/reply/node-a/1",)", "")) ==
          "a command's row: command.reply.topic is missing");
    CHECK(fault("{}") == "a command's row: command is missing");
}

TEST_CASE("journal text: a wrong value is named with its path", "[wire][journal]") {
    const std::string text = encode(plain_row());
    CHECK(fault(replaced(text, R"("sent")", R"("gone")")) ==
          R"(a command's row: status must be a word it can have, not "gone")");
    CHECK(fault(replaced(text, ":812", ":65536")) ==
          "a command's row: wire_seq must be an integer in its range, not 65536");
    CHECK(fault(replaced(text, ":812", ":-1")) ==
          "a command's row: wire_seq must be an integer in its range, not -1");
    CHECK(fault(replaced(text, ":812", ":8.0")) ==
          "a command's row: wire_seq must be an integer in its range, not 8.0");
    CHECK(fault(replaced(text, R"("resent":false)", R"("resent":0)")) ==
          "a command's row: resent must be true or false, not 0");
    CHECK(fault(replaced(text, "00fe", "0fe")) ==
          R"(a command's row: command.reply.correlation_hex must be pairs of hexadecimal digits,)"
          R"( not "0fe")");
    CHECK(fault(replaced(text, R"("detail":"")", R"("detail":7)")) ==
          "a command's row: detail must be a string, not 7");
    CHECK(fault(replaced(text, R"("detail":"")", R"("detail":{"hex":"f"})")) ==
          "a command's row: detail must be a string, not an object");
    CHECK(fault(replaced(text, R"("elapsed":{})", R"("elapsed":[])")) ==
          "a command's row: elapsed must be an object, not an array");
    CHECK(fault("[]") == "a command's row: the document must be an object, not an array");
    CHECK(fault(replaced(text, "65000000000", "9223372036854775808")) ==
          "a command's row: deadline_ns must be an integer in its range, not 9223372036854775808");
}

TEST_CASE("journal text: an entry of a list is named by its number", "[wire][journal]") {
    core::ElevatorRow row;
    row.failed_wire_seqs = {core::WireSeq(1), core::WireSeq(2)};
    const auto back = decode_elevator_row(replaced(encode(row), "[1,2]", "[1,true]"));
    REQUIRE(back.has_error());
    CHECK(back.error().text ==
          "an elevator's row: failed_wire_seqs[1] must be an integer in its range, not true");
}

TEST_CASE("journal text: fields of a later version are ignored", "[wire][journal]") {
    const std::string text = replaced(encode(plain_row()), "{", R"({"later":[1.5,{}],)");
    CHECK(*decode_command_row(text) == plain_row());
}

TEST_CASE("journal text: cut text is corrupt at every length", "[wire][journal]") {
    RandomRows random(4);
    const std::string text = encode(random.make<core::ElevatorRow>());
    for (std::size_t length = 0; length < text.size(); ++length) {
        REQUIRE(decode_elevator_row(text.substr(0, length)).has_error());
    }
}

TEST_CASE("journal text: flipped bytes are an error or another row, never a crash",
          "[wire][journal]") {
    RandomRows random(5);
    std::mt19937 dice(6);
    for (int i = 0; i < 3000; ++i) {
        std::string text = encode(random.make<core::CommandRow>());
        for (int flips = 0; flips < 3; ++flips) {
            text[dice() % text.size()] = static_cast<char>(dice() % 256);
        }
        const auto row = decode_command_row(text);
        if (row) {
            CHECK(decode_command_row(encode(*row)).value() == *row);
        } else {
            CHECK(row.error().kind == core::ErrorClass::corrupt);
        }
    }
}

TEST_CASE("journal text: hostile nesting is refused", "[wire][journal]") {
    std::string text;
    for (int i = 0; i < 100000; ++i) {
        text += R"({"command":)";
    }
    CHECK(decode_command_row(text).has_error());
    CHECK(decode_elevator_row(std::string(100000, '[')).has_error());
    CHECK(decode_alarm(std::string(5 << 20, ' ')).has_error());
}
