#include "drivers/modbus/rtu_bus.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace liftwarden::modbus {
namespace {

using ports::BusFault;

constexpr IoClock::duration back_off_first = std::chrono::milliseconds{100};
constexpr IoClock::duration back_off_most = std::chrono::seconds{2};
// The protocol's silence, 3.5 characters, is fixed above 19200 baud.
constexpr IoClock::duration silence_least = std::chrono::microseconds{1750};
constexpr std::size_t known_reads_most = 4;
constexpr std::uint8_t diagnostics = 8;

std::string reason(int error) {
    return std::generic_category().message(error);
}

bool would_block(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

// Sized for the reading of a unit whose answer needs nothing else.
ReplyKind kind_of(const ports::ReadRequest& request, const Bytes& pdu) {
    return {request.unit, pdu.front(), reply_size(request)};
}

IoClock::duration silence(const ports::BusSettings& settings) {
    return std::max(RtuBus::line_time(settings, 7) / 2, silence_least);
}

}  // namespace

IoClock::duration RtuBus::line_time(const ports::BusSettings& settings, std::size_t bytes) {
    // Start bit, eight data bits, parity, stop bits.
    const int bits = 9 + (settings.parity == ports::Parity::none ? 0 : 1) + settings.stop_bits;
    return std::chrono::nanoseconds{std::chrono::seconds{1}} * static_cast<std::int64_t>(bytes) *
           bits / std::max(settings.baud, 1);
}

RtuBus::RtuBus(const ports::BusSettings& settings)
    : settings_(settings),
      port_(settings),
      late_(settings.response_timeout, settings.quiet_after_timeout) {}

ports::BusResult<std::vector<std::uint16_t>> RtuBus::read(const ports::ReadRequest& request) {
    const auto pdu = encode(request);
    if (!pdu) {
        return BusFault{BusFault::Kind::not_connected, 0, "not a possible Modbus read"};
    }
    Exchange outcome = transact(kind_of(request, *pdu), *pdu);
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        return std::move(failure->fault);
    }
    ReplyCheck reply = check_reply(request, std::get<Bytes>(outcome));
    switch (reply.kind) {
        case ReplyCheck::Kind::good:
            remember(request);
            return std::move(reply.values);
        case ReplyCheck::Kind::exception:
            return BusFault{BusFault::Kind::exception, reply.exception, std::move(reply.detail)};
        case ReplyCheck::Kind::mismatch:
            break;
    }
    return BusFault{BusFault::Kind::garbled, 0, std::move(reply.detail)};
}

core::WriteOutcome RtuBus::write(const ports::WriteRequest& request) {
    using Kind = core::WriteOutcome::Kind;
    const auto pdu = encode(request);
    if (!pdu) {
        return {Kind::not_written, std::nullopt, "not a possible Modbus write"};
    }
    Exchange outcome = transact({request.unit, pdu->front(), reply_size(request)}, *pdu);
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        return {failure->sent ? Kind::unknown : Kind::not_written,
                std::nullopt,
                std::move(failure->fault.detail)};
    }
    ReplyCheck reply = check_reply(request, std::get<Bytes>(outcome));
    switch (reply.kind) {
        case ReplyCheck::Kind::good:
            return {Kind::confirmed, std::nullopt, {}};
        case ReplyCheck::Kind::exception:
            return outcome_of_exception(reply.exception);
        case ReplyCheck::Kind::mismatch:
            break;
    }
    return {Kind::unknown, std::nullopt, std::move(reply.detail)};
}

void RtuBus::abort() {
    port_.close();
    echo_ = LocalEcho::unknown;  // it may be another adapter next time
}

RtuBus::Exchange RtuBus::transact(const ReplyKind& kind, const Bytes& pdu) {
    if (kind.unit == 0 || kind.unit > 247) {
        return Failure{
            {BusFault::Kind::not_connected, 0, fmt::format("unit {} is not 1..247", kind.unit)},
            false};
    }
    if (auto failure = ensure_open()) {
        return *failure;
    }
    if (auto failure = wait_for_quiet_line()) {
        return *failure;
    }
    if (IoClock::now() < late_.unit_quiet_until(kind.unit)) {
        return Failure{{BusFault::Kind::silent, 0, "left alone until its late answer is over"},
                       false};
    }
    if (late_.confusable(kind, IoClock::now())) {
        if (auto failure = probe(kind.unit)) {
            return *failure;
        }
    }
    return exchange(kind, pdu);
}

std::optional<RtuBus::Failure> RtuBus::ensure_open() {
    const auto now = IoClock::now();
    if (waiter_.stopped()) {
        return Failure{{BusFault::Kind::not_connected, 0, "stopping"}, false};
    }
    if (port_.is_open()) {
        return std::nullopt;
    }
    if (failures_ > 0 && now < retry_at_) {
        return Failure{{BusFault::Kind::not_connected, 0, last_failure_}, false};
    }
    last_failure_ = port_.open();
    if (!last_failure_.empty()) {
        give_up();
        return Failure{{BusFault::Kind::not_connected, 0, last_failure_}, false};
    }
    ++links_;
    line_free_at_ = now + silence(settings_);
    return std::nullopt;
}

// Takes in what comes without having been asked for: late replies end the quiet, noise is dropped.
std::optional<RtuBus::Failure> RtuBus::wait_for_quiet_line() {
    ReplySearch search({}, {}, late_.awaited(IoClock::now()), LocalEcho::absent);
    for (;;) {
        while (const auto found = search.next()) {
            late_.arrived(found->kind, IoClock::now());
        }
        const auto until = std::max(late_.line_quiet_until(), line_free_at_);
        switch (waiter_.wait(port_.fd(), POLLIN, until)) {
            case Waiter::Event::timeout:
                return std::nullopt;
            case Waiter::Event::stopped:
                return Failure{{BusFault::Kind::not_connected, 0, "stopping"}, false};
            case Waiter::Event::ready:
                break;
        }
        if (auto failure = receive_some(search, until)) {
            failure->sent = false;
            return failure;
        }
    }
}

std::optional<RtuBus::Failure> RtuBus::probe(std::uint8_t unit) {
    std::vector<ports::ReadRequest> candidates = known_reads_[unit];
    for (ports::ReadRequest shorter : known_reads_[unit]) {
        if (--shorter.count > 0) {
            candidates.push_back(shorter);
        }
    }
    Exchange outcome;
    const auto usable =
        std::find_if(candidates.begin(), candidates.end(), [&](const ports::ReadRequest& read) {
            return !late_.confusable(kind_of(read, *encode(read)), IoClock::now());
        });
    if (usable != candidates.end()) {
        const Bytes pdu = *encode(*usable);
        outcome = exchange(kind_of(*usable, pdu), pdu);
    } else {
        // Return query data: any answer will do, even that the function is not supported.
        ++nonce_;
        const Bytes pdu{diagnostics,
                        0,
                        0,
                        static_cast<std::uint8_t>(nonce_ >> 8U),
                        static_cast<std::uint8_t>(nonce_ & 0xFFU)};
        outcome = exchange({unit, diagnostics, pdu.size()}, pdu);
    }
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        failure->sent = false;  // of the request itself nothing
        failure->fault.detail = "probe after a late answer: " + failure->fault.detail;
        return *failure;
    }
    return std::nullopt;
}

RtuBus::Exchange RtuBus::exchange(const ReplyKind& kind, const Bytes& pdu) {
    if (auto failure = wait_for_quiet_line()) {
        return *failure;
    }
    const Bytes frame = wrap_rtu(kind.unit, pdu);
    const auto sent_by = IoClock::now() + line_time(settings_, frame.size());
    if (auto failure = send(frame, sent_by + settings_.response_timeout)) {
        return *failure;
    }
    const auto deadline =
        sent_by + settings_.response_timeout + line_time(settings_, kind.size + rtu_overhead);
    ReplySearch search(frame, kind, late_.awaited(IoClock::now()), echo_);
    Exchange outcome = receive(search, kind, deadline);
    if (const auto* failure = std::get_if<Failure>(&outcome);
        failure != nullptr && failure->fault.kind != BusFault::Kind::broken) {
        late_.missed(kind, IoClock::now());
    }
    return outcome;
}

RtuBus::Exchange RtuBus::receive(ReplySearch& search,
                                 const ReplyKind& kind,
                                 IoClock::time_point deadline) {
    std::optional<Bytes> reply;
    auto until = deadline;
    for (;;) {
        while (auto found = search.next()) {
            if (found->late) {
                late_.arrived(found->kind, IoClock::now());
            } else if (reply) {
                return Failure{{BusFault::Kind::garbled, 0, "two answers to one question"}, true};
            } else {
                reply = std::move(found->pdu);
                // A frame ends with silence; another one right behind it would make both doubtful.
                until = IoClock::now() + silence(settings_);
            }
        }
        const auto event = waiter_.wait(port_.fd(), POLLIN, until);
        if (event == Waiter::Event::ready) {
            if (auto failure = receive_some(search, until)) {
                return *failure;
            }
        } else if (reply) {
            learn_echo(search, kind);
            late_.answered(kind.unit);
            failures_ = 0;
            return std::move(*reply);
        } else if (event == Waiter::Event::stopped) {
            return Failure{{BusFault::Kind::silent, 0, "stopping"}, true};
        } else {
            const bool noise = search.has_rest() && !search.echoed();
            return Failure{{noise ? BusFault::Kind::garbled : BusFault::Kind::silent,
                            0,
                            noise ? "no answer among what was received" : "no answer in time"},
                           true};
        }
    }
}

std::optional<RtuBus::Failure> RtuBus::receive_some(ReplySearch& search, IoClock::time_point) {
    std::array<std::uint8_t, 512> chunk{};
    const auto count = ::read(port_.fd(), chunk.data(), chunk.size());
    if (count > 0) {
        search.add({chunk.data(), static_cast<std::size_t>(count)});
        line_free_at_ = IoClock::now() + silence(settings_) + settings_.turnaround;
        return std::nullopt;
    }
    if (count < 0 && would_block(errno)) {
        return std::nullopt;
    }
    return broken(count == 0 ? "the device is gone" : reason(errno), true);
}

std::optional<RtuBus::Failure> RtuBus::send(const Bytes& frame, IoClock::time_point deadline) {
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
    line_free_at_ = IoClock::now() + line_time(settings_, frame.size()) + silence(settings_) +
                    settings_.turnaround;
    return std::nullopt;
}

// A read tells for sure; its answer never looks like its request.
void RtuBus::learn_echo(const ReplySearch& search, const ReplyKind& kind) {
    if (search.echoed()) {
        echo_ = LocalEcho::present;
    } else if (kind.function <= 4) {
        echo_ = LocalEcho::absent;
    }
}

void RtuBus::remember(const ports::ReadRequest& request) {
    auto& known = known_reads_[request.unit];
    if (std::find(known.begin(), known.end(), request) != known.end()) {
        return;
    }
    if (known.size() == known_reads_most) {
        known.erase(known.begin());
    }
    known.push_back(request);
}

RtuBus::Failure RtuBus::broken(std::string why, bool sent) {
    last_failure_ = fmt::format("{}: {}", settings_.device, why);
    give_up();
    return {{BusFault::Kind::broken, 0, last_failure_}, sent};
}

void RtuBus::give_up() {
    abort();
    ++failures_;
    const int doublings = std::clamp(failures_ - 1, 0, 10);
    retry_at_ = IoClock::now() + std::min(back_off_first * (1 << doublings), back_off_most);
}

}  // namespace liftwarden::modbus
