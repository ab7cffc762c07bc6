#include "drivers/modbus/mbap.hpp"

#include <catch2/catch.hpp>

using namespace liftwarden::modbus;

TEST_CASE("mbap: a request is framed with transaction, protocol, length and unit",
          "[modbus][mbap]") {
    CHECK(wrap(0x1501, 9, Bytes{3, 0, 107, 0, 3}) ==
          Bytes{0x15, 0x01, 0, 0, 0, 6, 9, 3, 0, 107, 0, 3});
}

TEST_CASE("mbap: frames come out whole, whatever pieces they arrive in", "[modbus][mbap]") {
    const Bytes two{0, 1, 0, 0, 0, 3, 5, 0x83, 2, 0, 2, 0, 0, 0, 4, 6, 3, 1, 7};
    for (std::size_t piece = 1; piece <= two.size(); ++piece) {
        FrameStream stream;
        std::vector<FrameStream::Frame> frames;
        for (std::size_t at = 0; at < two.size(); at += piece) {
            stream.add(std::span(two).subspan(at, std::min(piece, two.size() - at)));
            while (auto frame = stream.next()) {
                frames.push_back(*frame);
            }
        }
        INFO("pieces of " << piece);
        REQUIRE(frames.size() == 2);
        CHECK(frames[0].transaction == 1);
        CHECK(frames[0].unit == 5);
        CHECK(frames[0].pdu == Bytes{0x83, 2});
        CHECK(frames[1].transaction == 2);
        CHECK(frames[1].unit == 6);
        CHECK(frames[1].pdu == Bytes{3, 1, 7});
        CHECK_FALSE(stream.broken());
    }
}

TEST_CASE("mbap: a header that cannot be one breaks the stream for good", "[modbus][mbap]") {
    FrameStream protocol;
    protocol.add(Bytes{0, 1, 0, 1, 0, 3, 5, 0x83, 2});
    CHECK_FALSE(protocol.next());
    CHECK(protocol.broken() == "protocol id 1, not 0");
    protocol.add(Bytes{0, 1, 0, 0, 0, 3, 5, 0x83, 2});
    CHECK_FALSE(protocol.next());

    FrameStream too_long;
    too_long.add(Bytes{0, 1, 0, 0, 0, 255});
    CHECK_FALSE(too_long.next());
    CHECK(too_long.broken() == "frame length 255, not 2..254");

    FrameStream too_short;
    too_short.add(Bytes{0, 1, 0, 0, 0, 1});
    CHECK_FALSE(too_short.next());
    CHECK(too_short.broken());
}

TEST_CASE("mbap: a frame that is not all there yet is waited for", "[modbus][mbap]") {
    FrameStream stream;
    stream.add(Bytes{0, 1, 0, 0, 0, 6, 1, 3, 2, 0});
    CHECK_FALSE(stream.next());
    CHECK_FALSE(stream.broken());
}
