// The frame around a protocol data unit on a serial line, and how to find one among other bytes.
#pragma once

#include "drivers/modbus/frames.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace liftwarden::modbus {

// CRC-16 of the protocol: polynomial 0xA001 reflected, start 0xFFFF; sent low byte first.
[[nodiscard]] std::uint16_t crc16(std::span<const std::uint8_t> bytes);

// Unit, `pdu`, CRC.
[[nodiscard]] Bytes wrap_rtu(std::uint8_t unit, std::span<const std::uint8_t> pdu);

inline constexpr std::size_t rtu_overhead = 3;  // unit and CRC

// By what replies on a serial line differ, as it has no transaction ids: the unit, the function and
// the length of the good reply's protocol data unit. The exception of the same function counts as
// the same kind.
struct ReplyKind {
    std::uint8_t unit = 0;
    std::uint8_t function = 0;
    std::size_t size = 0;
    friend bool operator==(const ReplyKind&, const ReplyKind&) = default;
};

// Whether the adapter sends back what it sent. It matters most for functions 5 and 6, whose
// confirmation looks like the request.
enum class LocalEcho { unknown, absent, present };

// True for functions 5, 6 and 8.
[[nodiscard]] bool confirmation_is_copy(std::uint8_t function);

// Takes the bytes of the line after one request and finds the reply in them: behind noise, behind
// late replies to earlier requests, behind the local echo. Everything it gives has a good CRC.
class ReplySearch {
  public:
    struct Found {
        ReplyKind kind;
        Bytes pdu;
        bool late = false;  // of `awaited_late`, not of the request
    };

    // `awaited_late`: replies to earlier requests that may still come.
    ReplySearch(Bytes request,
                std::optional<ReplyKind> wanted,
                std::vector<ReplyKind> awaited_late,
                LocalEcho echo);
    // Nothing was asked: late replies only.
    explicit ReplySearch(std::vector<ReplyKind> awaited_late);

    void add(std::span<const std::uint8_t> bytes);

    // The next frame, whether the reply or a late one; nullopt: more bytes are needed.
    [[nodiscard]] std::optional<Found> next();

    // True once the request itself was seen on the line.
    [[nodiscard]] bool echoed() const { return echoed_; }
    // True if bytes are left that belong to no frame.
    [[nodiscard]] bool has_rest() const { return !pending_.empty(); }

  private:
    [[nodiscard]] std::optional<Found> frame_at(std::size_t at) const;
    [[nodiscard]] std::optional<Bytes> whole_frame(std::size_t at, std::size_t pdu_size) const;
    bool strip_echo();

    Bytes request_;
    std::optional<ReplyKind> wanted_;
    std::vector<ReplyKind> late_;
    LocalEcho echo_;
    bool echoed_ = false;
    Bytes pending_;
};

}  // namespace liftwarden::modbus
