#include "drivers/modbus/rtu_bus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace liftwarden::modbus {
namespace {

using ports::BusFault;
using ports::ReadRequest;

constexpr std::size_t known_reads_most = 4;  // a unit
constexpr std::uint8_t diagnostics = 8;
constexpr std::uint8_t unit_most = 247;
constexpr IoClock::duration write_patience = std::chrono::milliseconds{20};

ReplyKind kind_of(const ReadRequest& request, const Bytes& pdu) {
    return {request.unit, pdu.front(), reply_size(request)};
}

RtuLine::Failure unsent(BusFault::Kind kind, std::string why) {
    return {{kind, 0, std::move(why)}, false};
}

}  // namespace

ports::BusResult<std::vector<std::uint16_t>> RtuBus::read(const ReadRequest& request) {
    const auto pdu = encode(request);
    if (!pdu) {
        return BusFault{BusFault::Kind::not_connected, 0, "not a possible Modbus read"};
    }
    const ReplyKind kind = kind_of(request, *pdu);
    Exchange outcome = transact(kind, *pdu, request);
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        return std::move(failure->fault);
    }
    ReplyCheck reply = check_reply(request, std::get<Bytes>(outcome));
    if (reply.kind == ReplyCheck::Kind::exception) {
        return BusFault{BusFault::Kind::exception, reply.exception, std::move(reply.detail)};
    }
    if (reply.kind == ReplyCheck::Kind::mismatch) {
        line_.late().missed(kind, IoClock::now());  // that was not it
        return BusFault{BusFault::Kind::garbled, 0, std::move(reply.detail)};
    }
    remember(request);
    return std::move(reply.values);
}

core::WriteOutcome RtuBus::write(const ports::WriteRequest& request) {
    using Kind = core::WriteOutcome::Kind;
    const auto pdu = encode(request);
    if (!pdu) {
        return {Kind::not_written, std::nullopt, "not a possible Modbus write"};
    }
    const ReplyKind kind{request.unit, pdu->front(), reply_size(request)};
    Exchange outcome = transact(kind, *pdu, std::nullopt);
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        return {failure->sent ? Kind::unknown : Kind::not_written,
                std::nullopt,
                std::move(failure->fault.detail)};
    }
    ReplyCheck reply = check_reply(request, std::get<Bytes>(outcome));
    if (reply.kind == ReplyCheck::Kind::exception) {
        return outcome_of_exception(reply.exception);
    }
    if (reply.kind == ReplyCheck::Kind::mismatch) {
        line_.late().missed(kind, IoClock::now());  // that was not it
        return {Kind::unknown, std::nullopt, std::move(reply.detail)};
    }
    return {Kind::confirmed, std::nullopt, {}};
}

void RtuBus::settle() {
    if (line_.is_open()) {
        static_cast<void>(line_.wait_for_quiet(line_.response_timeout()));
    }
}

RtuBus::Exchange RtuBus::transact(const ReplyKind& kind,
                                  const Bytes& pdu,
                                  const std::optional<ReadRequest>& harmless) {
    if (auto failure = prepare(kind, harmless)) {
        return *failure;
    }
    // A read may wait for noise to pass; a write has a time limit that its caller has just checked.
    return exchange(kind, pdu, harmless ? line_.response_timeout() : write_patience);
}

std::optional<RtuBus::Failure> RtuBus::prepare(const ReplyKind& kind,
                                               const std::optional<ReadRequest>& harmless) {
    if (kind.unit == 0 || kind.unit > unit_most) {
        return unsent(BusFault::Kind::not_connected,
                      fmt::format("unit {} is not 1..{}", kind.unit, unit_most));
    }
    if (auto failure = line_.open()) {
        return failure;
    }
    if (auto failure = line_.wait_for_quiet(harmless ? line_.response_timeout() : write_patience)) {
        return failure;
    }
    if (IoClock::now() < line_.late().unit_quiet_until(kind.unit)) {
        return unsent(BusFault::Kind::silent, "left alone until a late answer is over");
    }
    if (line_.late().confusable(kind, IoClock::now())) {
        if (auto failure = probe(kind.unit, harmless)) {
            return failure;
        }
    }
    return confirmation_is_copy(kind.function) && line_.echo() == LocalEcho::unknown
               ? learn_echo(kind.unit)
               : std::nullopt;
}

RtuBus::Exchange RtuBus::exchange(const ReplyKind& kind,
                                  const Bytes& pdu,
                                  IoClock::duration patience) {
    if (auto failure = line_.wait_for_quiet(patience)) {
        return *failure;
    }
    Exchange outcome = line_.exchange(kind, pdu);
    if (const auto* failure = std::get_if<Failure>(&outcome)) {
        if (failure->sent) {
            line_.late().missed(kind, IoClock::now());
        }
    } else {
        line_.late().answered(kind.unit);
    }
    return outcome;
}

std::optional<RtuBus::Failure> RtuBus::learn_echo(std::uint8_t unit) {
    const auto& known = known_reads_[unit];
    if (known.empty()) {
        return unsent(BusFault::Kind::not_connected,
                      "nothing was read yet, so an echo could not be told from a confirmation");
    }
    const Bytes pdu = *encode(known.front());
    Exchange outcome = exchange(kind_of(known.front(), pdu), pdu, line_.response_timeout());
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        failure->sent = false;  // of what was to be asked, nothing
        return *failure;
    }
    return std::nullopt;
}

std::optional<RtuBus::Failure> RtuBus::probe(std::uint8_t unit,
                                             const std::optional<ReadRequest>& harmless) {
    std::vector<ReadRequest> candidates = known_reads_[unit];
    if (harmless) {
        candidates.push_back(*harmless);
    }
    const std::size_t whole = candidates.size();
    for (std::size_t i = 0; i < whole; ++i) {
        ReadRequest shorter = candidates[i];
        if (--shorter.count > 0) {
            candidates.push_back(shorter);
        }
    }
    const auto usable =
        std::find_if(candidates.begin(), candidates.end(), [this](const ReadRequest& read) {
            return !line_.late().confusable(kind_of(read, *encode(read)), IoClock::now());
        });
    Exchange outcome;
    if (usable != candidates.end()) {
        const Bytes pdu = *encode(*usable);
        outcome = exchange(kind_of(*usable, pdu), pdu, line_.response_timeout());
    } else {
        outcome = ask_for_echo(unit);
    }
    if (auto* failure = std::get_if<Failure>(&outcome)) {
        failure->sent = false;  // of what was to be asked, nothing
        failure->fault.detail = "question after a missed answer: " + failure->fault.detail;
        return *failure;
    }
    return std::nullopt;
}

// "Return query data". Any answer will do, an older one and "not supported" too: the unit answers
// in order, so it has come this far. That is why a missed one is not waited for.
RtuBus::Exchange RtuBus::ask_for_echo(std::uint8_t unit) {
    ++nonce_;
    const Bytes pdu{diagnostics,
                    0,
                    0,
                    static_cast<std::uint8_t>(nonce_ >> 8U),
                    static_cast<std::uint8_t>(nonce_ & 0xFFU)};
    if (auto failure = line_.wait_for_quiet(line_.response_timeout())) {
        return *failure;
    }
    Exchange outcome = line_.exchange({unit, diagnostics, pdu.size()}, pdu);
    if (std::holds_alternative<Bytes>(outcome)) {
        line_.late().answered(unit);
    }
    return outcome;
}

void RtuBus::remember(const ReadRequest& request) {
    auto& known = known_reads_[request.unit];
    if (std::find(known.begin(), known.end(), request) != known.end()) {
        return;
    }
    if (known.size() == known_reads_most) {
        known.erase(known.begin());
    }
    known.push_back(request);
}

}  // namespace liftwarden::modbus
