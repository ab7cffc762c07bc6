// A dispatch node's message, from bytes to a core::Command or a refusal with its reason.
#pragma once

#include "src/wire/topics.hpp"

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/result.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace liftwarden::wire {

inline constexpr std::size_t command_bytes_max = 8192;
inline constexpr std::size_t command_depth_max = 8;
inline constexpr core::Duration ttl_min = std::chrono::milliseconds{100};
inline constexpr core::Duration ttl_max = std::chrono::milliseconds{600'000};

// Everything about a message but its payload. The references must outlive the call only. The wall
// clock, its trustworthiness and `away` are those of the moment of receipt; see TtlFacts.
struct CommandContext {
    const core::ElevatorConfig& elevator;  // the one the topic names
    const core::SourceId& source;          // from the topic
    const core::QueueLimits& limits;
    const Topics& topics;
    bool retained = false;
    std::optional<std::string> response_topic;
    std::optional<std::string> correlation;
    std::optional<std::chrono::seconds> expiry;
    core::WallTime wall{};
    bool wall_synchronised = false;
    std::optional<core::Duration> away;
};

// Why a message became no command, with what could be read of it for the answer. Its reason is one
// of those that are not remembered: the same seq may be sent again.
struct Refusal {
    std::optional<core::Seq> seq;
    std::optional<std::string> msg_id;
    std::optional<std::string> issued_at;
    std::optional<std::string> task;
    std::optional<core::ReplyTo> reply;
    bool query = false;  // it was recognisable as a query
    core::Reason reason = core::Reason::none;
    std::string detail;
    friend bool operator==(const Refusal&, const Refusal&) = default;
};

struct ParsedCommand {
    std::variant<core::Command, Refusal> outcome;
    bool reply_ignored = false;  // there was a Response Topic, and it was not the sender's own
};

// Checks everything that can be said without the ledger, the queue and the PLC. Fields that mean
// nothing for the action are ignored like unknown ones, so that equal orders have equal content.
[[nodiscard]] ParsedCommand parse_command(const CommandContext& context, std::string_view payload);

// The message that tells the sender.
[[nodiscard]] core::ResultMessage to_result(const Refusal& refusal,
                                            const core::ElevatorId& elevator,
                                            const core::SourceId& source,
                                            core::ArbitrationMode mode,
                                            std::uint64_t epoch);

// A payload that parses to this command, as a dispatch node would send it; ttl in milliseconds.
[[nodiscard]] std::string render_command(const core::Command& command);

}  // namespace liftwarden::wire
