#include "drivers/modbus/rtu_line.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

namespace liftwarden::modbus {
namespace {

using ports::BusFault;

constexpr IoClock::duration back_off_first = std::chrono::milliseconds{100};
constexpr IoClock::duration back_off_most = std::chrono::seconds{2};
// The protocol's silence, 3.5 characters, does not shrink any more above 19200 baud.
constexpr IoClock::duration silence_least = std::chrono::microseconds{1750};

std::string reason(int error) {
    return std::generic_category().message(error);
}

bool would_block(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

RtuLine::Failure unsent(BusFault::Kind kind, std::string why) {
    return {{kind, 0, std::move(why)}, false};
}

RtuLine::Failure unanswered(BusFault::Kind kind, std::string why) {
    return {{kind, 0, std::move(why)}, true};
}

}  // namespace

IoClock::duration RtuLine::line_time(const ports::BusSettings& settings, std::size_t bytes) {
    // Start bit, eight data bits, parity, stop bits.
    const int bits = 9 + (settings.parity == ports::Parity::none ? 0 : 1) + settings.stop_bits;
    return std::chrono::nanoseconds{std::chrono::seconds{1}} * static_cast<std::int64_t>(bytes) *
           bits / std::max(settings.baud, 1);
}

RtuLine::RtuLine(const ports::BusSettings& settings)
    : settings_(settings),
      silence_(std::max(line_time(settings, 7) / 2, silence_least)),
      port_(settings),
      late_(settings.response_timeout, settings.quiet_after_timeout) {}

std::optional<RtuLine::Failure> RtuLine::open() {
    if (waiter_.stopped()) {
        return unsent(BusFault::Kind::not_connected, "stopping");
    }
    if (port_.is_open()) {
        return std::nullopt;
    }
    const auto now = IoClock::now();
    if (failures_ > 0 && now < retry_at_) {
        return unsent(BusFault::Kind::not_connected, last_failure_);
    }
    last_failure_ = port_.open();
    if (!last_failure_.empty()) {
        give_up();
        return unsent(BusFault::Kind::not_connected, last_failure_);
    }
    ++opened_;
    line_free_at_ = IoClock::now() + silence_;
    return std::nullopt;
}

void RtuLine::close() {
    port_.close();
    echo_ = LocalEcho::unknown;  // it may be another adapter next time
}

std::optional<RtuLine::Failure> RtuLine::wait_for_quiet(IoClock::duration patience) {
    const auto give_up_at =
        std::max({late_.line_quiet_until(), line_free_at_, IoClock::now()}) + patience;
    ReplySearch search(late_.awaited(IoClock::now()));
    bool seen_coming = false;  // what lies there at first may be old
    for (;;) {
        while (const auto found = search.next()) {
            late_.arrived(found->kind, seen_coming ? std::optional{IoClock::now()} : std::nullopt);
        }
        const auto until = std::max(late_.line_quiet_until(), line_free_at_);
        const auto event = waiter_.wait(port_.fd(), POLLIN, std::min(until, give_up_at));
        if (event == Waiter::Event::stopped) {
            return unsent(BusFault::Kind::not_connected, "stopping");
        }
        if (event == Waiter::Event::timeout) {
            return until <= give_up_at
                       ? std::nullopt
                       : std::optional{unsent(BusFault::Kind::garbled, "the line is never quiet")};
        }
        if (auto failure = take_bytes(search)) {
            failure->sent = false;
            return failure;
        }
        // Nothing new at the next look: from then on bytes are seen coming.
        seen_coming = seen_coming || waiter_.wait(port_.fd(), POLLIN, {}) != Waiter::Event::ready;
    }
}

RtuLine::Exchange RtuLine::exchange(const ReplyKind& kind, const Bytes& pdu) {
    const Bytes frame = wrap_rtu(kind.unit, pdu);
    const auto deadline = IoClock::now() + settings_.response_timeout;
    if (auto failure = send(frame, deadline)) {
        return *failure;
    }
    ReplySearch search(frame, kind, late_.awaited(IoClock::now()), echo_);
    return receive(search, kind, deadline);
}

std::optional<RtuLine::Failure> RtuLine::send(const Bytes& frame, IoClock::time_point deadline) {
    std::size_t sent = 0;
    while (sent < frame.size()) {
        const auto count = ::write(port_.fd(), frame.data() + sent, frame.size() - sent);
        if (count > 0) {
            sent += static_cast<std::size_t>(count);
            continue;
        }
        if (count < 0 && !would_block(errno)) {
            return broken(reason(errno), sent > 0);
        }
        if (waiter_.wait(port_.fd(), POLLOUT, deadline) != Waiter::Event::ready) {
            return broken("the device takes no more data", sent > 0);
        }
    }
    line_free_at_ = IoClock::now() + line_time(settings_, frame.size()) + silence_;
    return std::nullopt;
}

RtuLine::Exchange RtuLine::receive(ReplySearch& search,
                                   const ReplyKind& kind,
                                   IoClock::time_point deadline) {
    std::optional<Bytes> reply;
    auto until = deadline;
    for (;;) {
        while (auto found = search.next()) {
            if (found->late) {
                late_.arrived(found->kind, IoClock::now());
            } else if (reply) {
                return unanswered(BusFault::Kind::garbled, "two answers to one question");
            } else {
                reply = std::move(found->pdu);
                // A frame ends with silence; another one right behind it makes both doubtful.
                until = IoClock::now() + silence_;
            }
        }
        const auto event = waiter_.wait(port_.fd(), POLLIN, until);
        if (event == Waiter::Event::ready) {
            if (auto failure = take_bytes(search)) {
                return *failure;
            }
            continue;
        }
        if (reply) {
            learn_echo(search, kind);
            failures_ = 0;
            return std::move(*reply);
        }
        if (event == Waiter::Event::stopped) {
            return unanswered(BusFault::Kind::silent, "stopping");
        }
        return search.has_rest()
                   ? unanswered(BusFault::Kind::garbled, "no answer among what was received")
                   : unanswered(BusFault::Kind::silent, "no answer in time");
    }
}

std::optional<RtuLine::Failure> RtuLine::take_bytes(ReplySearch& search) {
    std::array<std::uint8_t, 512> chunk{};
    const auto count = ::read(port_.fd(), chunk.data(), chunk.size());
    if (count > 0) {
        search.add({chunk.data(), static_cast<std::size_t>(count)});
        line_free_at_ = IoClock::now() + silence_ + settings_.turnaround;
        return std::nullopt;
    }
    if (count < 0 && !would_block(errno)) {
        return broken(reason(errno), true);
    }
    // The terminal settings make "nothing there" a length of 0 as well.
    return port_.gone() ? std::optional{broken("the device is gone", true)} : std::nullopt;
}

// A read tells for sure, as its answer never looks like its request.
void RtuLine::learn_echo(const ReplySearch& search, const ReplyKind& kind) {
    if (search.echoed()) {
        echo_ = LocalEcho::present;
    } else if (kind.function <= 4) {
        echo_ = LocalEcho::absent;
    }
}

RtuLine::Failure RtuLine::broken(const std::string& why, bool sent) {
    last_failure_ = fmt::format("{}: {}", settings_.device, why);
    give_up();
    return {{BusFault::Kind::broken, 0, last_failure_}, sent};
}

void RtuLine::give_up() {
    close();
    ++failures_;
    const int doublings = std::clamp(failures_ - 1, 0, 10);
    retry_at_ = IoClock::now() + std::min(back_off_first * (1 << doublings), back_off_most);
}

}  // namespace liftwarden::modbus
