// The contract's words for the enumerators, and the few descriptions people read.
#include <liftwarden/core/action.hpp>
#include <liftwarden/core/assert.hpp>
#include <liftwarden/core/error.hpp>
#include <liftwarden/core/journal.hpp>
#include <liftwarden/core/result.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace liftwarden::core {
namespace {

template <class Enum, std::size_t N>
using Words = std::array<std::pair<Enum, const char*>, N>;

constexpr Words<Status, 10> status_words{{
    {Status::accepted, "accepted"},
    {Status::sent, "sent"},
    {Status::acked, "acked"},
    {Status::coalesced, "coalesced"},
    {Status::rejected, "rejected"},
    {Status::expired, "expired"},
    {Status::failed, "failed"},
    {Status::unknown, "unknown"},
    {Status::served, "served"},
    {Status::not_served, "not_served"},
}};

constexpr Words<Reason, 30> reason_words{{
    {Reason::none, "none"},
    {Reason::bad_json, "bad_json"},
    {Reason::bad_field, "bad_field"},
    {Reason::too_large, "too_large"},
    {Reason::unknown_floor, "unknown_floor"},
    {Reason::unsupported_action, "unsupported_action"},
    {Reason::source_mismatch, "source_mismatch"},
    {Reason::retained, "retained"},
    {Reason::seq_conflict, "seq_conflict"},
    {Reason::unknown_seq, "unknown_seq"},
    {Reason::stale_token, "stale_token"},
    {Reason::lock_missing, "lock_missing"},
    {Reason::lock_not_held, "lock_not_held"},
    {Reason::lock_expiring, "lock_expiring"},
    {Reason::lock_unverifiable, "lock_unverifiable"},
    {Reason::elevator_busy, "elevator_busy"},
    {Reason::door_not_here, "door_not_here"},
    {Reason::elevator_fault, "elevator_fault"},
    {Reason::out_of_service, "out_of_service"},
    {Reason::elevator_unknown, "elevator_unknown"},
    {Reason::plc_offline, "plc_offline"},
    {Reason::queue_full, "queue_full"},
    {Reason::source_quota, "source_quota"},
    {Reason::ttl, "ttl"},
    {Reason::ack_timeout, "ack_timeout"},
    {Reason::plc_refused, "plc_refused"},
    {Reason::modbus_exception, "modbus_exception"},
    {Reason::journal_failed, "journal_failed"},
    {Reason::operator_, "operator"},
    {Reason::shutdown, "shutdown"},
}};

constexpr Words<LockOut, 6> lock_out_words{{
    {LockOut::none, "none"},
    {LockOut::unknown_outcome, "unknown_outcome"},
    {LockOut::foreign_writer, "foreign_writer"},
    {LockOut::late_execution, "late_execution"},
    {LockOut::ledger_lost, "ledger_lost"},
    {LockOut::second_gateway, "second_gateway"},
}};

template <class Enum, std::size_t N>
const char* word(const Words<Enum, N>& words, Enum value) {
    for (const auto& [candidate, text] : words) {
        if (candidate == value) {
            return text;
        }
    }
    LIFTWARDEN_ASSERT(false && "enumerator without a word");
    return "";
}

template <class Enum, std::size_t N>
std::optional<Enum> value(const Words<Enum, N>& words, const std::string& text) {
    for (const auto& [candidate, name] : words) {
        if (text == name) {
            return candidate;
        }
    }
    return std::nullopt;
}

}  // namespace

void assertion_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "liftwarden: assertion failed at %s:%d: %s\n", file, line, condition);
    std::abort();
}

const char* to_string(Status status) {
    return word(status_words, status);
}

const char* to_string(Reason reason) {
    return word(reason_words, reason);
}

const char* to_string(LockOut cause) {
    return word(lock_out_words, cause);
}

std::optional<Status> status_from(const std::string& text) {
    return value(status_words, text);
}

std::optional<Reason> reason_from(const std::string& text) {
    return value(reason_words, text);
}

std::optional<LockOut> lock_out_from(const std::string& text) {
    return value(lock_out_words, text);
}

const char* to_string(ErrorClass kind) {
    constexpr Words<ErrorClass, 5> words{{
        {ErrorClass::transient, "transient"},
        {ErrorClass::refused, "refused"},
        {ErrorClass::unknown_outcome, "unknown outcome"},
        {ErrorClass::permanent, "permanent"},
        {ErrorClass::corrupt, "corrupt"},
    }};
    return word(words, kind);
}

const char* to_string(ActionKind kind) {
    constexpr Words<ActionKind, 8> words{{
        {ActionKind::hall_call, "hall_call"},
        {ActionKind::car_call, "car_call"},
        {ActionKind::open_door, "open_door"},
        {ActionKind::close_door, "close_door"},
        {ActionKind::hold_door, "hold_door"},
        {ActionKind::set_mode, "set_mode"},
        {ActionKind::release, "release"},
        {ActionKind::query, "query"},
    }};
    return word(words, kind);
}

const char* to_string(Direction direction) {
    return direction == Direction::up ? "up" : "down";
}

const char* to_string(Side side) {
    return side == Side::front ? "front" : "rear";
}

const char* to_string(OrderedMode mode) {
    return mode == OrderedMode::agv ? "agv" : "normal";
}

const char* to_string(DoorState state) {
    constexpr Words<DoorState, 4> words{{
        {DoorState::closed, "closed"},
        {DoorState::opening, "opening"},
        {DoorState::open, "open"},
        {DoorState::closing, "closing"},
    }};
    return word(words, state);
}

const char* to_string(Travel travel) {
    constexpr Words<Travel, 3> words{{
        {Travel::stopped, "stopped"},
        {Travel::up, "up"},
        {Travel::down, "down"},
    }};
    return word(words, travel);
}

const char* to_string(ServiceMode mode) {
    constexpr Words<ServiceMode, 9> words{{
        {ServiceMode::normal, "normal"},
        {ServiceMode::agv, "agv"},
        {ServiceMode::fire, "fire"},
        {ServiceMode::emergency_power, "emergency_power"},
        {ServiceMode::seismic, "seismic"},
        {ServiceMode::inspection, "inspection"},
        {ServiceMode::manual, "manual"},
        {ServiceMode::out_of_service, "out_of_service"},
        {ServiceMode::unknown, "unknown"},
    }};
    return word(words, mode);
}

const char* to_string(Phase phase) {
    constexpr Words<Phase, 7> words{{
        {Phase::idle, "idle"},
        {Phase::moving, "moving"},
        {Phase::door_opening, "door_opening"},
        {Phase::door_open, "door_open"},
        {Phase::door_closing, "door_closing"},
        {Phase::error, "error"},
        {Phase::offline, "offline"},
    }};
    return word(words, phase);
}

const char* to_string(AckResult result) {
    constexpr Words<AckResult, 5> words{{
        {AckResult::none, "none"},
        {AckResult::accepted, "accepted"},
        {AckResult::refused, "refused"},
        {AckResult::busy, "busy"},
        {AckResult::unrecognised, "unrecognised"},
    }};
    return word(words, result);
}

const char* to_string(WriteOutcome::Kind kind) {
    constexpr Words<WriteOutcome::Kind, 5> words{{
        {WriteOutcome::Kind::confirmed, "confirmed"},
        {WriteOutcome::Kind::refused, "refused"},
        {WriteOutcome::Kind::busy, "busy"},
        {WriteOutcome::Kind::unknown, "unknown"},
        {WriteOutcome::Kind::not_written, "not_written"},
    }};
    return word(words, kind);
}

const char* to_string(LockScheme scheme) {
    constexpr Words<LockScheme, 3> words{{
        {LockScheme::redisson, "redisson"},
        {LockScheme::redisson_fenced, "redisson_fenced"},
        {LockScheme::string, "string"},
    }};
    return word(words, scheme);
}

const char* to_string(Health health) {
    constexpr Words<Health, 3> words{{
        {Health::usable, "usable"},
        {Health::outage, "outage"},
        {Health::misconfigured, "misconfigured"},
    }};
    return word(words, health);
}

const char* to_string(LockDone done) {
    constexpr Words<LockDone, 4> words{{
        {LockDone::ours, "ours"},
        {LockDone::foreign, "foreign"},
        {LockDone::forbidden, "forbidden"},
        {LockDone::no_answer, "no_answer"},
    }};
    return word(words, done);
}

const char* to_string(ArbitrationMode mode) {
    constexpr Words<ArbitrationMode, 5> words{{
        {ArbitrationMode::standalone, "standalone"},
        {ArbitrationMode::lock, "lock"},
        {ArbitrationMode::suspect, "suspect"},
        {ArbitrationMode::edge, "edge"},
        {ArbitrationMode::handback, "handback"},
    }};
    return word(words, mode);
}

const char* to_string(Channel channel) {
    constexpr Words<Channel, 4> words{{
        {Channel::ready, "ready"},
        {Channel::in_flight, "in_flight"},
        {Channel::verifying, "verifying"},
        {Channel::locked_out, "locked_out"},
    }};
    return word(words, channel);
}

const char* to_string(Quality quality) {
    constexpr Words<Quality, 3> words{{
        {Quality::good, "good"},
        {Quality::stale, "stale"},
        {Quality::unknown, "unknown"},
    }};
    return word(words, quality);
}

std::string describe(const Party& party) {
    constexpr Words<Party::Kind, 3> words{{
        {Party::Kind::ride, "ride"},
        {Party::Kind::task, "task"},
        {Party::Kind::trip, "trip"},
    }};
    return party.who + "/" + word(words, party.kind) + " " + party.name;
}

std::string describe(const Content& content) {
    std::string text = to_string(content.action);
    if (content.floor) {
        text += " " + content.floor->str();
    }
    if (content.direction) {
        text += std::string(" ") + to_string(*content.direction);
    }
    if (content.door) {
        text += std::string(" ") + to_string(*content.door);
    }
    if (content.seconds) {
        text += " " + std::to_string(*content.seconds) + " s";
    }
    if (content.mode) {
        text += std::string(" ") + to_string(*content.mode);
    }
    return text;
}

}  // namespace liftwarden::core
