#include "src/adapters/redis/check.hpp"

#include "src/adapters/redis/scripts.hpp"

#include <charconv>
#include <cstdint>
#include <random>

namespace liftwarden::redis {
namespace {

using core::LockReading;
using core::LockScheme;

std::optional<std::int64_t> whole_number(const std::optional<std::string>& text) {
    std::int64_t value = 0;
    if (!text || text->empty()) {
        return std::nullopt;
    }
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, value);
    return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

LockReading::Kind kind_of(const std::string& type) {
    if (type == "none") {
        return LockReading::Kind::none;
    }
    if (type == "hash") {
        return LockReading::Kind::hash;
    }
    return type == "string" ? LockReading::Kind::string : LockReading::Kind::other;
}

Failure garbage(const std::string& text) {
    return {Failure::Kind::garbage, text};
}

Outcome<CheckAnswer> decode(const Value& answer, LockScheme scheme, const std::string& nonce) {
    const auto type = answer.at(1).text();
    const auto match = answer.at(2).integer();
    const auto holder = answer.at(3).text();
    const auto life = answer.at(4).integer();
    const auto counter = answer.at(5).text();
    const auto time = server_time(answer.at(6), answer.at(7));
    if (answer.at(0).text() != nonce) {
        return garbage("the answer to another question");
    }
    if (!type || !match || !holder || !life || !counter || !time) {
        return garbage("an answer of another form");
    }
    CheckAnswer result;
    result.time.shown = *time;
    LockReading& reading = result.reading;
    reading.kind = kind_of(*type);
    reading.holder = *holder;
    // A lock in another client's format is nobody's claim, whatever stands in it.
    const auto expected =
        scheme == LockScheme::string ? LockReading::Kind::string : LockReading::Kind::hash;
    reading.claim_matches = *match == 1 && reading.kind == expected;
    if (*life >= 0) {
        reading.lease = std::chrono::milliseconds{*life};
    }
    if (scheme == LockScheme::redisson_fenced && !counter->empty()) {
        reading.counter = whole_number(counter);
        if (!reading.counter) {
            reading.kind = LockReading::Kind::other;
            reading.claim_matches = false;
            result.detail = "the lock's counter is no number";
        }
    }
    return result;
}

}  // namespace

std::optional<Failure> not_a_master(const Reply& role) {
    const Value value = role.value();
    if (value.is_error()) {
        return Failure{Failure::Kind::refused, printable(value.error())};
    }
    const std::string name = value.at(0).text().value_or("");
    if (name == "master") {
        return std::nullopt;
    }
    if (name == "slave") {
        return Failure{Failure::Kind::replica, "the server is a replica"};
    }
    return Failure{Failure::Kind::settings, "the server is no Redis master: " + printable(name)};
}

std::optional<core::WallTime> server_time(const Value& seconds, const Value& micros) {
    const auto whole = whole_number(seconds.text());
    const auto rest = whole_number(micros.text());
    // Up to the year 9999, so that no arithmetic on it overflows.
    if (!whole || !rest || *whole < 0 || *whole > 253'402'300'799 || *rest < 0 ||
        *rest >= 1'000'000) {
        return std::nullopt;
    }
    return core::WallTime{std::chrono::milliseconds{*whole * 1'000 + *rest / 1'000}};
}

std::string fresh_nonce() {
    thread_local std::mt19937_64 random = [] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device()};
        return std::mt19937_64(seed);
    }();
    thread_local std::uint64_t count = 0;
    return std::to_string(random()) + "-" + std::to_string(++count);
}

Outcome<CheckAnswer> ask_lock(Session& session,
                              LockScheme scheme,
                              const LockNames& names,
                              const core::LockClaim& claim,
                              const std::string& nonce,
                              const ports::Clock& clock,
                              Deadline deadline) {
    Connection& link = *session.link;
    // The role first: what is read after it is that of a master.
    link.append({"ROLE"});
    if (scheme == LockScheme::redisson_fenced) {
        link.append(
            {session.eval, check_script, "2", names.lock, names.counter, claim.owner, nonce});
    } else {
        link.append({session.eval, check_script, "1", names.lock, claim.owner, nonce});
    }
    const core::TimePoint sent_at = clock.now();
    if (const auto failure = link.send(deadline)) {
        return *failure;
    }
    const auto role = link.receive(deadline);
    if (!role) {
        return role.error();
    }
    if (const auto failure = not_a_master(*role)) {
        return *failure;
    }
    const auto reply = link.receive(deadline);
    if (!reply) {
        return reply.error();
    }
    if (reply->value().is_error()) {
        return Failure{Failure::Kind::refused, printable(reply->value().error())};
    }
    auto answer = decode(reply->value(), scheme, nonce);
    if (answer) {
        answer->reading.sent_at = answer->time.asked_at = sent_at;
        answer->reading.answered_at = answer->time.answered_at = clock.now();
    }
    return answer;
}

}  // namespace liftwarden::redis
