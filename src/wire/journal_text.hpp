// Rows of the journal as JSON text that a person can read with plain tools.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/journal.hpp>

#include <string>
#include <string_view>

namespace liftwarden::wire {

// Lossless: decode(encode(row)) == row for every row, whatever its texts hold. Times and durations
// are integer nanoseconds (`_ns`) on the time line of the row's boot_id; what is absent is left
// out; text that is not UTF-8 stands as {"hex": "..."}, correlation data always as hex.
[[nodiscard]] std::string encode(const core::CommandRow& row);
[[nodiscard]] std::string encode(const core::ElevatorRow& row);
[[nodiscard]] std::string encode(const core::Alarm& alarm);

// ErrorClass::corrupt names the field that is missing, of the wrong kind or out of range. Unknown
// fields are ignored. Any text may be given.
[[nodiscard]] core::Result<core::CommandRow> decode_command_row(std::string_view text);
[[nodiscard]] core::Result<core::ElevatorRow> decode_elevator_row(std::string_view text);
[[nodiscard]] core::Result<core::Alarm> decode_alarm(std::string_view text);

}  // namespace liftwarden::wire
