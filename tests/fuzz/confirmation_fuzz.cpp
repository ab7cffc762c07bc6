// Bytes from the wire as answers to a request of ours: nothing is taken for its confirmation that
// is not, byte for byte, one that the request can have. The first four bytes choose the request.
#include "drivers/modbus/frames.hpp"
#include "drivers/modbus/mbap.hpp"
#include "drivers/modbus/rtu_frames.hpp"
#include "tests/fuzz/check.hpp"

#include <algorithm>
#include <cstdint>

namespace {

using namespace liftwarden;
using fuzz::check;
using Span = std::span<const std::uint8_t>;

// What the peer would have to know to build the one good answer: independent of check_reply.
bool is_read_answer(const ports::ReadRequest& request, Span pdu) {
    const bool bits = request.table == ports::RegisterTable::coil ||
                      request.table == ports::RegisterTable::discrete;
    const std::size_t bytes = bits ? (request.count + 7U) / 8U : request.count * 2U;
    const auto asked = *modbus::encode(request);
    return pdu.size() == bytes + 2 && pdu[0] == asked[0] && pdu[1] == bytes;
}

bool is_write_answer(const ports::WriteRequest& request, Span pdu) {
    const auto asked = *modbus::encode(request);
    return pdu.size() == 5 && std::equal(pdu.begin(), pdu.end(), asked.begin());
}

void check_reply_to(const ports::ReadRequest& request, Span pdu) {
    const modbus::ReplyCheck found = modbus::check_reply(request, pdu);
    check((found.kind == modbus::ReplyCheck::Kind::good) == is_read_answer(request, pdu),
          "a read is confirmed by its own answer only");
    check(found.kind != modbus::ReplyCheck::Kind::good || found.values.size() == request.count,
          "with as many values as were asked for");
}

void check_reply_to(const ports::WriteRequest& request, Span pdu) {
    const modbus::ReplyCheck found = modbus::check_reply(request, pdu);
    check((found.kind == modbus::ReplyCheck::Kind::good) == is_write_answer(request, pdu),
          "a write is confirmed by its own answer only");
    if (found.kind == modbus::ReplyCheck::Kind::exception) {
        const auto outcome = modbus::outcome_of_exception(found.exception);
        check(!modbus::describe_exception(found.exception).empty(), "an exception has a name");
        check(outcome.kind != core::WriteOutcome::Kind::not_written,
              "a write with answer has left");
    }
}

// The stream comes to the same frames however it is cut.
void check_stream(Span bytes) {
    modbus::FrameStream whole;
    modbus::FrameStream dripping;
    whole.add(bytes);
    std::vector<modbus::FrameStream::Frame> frames;
    while (auto frame = whole.next()) {
        frames.push_back(std::move(*frame));
    }
    std::size_t seen = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        dripping.add(bytes.subspan(i, 1));
        while (auto frame = dripping.next()) {
            check(seen < frames.size() && frames[seen].transaction == frame->transaction &&
                      frames[seen].unit == frame->unit && frames[seen].pdu == frame->pdu,
                  "dripping bytes give the same frame");
            ++seen;
        }
    }
    check(seen == frames.size() && whole.broken() == dripping.broken(), "and as many");
}

template <class Request>
void check_line(const Request& request, Span bytes, unsigned options) {
    const auto pdu = *modbus::encode(request);
    const modbus::ReplyKind wanted{request.unit, pdu[0], modbus::reply_size(request)};
    std::vector<modbus::ReplyKind> late;
    if ((options & 1U) != 0) {
        late.push_back({request.unit, 3, 6});
    }
    const auto echo = (options & 2U) != 0   ? modbus::LocalEcho::present
                      : (options & 4U) != 0 ? modbus::LocalEcho::unknown
                                            : modbus::LocalEcho::absent;
    modbus::ReplySearch search(modbus::wrap_rtu(request.unit, pdu), wanted, late, echo);
    const std::size_t cut = bytes.size() / 2;
    for (const Span part : {bytes.first(cut), bytes.subspan(cut)}) {
        search.add(part);
        while (const auto found = search.next()) {
            check(found->late || found->kind == wanted, "an answer is of the wanted kind");
            check(!found->pdu.empty() && (found->pdu.size() == found->kind.size ||
                                          found->pdu.size() == modbus::exception_size),
                  "and of its length");
            if (!found->late) {
                check_reply_to(request, found->pdu);
            }
        }
    }
}

template <class Request>
void check_all(const Request& request, Span bytes, unsigned options) {
    if (!modbus::encode(request)) {
        return;
    }
    check_reply_to(request, bytes);
    check_line(request, bytes, options);
    // The fuzzer hardly finds a check sum by itself: the same bytes as a good frame behind noise.
    modbus::Bytes framed(bytes.begin(), bytes.begin() + static_cast<long>(bytes.size() % 5));
    const modbus::Bytes good = modbus::wrap_rtu(request.unit, bytes);
    framed.insert(framed.end(), good.begin(), good.end());
    check_line(request, framed, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 4 || size > 600) {
        return 0;
    }
    const unsigned options = data[0];
    const Span bytes(data + 4, size - 4);
    const auto count = static_cast<std::uint16_t>(1U + data[1] % 130U);
    if ((options & 0x80U) != 0) {
        const auto table = static_cast<ports::RegisterTable>((options >> 3U) & 3U);
        check_all(ports::ReadRequest{data[2], table, data[3], count}, bytes, options);
    } else {
        constexpr std::uint8_t functions[] = {5, 6, 15, 16};
        const std::uint8_t function = functions[(options >> 3U) & 3U];
        ports::WriteRequest request{data[2], function, data[3], {}};
        request.values.assign(function < 10 ? 1 : count, data[1] % 2);
        check_all(request, bytes, options);
    }
    check_stream(bytes);
    return 0;
}
