// Results as JSON, both ways.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/result.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace liftwarden::wire {

// The payload for the result topic (and for the Response Topic). `at` is when it is rendered.
// Durations are rounded down to whole milliseconds.
[[nodiscard]] std::string render_result(const core::ResultMessage& message, core::WallTime at);

// What a sender reads out of a result. `is_final` is the payload's own word; a query_result has
// none and is not final.
struct ReceivedResult {
    std::string type;  // "result" or "query_result"
    std::optional<core::Seq> seq;
    std::string elevator;
    std::string source;
    core::Status status = core::Status::accepted;
    bool is_final = false;
    core::Reason reason = core::Reason::none;
    std::string detail;
    bool duplicate = false;
    std::optional<core::CommandRef> of;
    friend bool operator==(const ReceivedResult&, const ReceivedResult&) = default;
};

// The inverse, for programs that send commands. ErrorClass::corrupt names the field that is missing
// or wrong.
[[nodiscard]] core::Result<ReceivedResult> parse_result(std::string_view payload);

}  // namespace liftwarden::wire
