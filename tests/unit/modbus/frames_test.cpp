#include "drivers/modbus/frames.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace liftwarden;
using modbus::Bytes;
using modbus::check_reply;
using modbus::encode;
using modbus::ReplyCheck;
using ports::ReadRequest;
using ports::RegisterTable;
using ports::WriteRequest;
using Kind = ReplyCheck::Kind;

TEST_CASE("frames: a read carries function, address and count", "[modbus][frames]") {
    CHECK(*encode(ReadRequest{1, RegisterTable::coil, 0x0013, 37}) == Bytes{1, 0, 0x13, 0, 37});
    CHECK(*encode(ReadRequest{1, RegisterTable::discrete, 0xC4, 22}) == Bytes{2, 0, 0xC4, 0, 22});
    CHECK(*encode(ReadRequest{1, RegisterTable::holding, 107, 3}) == Bytes{3, 0, 107, 0, 3});
    CHECK(*encode(ReadRequest{1, RegisterTable::input, 0xFFFF, 1}) == Bytes{4, 0xFF, 0xFF, 0, 1});
}

TEST_CASE("frames: a write carries its values as the protocol wants them", "[modbus][frames]") {
    CHECK(*encode(WriteRequest{1, 5, 172, {1}}) == Bytes{5, 0, 172, 0xFF, 0});
    CHECK(*encode(WriteRequest{1, 5, 172, {0}}) == Bytes{5, 0, 172, 0, 0});
    CHECK(*encode(WriteRequest{1, 6, 1, {0x0304}}) == Bytes{6, 0, 1, 3, 4});
    CHECK(*encode(WriteRequest{1, 15, 19, {1, 0, 1, 1, 0, 0, 1, 1, 1, 0}}) ==
          Bytes{15, 0, 19, 0, 10, 2, 0xCD, 0x01});
    CHECK(*encode(WriteRequest{1, 16, 100, {2, 3, 0, 0xABCD}}) ==
          Bytes{16, 0, 100, 0, 4, 8, 0, 2, 0, 3, 0, 0, 0xAB, 0xCD});
}

TEST_CASE("frames: what the protocol cannot carry is not encoded", "[modbus][frames][F81]") {
    CHECK(encode(ReadRequest{1, RegisterTable::holding, 0, 125}));
    CHECK_FALSE(encode(ReadRequest{1, RegisterTable::holding, 0, 126}));
    CHECK_FALSE(encode(ReadRequest{1, RegisterTable::holding, 0, 0}));
    CHECK_FALSE(encode(ReadRequest{1, RegisterTable::holding, 65535, 2}));
    CHECK(encode(ReadRequest{1, RegisterTable::coil, 0, 2000}));
    CHECK_FALSE(encode(ReadRequest{1, RegisterTable::coil, 0, 2001}));
    CHECK(encode(WriteRequest{1, 16, 0, std::vector<std::uint16_t>(123)}));
    CHECK_FALSE(encode(WriteRequest{1, 16, 0, std::vector<std::uint16_t>(124)}));
    CHECK_FALSE(encode(WriteRequest{1, 16, 65534, {1, 2, 3}}));
    CHECK_FALSE(encode(WriteRequest{1, 16, 0, {}}));
    CHECK_FALSE(encode(WriteRequest{1, 6, 0, {1, 2}}));
    CHECK_FALSE(encode(WriteRequest{1, 3, 0, {1}}));
}

TEST_CASE("frames: a good read gives its values in address order", "[modbus][frames]") {
    const ReadRequest registers{1, RegisterTable::holding, 107, 3};
    const auto words = check_reply(registers, Bytes{3, 6, 0x02, 0x2B, 0, 0, 0, 0x64});
    REQUIRE(words.kind == Kind::good);
    CHECK(words.values == std::vector<std::uint16_t>{0x022B, 0, 0x64});

    const ReadRequest bits{1, RegisterTable::discrete, 3, 10};
    const auto flags = check_reply(bits, Bytes{2, 2, 0xCD, 0x01});
    REQUIRE(flags.kind == Kind::good);
    CHECK(flags.values == std::vector<std::uint16_t>{1, 0, 1, 1, 0, 0, 1, 1, 1, 0});
}

TEST_CASE("frames: a read reply to anything else is a mismatch", "[modbus][frames]") {
    const ReadRequest request{1, RegisterTable::holding, 107, 2};
    const std::vector<std::pair<std::string, Bytes>> wrong{
        {"nothing", {}},
        {"function alone", {3}},
        {"other function", {4, 4, 0, 1, 0, 2}},
        {"other function's exception", {0x84, 2}},
        {"byte count of one register", {3, 2, 0, 1, 0, 2}},
        {"byte count odd", {3, 3, 0, 1, 0, 2}},
        {"one register short", {3, 4, 0, 1}},
        {"one register more", {3, 4, 0, 1, 0, 2, 0, 3}},
        {"one register more, counted", {3, 6, 0, 1, 0, 2, 0, 3}},
        {"last byte missing", {3, 4, 0, 1, 0}},
        {"exception without code", {0x83}},
        {"exception with more", {0x83, 2, 0}},
    };
    for (const auto& [name, pdu] : wrong) {
        INFO(name);
        const auto reply = check_reply(request, pdu);
        CHECK(reply.kind == Kind::mismatch);
        CHECK_FALSE(reply.detail.empty());
        CHECK(reply.values.empty());
    }
}

TEST_CASE("frames: a write counts only when the whole echo matches", "[modbus][frames]") {
    const WriteRequest block{1, 16, 100, {2, 3, 0, 812}};
    CHECK(check_reply(block, Bytes{16, 0, 100, 0, 4}).kind == Kind::good);
    CHECK(check_reply(block, Bytes{16, 0, 101, 0, 4}).detail == "echoed address 101, not 100");
    CHECK(check_reply(block, Bytes{16, 0, 100, 0, 3}).detail == "echoed quantity 3, not 4");
    CHECK(check_reply(block, Bytes{16, 0, 100, 0}).kind == Kind::mismatch);
    CHECK(check_reply(block, Bytes{16, 0, 100, 0, 4, 0}).kind == Kind::mismatch);
    CHECK(check_reply(block, Bytes{6, 0, 100, 0, 4}).kind == Kind::mismatch);

    const WriteRequest single{1, 6, 120, {7}};
    CHECK(check_reply(single, Bytes{6, 0, 120, 0, 7}).kind == Kind::good);
    CHECK(check_reply(single, Bytes{6, 0, 120, 0, 8}).detail == "echoed value 8, not 7");
    CHECK(check_reply(single, Bytes{6, 0, 121, 0, 7}).detail == "echoed address 121, not 120");

    const WriteRequest coil{1, 5, 3, {1}};
    CHECK(check_reply(coil, Bytes{5, 0, 3, 0xFF, 0}).kind == Kind::good);
    CHECK(check_reply(coil, Bytes{5, 0, 3, 0, 0}).kind == Kind::mismatch);
}

TEST_CASE("frames: an exception is told apart and named", "[modbus][frames]") {
    const auto reply = check_reply(WriteRequest{1, 16, 100, {1}}, Bytes{0x90, 0x0B});
    CHECK(reply.kind == Kind::exception);
    CHECK(reply.exception == 0x0B);
    CHECK(reply.detail == "exception 0x0B (gateway target does not answer)");
}

TEST_CASE("frames: each exception means what it proves about a write",
          "[modbus][frames][F74][F75][F76]") {
    using Outcome = core::WriteOutcome::Kind;
    const std::vector<std::pair<int, Outcome>> meanings{
        {1, Outcome::refused},
        {2, Outcome::refused},
        {3, Outcome::refused},
        {4, Outcome::unknown},
        {5, Outcome::confirmed},
        {6, Outcome::busy},
        {7, Outcome::unknown},
        {8, Outcome::unknown},
        {0x0A, Outcome::unknown},
        {0x0B, Outcome::unknown},
        {0xFF, Outcome::unknown},
        {0, Outcome::unknown},
    };
    for (const auto& [code, kind] : meanings) {
        INFO(code);
        const auto outcome = modbus::outcome_of_exception(static_cast<std::uint8_t>(code));
        CHECK(outcome.kind == kind);
        CHECK(outcome.exception == code);
    }
}

TEST_CASE("frames: the length of a confirmation is known beforehand", "[modbus][frames]") {
    CHECK(modbus::reply_size(ReadRequest{1, RegisterTable::holding, 0, 3}) == 8);
    CHECK(modbus::reply_size(ReadRequest{1, RegisterTable::coil, 0, 9}) == 4);
    CHECK(modbus::reply_size(WriteRequest{1, 16, 0, {1, 2}}) == 5);
}
