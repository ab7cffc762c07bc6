// Wall-clock times as text.
#pragma once

#include <liftwarden/core/time.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace liftwarden::wire {

// RFC 3339 date-time with any offset and up to 9 fraction digits, cut to milliseconds; a leap
// second counts as the first moment of the next minute. nullopt for anything else.
[[nodiscard]] std::optional<core::WallTime> parse_rfc3339(std::string_view text);

// "2026-05-02T14:32:01.402Z"; years outside 0..9999 are shown as the nearest of these.
[[nodiscard]] std::string format_rfc3339(core::WallTime time);

}  // namespace liftwarden::wire
