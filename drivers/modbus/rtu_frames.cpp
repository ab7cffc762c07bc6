#include "drivers/modbus/rtu_frames.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::modbus {
namespace {

constexpr std::uint8_t exception_flag = 0x80;

bool is_bit_or_register_read(std::uint8_t function) {
    return function >= 1 && function <= 4;
}

}  // namespace

bool confirmation_is_copy(std::uint8_t function) {
    return function == 5 || function == 6 || function == 8;
}

std::uint16_t crc16(std::span<const std::uint8_t> bytes) {
    unsigned crc = 0xFFFF;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0xA001U : crc >> 1U;
        }
    }
    return static_cast<std::uint16_t>(crc);
}

Bytes wrap_rtu(std::uint8_t unit, std::span<const std::uint8_t> pdu) {
    Bytes frame;
    frame.reserve(pdu.size() + rtu_overhead);
    frame.push_back(unit);
    frame.insert(frame.end(), pdu.begin(), pdu.end());
    const std::uint16_t crc = crc16(frame);
    frame.push_back(static_cast<std::uint8_t>(crc & 0xFFU));
    frame.push_back(static_cast<std::uint8_t>(crc >> 8U));
    return frame;
}

ReplySearch::ReplySearch(Bytes request,
                         std::optional<ReplyKind> wanted,
                         std::vector<ReplyKind> awaited_late,
                         LocalEcho echo)
    : request_(std::move(request)), wanted_(wanted), late_(std::move(awaited_late)), echo_(echo) {
    // What is asked for now is no late answer; whoever asks has made sure that it does not matter.
    std::erase_if(late_, [&](const ReplyKind& kind) { return kind == wanted_; });
}

ReplySearch::ReplySearch(std::vector<ReplyKind> awaited_late)
    : ReplySearch({}, std::nullopt, std::move(awaited_late), LocalEcho::absent) {}

void ReplySearch::add(std::span<const std::uint8_t> bytes) {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

std::optional<ReplySearch::Found> ReplySearch::next() {
    const bool copy_counts = strip_echo();
    for (std::size_t at = 0; at < pending_.size(); ++at) {
        auto found = frame_at(at);
        const bool is_copy = found && !found->late && found->pdu.front() == wanted_->function;
        if (found && (copy_counts || !is_copy)) {
            const std::size_t end = at + found->pdu.size() + rtu_overhead;
            pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(end));
            return found;
        }
    }
    return std::nullopt;
}

// False: a confirmation that is a copy of the request could still be the echo.
bool ReplySearch::strip_echo() {
    if (echoed_ || request_.empty() || echo_ == LocalEcho::absent) {
        return true;
    }
    const auto at = std::search(pending_.begin(), pending_.end(), request_.begin(), request_.end());
    if (at != pending_.end()) {
        pending_.erase(pending_.begin(), at + static_cast<std::ptrdiff_t>(request_.size()));
        echoed_ = true;
        return true;
    }
    return !wanted_ || !confirmation_is_copy(wanted_->function);
}

std::optional<ReplySearch::Found> ReplySearch::frame_at(std::size_t at) const {
    std::vector<std::pair<ReplyKind, bool>> kinds;
    for (const ReplyKind& kind : late_) {
        kinds.emplace_back(kind, true);
    }
    if (wanted_) {
        kinds.emplace_back(*wanted_, false);
    }
    for (const auto& [kind, late] : kinds) {
        if (pending_.size() - at < 2 || pending_[at] != kind.unit) {
            continue;
        }
        const std::uint8_t function = pending_[at + 1];
        std::optional<Bytes> pdu;
        if (function == kind.function) {
            pdu = whole_frame(at, kind.size);
            if (pdu && is_bit_or_register_read(function) && (*pdu)[1] != kind.size - 2) {
                pdu.reset();
            }
        } else if (function == (kind.function | exception_flag)) {
            pdu = whole_frame(at, exception_size);
        }
        if (pdu) {
            return Found{kind, std::move(*pdu), late};
        }
    }
    return std::nullopt;
}

std::optional<Bytes> ReplySearch::whole_frame(std::size_t at, std::size_t pdu_size) const {
    const std::size_t size = pdu_size + rtu_overhead;
    if (pending_.size() - at < size) {
        return std::nullopt;
    }
    const std::span<const std::uint8_t> frame = std::span(pending_).subspan(at, size);
    const std::uint16_t crc = crc16(frame.first(size - 2));
    if (frame[size - 2] != (crc & 0xFFU) || frame[size - 1] != crc >> 8U) {
        return std::nullopt;
    }
    return Bytes(frame.begin() + 1, frame.end() - 2);
}

}  // namespace liftwarden::modbus
