#include "drivers/modbus/tcp_bus.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace liftwarden::modbus {
namespace {

using ports::BusFault;

constexpr IoClock::duration back_off_first = std::chrono::milliseconds{100};
constexpr IoClock::duration back_off_most = std::chrono::seconds{2};

IoClock::duration back_off(int failures) {
    const int doublings = std::clamp(failures - 1, 0, 10);
    return std::min(back_off_first * (1 << doublings), back_off_most);
}

std::string reason(int error) {
    return std::generic_category().message(error);
}

bool would_block(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

TcpBus::TcpBus(const ports::BusSettings& settings)
    : settings_(settings), socket_(settings.host, settings.port) {}

ports::BusResult<std::vector<std::uint16_t>> TcpBus::read(const ports::ReadRequest& request) {
    const auto pdu = encode(request);
    if (!pdu) {
        return BusFault{BusFault::Kind::not_connected, 0, "not a possible Modbus read"};
    }
    Exchange outcome = exchange(request.unit, *pdu, IdleClose::reconnect);
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        return std::move(failure->fault);
    }
    ReplyCheck reply = check_reply(request, std::get<Bytes>(outcome));
    switch (reply.kind) {
        case ReplyCheck::Kind::good:
            answered();
            return std::move(reply.values);
        case ReplyCheck::Kind::exception:
            answered();
            return BusFault{BusFault::Kind::exception, reply.exception, std::move(reply.detail)};
        case ReplyCheck::Kind::mismatch:
            break;
    }
    abort();
    return BusFault{BusFault::Kind::garbled, 0, std::move(reply.detail)};
}

core::WriteOutcome TcpBus::write(const ports::WriteRequest& request) {
    using Kind = core::WriteOutcome::Kind;
    const auto pdu = encode(request);
    if (!pdu) {
        return {Kind::not_written, std::nullopt, "not a possible Modbus write"};
    }
    Exchange outcome = exchange(request.unit, *pdu, IdleClose::fail);
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        return {failure->sent ? Kind::unknown : Kind::not_written,
                std::nullopt,
                std::move(failure->fault.detail)};
    }
    ReplyCheck reply = check_reply(request, std::get<Bytes>(outcome));
    switch (reply.kind) {
        case ReplyCheck::Kind::good:
            answered();
            return {Kind::confirmed, std::nullopt, {}};
        case ReplyCheck::Kind::exception:
            answered();
            return outcome_of_exception(reply.exception);
        case ReplyCheck::Kind::mismatch:
            break;
    }
    abort();
    return {Kind::unknown, std::nullopt, std::move(reply.detail)};
}

void TcpBus::abort() {
    socket_.abort();
    stream_ = FrameStream{};
}

void TcpBus::settle() {
    static_cast<void>(waiter_.sleep_until(rest_until_));
}

TcpBus::Exchange TcpBus::exchange(std::uint8_t unit, const Bytes& pdu, IdleClose idle_close) {
    if (waiter_.sleep_until(rest_until_) == Waiter::Event::stopped) {
        return Failure{{BusFault::Kind::not_connected, 0, "stopping"}, false};
    }
    if (auto failure = ensure_connected(idle_close)) {
        return *failure;
    }
    const auto deadline = IoClock::now() + settings_.response_timeout;
    const std::uint16_t transaction = ++transaction_;
    if (auto failure = send(wrap(transaction, unit, pdu), deadline)) {
        give_up();
        return *failure;
    }
    Exchange outcome = receive(transaction, unit, deadline);
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
        // A silent unit says nothing about the endpoint, a broken connection does.
        if (failure->fault.kind == BusFault::Kind::broken) {
            last_failure_ = failure->fault.detail;
            give_up();
        } else {
            abort();
        }
    }
    rest_until_ = IoClock::now() + settings_.turnaround;
    return outcome;
}

std::optional<TcpBus::Failure> TcpBus::ensure_connected(IdleClose idle_close) {
    if (socket_.connected() && socket_.hung_up()) {
        abort();
        if (idle_close == IdleClose::fail) {
            return Failure{{BusFault::Kind::broken, 0, "the other side had closed the connection"},
                           false};
        }
    }
    if (socket_.connected()) {
        return std::nullopt;
    }
    const auto now = IoClock::now();
    if (failures_ > 0 && now < retry_at_) {
        return Failure{{BusFault::Kind::not_connected, 0, last_failure_}, false};
    }
    stream_ = FrameStream{};
    last_failure_ =
        socket_.connect(waiter_, now + settings_.connect_timeout, settings_.response_timeout);
    if (!last_failure_.empty()) {
        last_failure_ = fmt::format("{}:{}: {}", settings_.host, settings_.port, last_failure_);
        give_up();
        return Failure{{BusFault::Kind::not_connected, 0, last_failure_}, false};
    }
    ++links_;
    return std::nullopt;
}

std::optional<TcpBus::Failure> TcpBus::send(const Bytes& frame, IoClock::time_point deadline) {
    std::size_t sent = 0;
    while (sent < frame.size()) {
        const auto count =
            ::send(socket_.fd(), frame.data() + sent, frame.size() - sent, MSG_NOSIGNAL);
        if (count > 0) {
            sent += static_cast<std::size_t>(count);
            continue;
        }
        if (count < 0 && !would_block(errno)) {
            last_failure_ = "send: " + reason(errno);
            return Failure{{BusFault::Kind::broken, 0, last_failure_}, sent > 0};
        }
        if (const auto event = waiter_.wait(socket_.fd(), POLLOUT, deadline);
            event != Waiter::Event::ready) {
            last_failure_ =
                event == Waiter::Event::stopped ? "stopping" : "the path takes no more data";
            return Failure{{BusFault::Kind::broken, 0, last_failure_}, sent > 0};
        }
    }
    return std::nullopt;
}

TcpBus::Exchange TcpBus::receive(std::uint16_t transaction,
                                 std::uint8_t unit,
                                 IoClock::time_point deadline) {
    for (;;) {
        while (auto frame = stream_.next()) {
            if (frame->transaction != transaction) {
                continue;  // the late reply to an earlier request
            }
            if (frame->unit != unit) {
                return Failure{{BusFault::Kind::garbled,
                                0,
                                fmt::format("reply of unit {}, not {}", frame->unit, unit)},
                               true};
            }
            return std::move(frame->pdu);
        }
        if (stream_.broken()) {
            return Failure{{BusFault::Kind::garbled, 0, *stream_.broken()}, true};
        }
        if (auto failure = receive_some(deadline)) {
            return *failure;
        }
    }
}

std::optional<TcpBus::Failure> TcpBus::receive_some(IoClock::time_point deadline) {
    // The deadline is for the whole reply: bytes that trickle in, or replies to something else, do
    // not extend it.
    switch (waiter_.wait(socket_.fd(), POLLIN, deadline)) {
        case Waiter::Event::timeout:
            return Failure{{BusFault::Kind::silent, 0, "no answer in time"}, true};
        case Waiter::Event::stopped:
            return Failure{{BusFault::Kind::silent, 0, "stopping"}, true};
        case Waiter::Event::ready:
            break;
    }
    std::array<std::uint8_t, 512> chunk{};
    const auto count = ::recv(socket_.fd(), chunk.data(), chunk.size(), 0);
    if (count == 0) {
        return Failure{{BusFault::Kind::broken, 0, "the other side closed the connection"}, true};
    }
    if (count < 0 && !would_block(errno)) {
        return Failure{{BusFault::Kind::broken, 0, "receive: " + reason(errno)}, true};
    }
    if (count > 0) {
        stream_.add({chunk.data(), static_cast<std::size_t>(count)});
    }
    return std::nullopt;
}

void TcpBus::answered() {
    failures_ = 0;
}

void TcpBus::give_up() {
    abort();
    ++failures_;
    retry_at_ = IoClock::now() + back_off(failures_);
}

}  // namespace liftwarden::modbus
