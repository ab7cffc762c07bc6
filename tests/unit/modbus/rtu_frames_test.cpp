#include "drivers/modbus/rtu_frames.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace liftwarden::modbus;

namespace {

const ReplyKind read_two{17, 3, 6};  // two registers of unit 17
const Bytes request = wrap_rtu(17, Bytes{3, 0, 107, 0, 2});
const Bytes good_pdu{3, 4, 0, 1, 0, 2};
const Bytes good = wrap_rtu(17, good_pdu);

Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

ReplySearch search_for(const ReplyKind& kind,
                       std::vector<ReplyKind> late = {},
                       LocalEcho echo = LocalEcho::absent) {
    return ReplySearch(request, kind, std::move(late), echo);
}

}  // namespace

TEST_CASE("rtu frames: the checksum is the protocol's", "[modbus][rtu]") {
    CHECK(wrap_rtu(2, Bytes{7}) == Bytes{2, 7, 0x41, 0x12});
    CHECK(wrap_rtu(1, Bytes{4, 2, 0xFF, 0xFF}) == Bytes{1, 4, 2, 0xFF, 0xFF, 0xB8, 0x80});
}

TEST_CASE("rtu frames: a reply is found in whatever pieces it comes", "[modbus][rtu]") {
    for (std::size_t piece = 1; piece <= good.size(); ++piece) {
        auto search = search_for(read_two);
        std::optional<ReplySearch::Found> found;
        for (std::size_t at = 0; at < good.size(); at += piece) {
            CHECK_FALSE(found);
            search.add(std::span(good).subspan(at, std::min(piece, good.size() - at)));
            found = search.next();
        }
        REQUIRE(found);
        CHECK(found->pdu == good_pdu);
        CHECK_FALSE(found->late);
        CHECK_FALSE(search.has_rest());
    }
}

TEST_CASE("rtu frames: noise in front of a reply does not hide it", "[modbus][rtu]") {
    for (const Bytes& noise : {Bytes{0}, Bytes{0xFF, 0, 0xFF}, Bytes{17, 3}, Bytes{17, 3, 4, 0}}) {
        auto search = search_for(read_two);
        search.add(noise + good);
        const auto found = search.next();
        REQUIRE(found);
        CHECK(found->pdu == good_pdu);
    }
}

TEST_CASE("rtu frames: a reply with any bit wrong is none", "[modbus][rtu]") {
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
        Bytes spoiled = good;
        spoiled[bit / 8] = static_cast<std::uint8_t>(spoiled[bit / 8] ^ (1U << (bit % 8)));
        auto search = search_for(read_two);
        search.add(spoiled);
        INFO("bit " << bit);
        CHECK_FALSE(search.next());
        CHECK(search.has_rest());
    }
}

TEST_CASE("rtu frames: replies of others are passed over", "[modbus][rtu]") {
    const std::vector<Bytes> others{
        wrap_rtu(18, good_pdu),                       // unit
        wrap_rtu(17, Bytes{4, 4, 0, 1, 0, 2}),        // function
        wrap_rtu(17, Bytes{3, 2, 0, 1}),              // one register
        wrap_rtu(17, Bytes{3, 6, 0, 1, 0, 2, 0, 3}),  // three
        wrap_rtu(17, Bytes{3, 3, 0, 1, 0, 2}),        // byte count
        wrap_rtu(17, Bytes{0x84, 2}),                 // exception of another function
    };
    for (const Bytes& other : others) {
        auto search = search_for(read_two);
        search.add(other);
        CHECK_FALSE(search.next());
        search.add(good);
        const auto found = search.next();
        REQUIRE(found);
        CHECK(found->pdu == good_pdu);
    }
}

TEST_CASE("rtu frames: an exception is a reply", "[modbus][rtu]") {
    auto search = search_for(read_two);
    search.add(wrap_rtu(17, Bytes{0x83, 2}));
    const auto found = search.next();
    REQUIRE(found);
    CHECK(found->pdu == Bytes{0x83, 2});
}

TEST_CASE("rtu frames: a late reply is told apart and does not end the search", "[modbus][rtu]") {
    const ReplyKind late_write{17, 16, 5};
    const ReplyKind late_other{18, 3, 6};
    auto search = search_for(read_two, {late_write, late_other});
    search.add(wrap_rtu(18, good_pdu) + wrap_rtu(17, Bytes{16, 0, 100, 0, 4}) + good);
    auto found = search.next();
    REQUIRE(found);
    CHECK(found->late);
    CHECK(found->kind == late_other);
    found = search.next();
    REQUIRE(found);
    CHECK(found->late);
    CHECK(found->kind == late_write);
    found = search.next();
    REQUIRE(found);
    CHECK_FALSE(found->late);
    CHECK(found->pdu == good_pdu);
}

TEST_CASE("rtu frames: an exception that may be late is not taken for the reply", "[modbus][rtu]") {
    auto search = search_for(read_two, {ReplyKind{17, 3, 16}});
    search.add(wrap_rtu(17, Bytes{0x83, 2}));
    const auto found = search.next();
    REQUIRE(found);
    CHECK(found->late);
}

TEST_CASE("rtu frames: the local echo is stripped", "[modbus][rtu]") {
    for (const LocalEcho echo : {LocalEcho::unknown, LocalEcho::present}) {
        auto search = search_for(read_two, {}, echo);
        search.add(request);
        CHECK_FALSE(search.next());
        CHECK(search.echoed());
        search.add(good);
        CHECK(search.next());
    }
}

TEST_CASE("rtu frames: the echo of a single write is not its confirmation", "[modbus][rtu]") {
    const Bytes pdu{6, 0, 120, 0, 7};
    const Bytes write = wrap_rtu(17, pdu);
    const ReplyKind kind{17, 6, 5};
    for (const LocalEcho echo : {LocalEcho::unknown, LocalEcho::present}) {
        ReplySearch search(write, kind, {}, echo);
        search.add(write);
        CHECK_FALSE(search.next());
        search.add(write);
        CHECK(search.next());
    }
    ReplySearch search(write, kind, {}, LocalEcho::absent);
    search.add(write);
    CHECK(search.next());
}

TEST_CASE("rtu frames: an exception needs no echo before it", "[modbus][rtu]") {
    ReplySearch search(
        wrap_rtu(17, Bytes{6, 0, 120, 0, 7}), ReplyKind{17, 6, 5}, {}, LocalEcho::unknown);
    search.add(wrap_rtu(17, Bytes{0x86, 2}));
    const auto found = search.next();
    REQUIRE(found);
    CHECK(found->pdu == Bytes{0x86, 2});
}
