// What a dispatch node asks for, after parsing and validation.
#pragma once

#include <liftwarden/core/ids.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::core {

enum class ActionKind {
    hall_call,
    car_call,
    open_door,
    close_door,
    hold_door,
    set_mode,
    release,  // gives up ownership; never reaches the PLC
    query,    // asks for the latest status of a seq; never journalled
};

enum class Direction { up, down };
enum class Side { front, rear };
enum class OrderedMode { agv, normal };

[[nodiscard]] const char* to_string(ActionKind kind);
[[nodiscard]] const char* to_string(Direction direction);
[[nodiscard]] const char* to_string(Side side);
[[nodiscard]] const char* to_string(OrderedMode mode);

[[nodiscard]] constexpr bool is_call(ActionKind kind) {
    return kind == ActionKind::hall_call || kind == ActionKind::car_call;
}
[[nodiscard]] constexpr bool is_door_command(ActionKind kind) {
    return kind == ActionKind::open_door || kind == ActionKind::close_door ||
           kind == ActionKind::hold_door;
}

// What makes two commands the same. Lock, times and ids are not part of it.
struct Content {
    ActionKind action = ActionKind::query;
    std::optional<FloorLabel> floor;
    std::optional<Direction> direction;
    std::optional<Side> door;
    std::optional<std::int32_t> seconds;
    std::optional<OrderedMode> mode;
    friend bool operator==(const Content&, const Content&) = default;
};

// The lock the sender says it holds; worth nothing until verified.
struct LockClaim {
    std::string owner;
    std::optional<std::int64_t> token;
    friend bool operator==(const LockClaim&, const LockClaim&) = default;
};

// MQTT 5 Response Topic and Correlation Data (raw bytes), already checked to lie under
// lift/{site}/reply/{source}/. Journalled, because the answer may come after a restart.
struct ReplyTo {
    std::string topic;
    std::string correlation;
    friend bool operator==(const ReplyTo&, const ReplyTo&) = default;
};

// A validated command. `ttl` is what is left of it at receipt, after Message Expiry and a credible
// `issued_at`; zero or less means it arrived expired. The texts are echoed and journalled as sent.
struct Command {
    ElevatorId elevator;
    SourceId source;
    Seq seq;
    Content content;
    std::optional<std::string> task;
    std::optional<std::string> ride;
    std::optional<std::string> msg_id;
    std::optional<std::string> issued_at;
    std::optional<LockClaim> lock;
    std::optional<bool> wait;
    std::optional<ReplyTo> reply;
    Duration ttl{};
    friend bool operator==(const Command&, const Command&) = default;
};

// Whose trip a command belongs to. `who` is the source, or its group. A source that names neither
// ride nor task gets trips named after the seq of the command that began them.
struct Party {
    enum class Kind { ride, task, trip };
    std::string who;
    Kind kind = Kind::trip;
    std::string name;
    friend auto operator<=>(const Party&, const Party&) = default;
};

// "node-a/task T-77", for people.
[[nodiscard]] std::string describe(const Party& party);

// "car_call 3", for people.
[[nodiscard]] std::string describe(const Content& content);

}  // namespace liftwarden::core
