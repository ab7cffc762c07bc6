#include "drivers/sim/pdu.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden;
using sim::Bytes;
using sim::parse_request;
using Words = std::vector<std::uint16_t>;

TEST_CASE("pdu: reads and writes are parsed", "[sim][pdu]") {
    const auto read = parse_request(Bytes{3, 0x01, 0x02, 0, 125});
    CHECK(read.exception == 0);
    CHECK(read.request.address == 0x102);
    CHECK(read.request.count == 125);
    CHECK_FALSE(read.request.is_write());

    const auto one = parse_request(Bytes{6, 0, 7, 0x12, 0x34});
    CHECK(one.request.values == Words{0x1234});
    CHECK(one.request.is_write());

    const auto coil = parse_request(Bytes{5, 0, 7, 0xFF, 0});
    CHECK(coil.request.values == Words{1});

    const auto many = parse_request(Bytes{16, 0, 100, 0, 2, 4, 0, 1, 0xFF, 0xFF});
    CHECK(many.exception == 0);
    CHECK(many.request.values == Words{1, 0xFFFF});

    const auto coils = parse_request(Bytes{15, 0, 0, 0, 10, 2, 0x81, 0x02});
    CHECK(coils.request.values == Words{1, 0, 0, 0, 0, 0, 0, 1, 0, 1});
}

TEST_CASE("pdu: functions and quantities out of range get their exception", "[sim][pdu]") {
    const auto code = [](const Bytes& bytes) { return int{parse_request(bytes).exception}; };
    CHECK(code({7}) == 1);
    CHECK(code({43, 14, 1, 0}) == 1);
    CHECK(code({23, 0, 0, 0, 1}) == 1);
    CHECK(code({3, 0, 0, 0, 0}) == 3);
    CHECK(code({3, 0, 0, 0, 126}) == 3);
    CHECK(code({1, 0, 0, 0x07, 0xD1}) == 3);
    CHECK(code({1, 0, 0, 0x07, 0xD0}) == 0);
    CHECK(code({3, 0, 0, 1}) == 3);
    CHECK(code({5, 0, 0, 0x12, 0}) == 3);
    CHECK(code({16, 0, 0, 0, 2, 3, 0, 1, 0}) == 3);
    CHECK(code({16, 0, 0, 0, 2, 4, 0, 1, 0}) == 3);
    CHECK(code({16, 0, 0, 0, 0, 0}) == 3);
    CHECK(code({15, 0, 0, 0, 9, 1, 0xFF}) == 3);
    CHECK(code({16}) == 3);
}

TEST_CASE("pdu: replies echo what the protocol wants", "[sim][pdu]") {
    const auto read = parse_request(Bytes{4, 0, 0, 0, 2}).request;
    CHECK(sim::read_reply(read, Words{1, 0x203}) == Bytes{4, 4, 0, 1, 2, 3});
    const auto bits = parse_request(Bytes{2, 0, 0, 0, 9}).request;
    CHECK(sim::read_reply(bits, Words{1, 0, 1, 0, 0, 0, 0, 0, 1}) == Bytes{2, 2, 5, 1});
    const Bytes single{5, 0, 7, 0xFF, 0};
    CHECK(sim::write_reply(parse_request(single).request) == single);
    const Bytes word{6, 0, 7, 0xAB, 0xCD};
    CHECK(sim::write_reply(parse_request(word).request) == word);
    const auto many = parse_request(Bytes{16, 0, 100, 0, 1, 2, 0, 1}).request;
    CHECK(sim::write_reply(many) == Bytes{16, 0, 100, 0, 1});
    CHECK(sim::exception_reply(3, 2) == Bytes{0x83, 2});
}
