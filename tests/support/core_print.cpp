#include "tests/support/core_print.hpp"

#include <cstdio>
#include <type_traits>

namespace liftwarden::test {

using namespace core;

namespace {

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

std::string text(const Observation& seen) {
    std::string out = "floor " + (seen.floor ? seen.floor->str() : "?") + " ";
    out += to_string(seen.travel);
    if (seen.front) {
        out += std::string(" front ") + to_string(*seen.front);
    }
    if (seen.rear) {
        out += std::string(" rear ") + to_string(*seen.rear);
    }
    if (seen.mode != ServiceMode::normal) {
        out += std::string(" mode ") + to_string(seen.mode);
    }
    out += seen.fault ? " fault " + std::to_string(*seen.fault) : "";
    out += seen.target ? " target " + seen.target->str() : "";
    out += seen.occupied.value_or(false) ? " occupied" : "";
    out += seen.undecodable ? " undecodable: " + *seen.undecodable : "";
    return out;
}

std::string text(const JournalWrite& write) {
    return std::visit(
        [](const auto& it) -> std::string {
            using W = std::decay_t<decltype(it)>;
            if constexpr (std::is_same_v<W, CommandRow>) {
                return "command " + it.command.seq.str() + " " + to_string(it.status);
            } else if constexpr (std::is_same_v<W, ElevatorRow>) {
                return "elevator (owner " + (it.owner ? describe(it.owner->party) : "none") +
                       ", lock-out " + to_string(it.lock_out) + ")";
            } else if constexpr (std::is_same_v<W, ResultMessage>) {
                return line(it);
            } else {
                return "alarm " + it.kind;
            }
        },
        write);
}

std::string text(const Command& command) {
    std::string out = command.elevator.str() + " " + command.seq.str() + " " +
                      command.source.str() + " " + describe(command.content);
    out += command.task ? " task " + *command.task : "";
    out += command.ride ? " ride " + *command.ride : "";
    out += command.wait == std::optional(false) ? " wait false" : "";
    return out;
}

std::string text(const ElevatorId& elevator, GrantId grant) {
    return elevator.str() + " grant " + number(grant.value());
}

}  // namespace

std::string since(TimePoint start, TimePoint now) {
    const auto ms = to_ms(now - start);
    char out[32];
    std::snprintf(out,
                  sizeof out,
                  "+%lld.%03lld",
                  static_cast<long long>(ms / 1000),
                  static_cast<long long>(ms % 1000));
    return out;
}

std::string line(const Reading& reading) {
    std::string out = reading.observation ? text(*reading.observation) + " " : "";
    out += "echo " + number(reading.ack.echo.value());
    if (reading.ack.result != AckResult::none) {
        out += std::string(" ") + to_string(reading.ack.result);
    }
    return out;
}

std::string line(const ResultMessage& message) {
    std::string out = message.query ? "query_result " : "result ";
    out += (message.seq ? message.seq->str() : "null") + " " + to_string(message.status);
    out += message.reason == Reason::none ? "" : std::string(" ") + to_string(message.reason);
    out += message.of ? " of " + message.of->seq.str() + " of " + message.of->source.str() : "";
    out += message.position ? " position " + number(*message.position) : "";
    out += message.duplicate ? " duplicate" : "";
    out += " to " + message.to.str();
    out += message.detail.empty() ? "" : ": " + message.detail;
    return out;
}

std::string line(const Event& event) {
    return std::visit(
        [](const auto& it) -> std::string {
            using E = std::decay_t<decltype(it)>;
            if constexpr (std::is_same_v<E, CommandReceived>) {
                return "received " + text(it.command);
            } else if constexpr (std::is_same_v<E, Committed>) {
                return "committed #" + number(it.ticket.value());
            } else if constexpr (std::is_same_v<E, Observed>) {
                return "observed " + it.elevator.str() + " " + line(it.reading);
            } else if constexpr (std::is_same_v<E, ReadFailed>) {
                return "read failed " + it.elevator.str() + ": " + it.detail;
            } else if constexpr (std::is_same_v<E, GrantOpened>) {
                return "opened " + text(it.elevator, it.grant) + ", " + line(it.reading);
            } else if constexpr (std::is_same_v<E, GrantClosed>) {
                return "closed " + text(it.elevator, it.grant) + ": " + it.detail;
            } else if constexpr (std::is_same_v<E, WriteDone>) {
                return "write done " + text(it.elevator, it.grant) + ": " +
                       to_string(it.outcome.kind);
            } else if constexpr (std::is_same_v<E, LockChecked>) {
                return "lock checked " + it.elevator.str() +
                       (!it.reading                 ? ": no answer"
                        : it.reading->claim_matches ? ": held"
                                                    : ": not held");
            } else if constexpr (std::is_same_v<E, LockProbed>) {
                return std::string("lock service ") + to_string(it.health);
            } else if constexpr (std::is_same_v<E, LockMoved>) {
                return std::string(it.returned ? "lock returned " : "lock held ") +
                       it.elevator.str() + ": " + to_string(it.done);
            } else if constexpr (std::is_same_v<E, NodeReported>) {
                return "node " + it.node.str() + " reports";
            } else if constexpr (std::is_same_v<E, GatewayClaim>) {
                return "gateway " + it.gateway.str() + (it.online ? " claims " : " withdraws ") +
                       number(it.elevators.size()) + " elevators";
            } else if constexpr (std::is_same_v<E, JournalPressure>) {
                return it.accepting ? "journal accepts" : "journal is full";
            } else if constexpr (std::is_same_v<E, ResetRequested>) {
                const char* effect = it.took_effect == TookEffect::yes  ? "yes"
                                     : it.took_effect == TookEffect::no ? "no"
                                                                        : "unknown";
                return "reset " + it.elevator.str() + " by " + it.operator_name + ", took effect " +
                       effect + (it.force ? ", forced" : "");
            } else {
                return "stopping";
            }
        },
        event);
}

std::string line(const Action& action) {
    return std::visit(
        [](const auto& it) -> std::string {
            using A = std::decay_t<decltype(it)>;
            if constexpr (std::is_same_v<A, Settle>) {
                return "settle delivery " + number(it.delivery.value());
            } else if constexpr (std::is_same_v<A, Commit>) {
                std::string out = "commit #" + number(it.ticket.value());
                out += it.urgent ? ":" : " (may wait):";
                for (const JournalWrite& write : it.writes) {
                    out += "\n       " + text(write);
                }
                return out;
            } else if constexpr (std::is_same_v<A, PublishResult>) {
                return "publish " + line(it.message);
            } else if constexpr (std::is_same_v<A, RequestGrant>) {
                return "request " + text(it.elevator, it.grant);
            } else if constexpr (std::is_same_v<A, ReleaseGrant>) {
                return "release " + text(it.elevator, it.grant);
            } else if constexpr (std::is_same_v<A, CheckLock>) {
                return "check lock " + it.elevator.str();
            } else if constexpr (std::is_same_v<A, HoldLock>) {
                return "hold lock " + it.elevator.str() + " as " + it.holder;
            } else if constexpr (std::is_same_v<A, ReturnLock>) {
                return "return lock " + it.elevator.str() + ", counter " +
                       number(static_cast<std::uint64_t>(it.counter));
            } else if constexpr (std::is_same_v<A, WriteCommand>) {
                return "write " + it.elevator.str() + " " + describe(it.command.content) +
                       " wire_seq " + number(it.command.wire_seq.value());
            } else if constexpr (std::is_same_v<A, RequestRead>) {
                return "read " + it.elevator.str() +
                       (it.kind == ReadKind::full ? " all" : " acknowledgement");
            } else if constexpr (std::is_same_v<A, WriteHeartbeat>) {
                return "heartbeat " + it.elevator.str() + " " + number(it.value);
            } else if constexpr (std::is_same_v<A, ResetLink>) {
                return "reset link " + it.elevator.str();
            } else if constexpr (std::is_same_v<A, PublishState>) {
                return std::string("publish state ") + to_string(it.view.phase) + " " +
                       to_string(it.view.channel);
            } else if constexpr (std::is_same_v<A, PublishSession>) {
                return "publish session owner " +
                       (it.view.owner ? describe(*it.view.owner) : "none") + ", waiting " +
                       number(it.view.queue.size());
            } else if constexpr (std::is_same_v<A, Raise>) {
                return std::string(it.alarm.alarm ? "alarm " : "note ") + it.alarm.kind + ": " +
                       it.alarm.detail;
            } else {
                return std::string("reply ") + (it.ok ? "ok: " : "refused: ") + it.text;
            }
        },
        action);
}

const char* word(Ruling ruling) {
    return ruling == Ruling::send ? "send" : ruling == Ruling::wait ? "wait" : "refuse";
}

const char* word(EchoVerdict verdict) {
    switch (verdict) {
        case EchoVerdict::as_expected:
            return "as_expected";
        case EchoVerdict::first_sight:
            return "first_sight";
        case EchoVerdict::restarted:
            return "restarted";
        case EchoVerdict::ledger_lost:
            return "ledger_lost";
        case EchoVerdict::late_execution:
            return "late_execution";
        case EchoVerdict::foreign_writer:
            return "foreign_writer";
    }
    return "?";
}

const char* word(Seen seen) {
    switch (seen) {
        case Seen::repeat:
            return "repeat";
        case Seen::other_content:
            return "other_content";
        case Seen::other_source:
            return "other_source";
        case Seen::too_old:
            return "too_old";
    }
    return "?";
}

}  // namespace liftwarden::test
