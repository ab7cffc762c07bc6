// Nothing that comes from the line may break the codecs, and next to nothing may pass them.
#include "drivers/modbus/frames.hpp"
#include "drivers/modbus/mbap.hpp"
#include "drivers/modbus/rtu_frames.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace liftwarden;
using namespace liftwarden::modbus;

namespace {

// The same bytes in every run.
class Garbage {
  public:
    std::size_t number(std::size_t below) {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(engine_);
    }
    Bytes bytes(std::size_t most) {
        Bytes result(number(most + 1));
        for (std::uint8_t& byte : result) {
            // Small numbers more often: they look like functions, counts and lengths.
            byte = static_cast<std::uint8_t>(number(3) == 0 ? number(256) : number(18));
        }
        return result;
    }

  private:
    std::mt19937 engine_{20260502};
};

}  // namespace

TEST_CASE("garbage: a reply passes only if it is what was asked for", "[modbus][garbage]") {
    Garbage garbage;
    const ports::ReadRequest read{1, ports::RegisterTable::holding, 0, 2};
    const ports::WriteRequest write{1, 16, 3, {1, 2}};
    for (int i = 0; i < 100000; ++i) {
        const Bytes pdu = garbage.bytes(12);
        if (const auto reply = check_reply(read, pdu); reply.kind == ReplyCheck::Kind::good) {
            CHECK((pdu.size() == 6 && pdu[0] == 3 && pdu[1] == 4));
            CHECK(reply.values.size() == 2);
        }
        if (check_reply(write, pdu).kind == ReplyCheck::Kind::good) {
            CHECK(pdu == Bytes{16, 0, 3, 0, 2});
        }
    }
}

TEST_CASE("garbage: a TCP stream ends in frames or is broken, whatever comes",
          "[modbus][garbage]") {
    Garbage garbage;
    for (int i = 0; i < 5000; ++i) {
        FrameStream stream;
        for (int piece = 0; piece < 20; ++piece) {
            stream.add(garbage.bytes(40));
            while (const auto frame = stream.next()) {
                CHECK(frame->pdu.size() >= 1);
                CHECK(frame->pdu.size() <= 253);
            }
        }
    }
}

TEST_CASE("garbage: no frame comes out of noise on a serial line", "[modbus][garbage]") {
    Garbage garbage;
    int found = 0;
    for (int i = 0; i < 2000; ++i) {
        ReplySearch search(wrap_rtu(1, Bytes{3, 0, 0, 0, 2}),
                           ReplyKind{1, 3, 6},
                           {ReplyKind{1, 16, 5}, ReplyKind{2, 3, 6}},
                           LocalEcho::unknown);
        for (int piece = 0; piece < 10; ++piece) {
            search.add(garbage.bytes(30));
            while (search.next()) {
                ++found;
            }
        }
    }
    CHECK(found <= 1);  // by the checksum's own odds
}
