// What is said on the control socket: one JSON object a line, one request, one reply.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/event.hpp>
#include <liftwarden/core/ids.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace liftwarden::control {

// {"op":"status"}
struct StatusRequest {
    friend bool operator==(const StatusRequest&, const StatusRequest&) = default;
};

// {"op":"reset","elevator":"EL001","took_effect":"yes","force":false,"fence":false}
struct ResetRequest {
    core::ElevatorId elevator;
    core::TookEffect took_effect = core::TookEffect::unknown;
    bool force = false;
    bool fence = false;
    friend bool operator==(const ResetRequest&, const ResetRequest&) = default;
};

// {"op":"log","elevator":"EL001","seq":"1003","since_ms":1790000000000}; all but `op` optional.
struct LogRequest {
    std::optional<core::ElevatorId> elevator;
    std::optional<core::Seq> seq;
    std::optional<core::WallTime> since;
    friend bool operator==(const LogRequest&, const LogRequest&) = default;
};

using Request = std::variant<StatusRequest, ResetRequest, LogRequest>;

// {"ok":true,"text":"...","data":{...}}; `text` is one sentence for the person who asked, `data`
// the status, or {"entries":[...]} of the log.
struct Reply {
    bool ok = false;
    std::string text;
    std::optional<boost::json::object> data;
};

inline constexpr std::size_t request_bytes_max = 4096;
inline constexpr std::size_t reply_bytes_max = 4U << 20;

[[nodiscard]] const char* to_string(core::TookEffect took_effect);
[[nodiscard]] std::optional<core::TookEffect> took_effect_from(std::string_view text);

// One line without its newline. The error says what is wrong with it.
[[nodiscard]] core::Result<Request> parse_request(std::string_view line);
[[nodiscard]] core::Result<Reply> parse_reply(std::string_view line);

// One line with its newline.
[[nodiscard]] std::string render(const Request& request);
[[nodiscard]] std::string render(const Reply& reply);

}  // namespace liftwarden::control
