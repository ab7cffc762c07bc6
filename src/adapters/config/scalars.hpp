// Single values as they are written in the file. Strict: one spelling for each value, no guesses.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace liftwarden::config {

// Decimal digits with an optional minus; no plus, no leading zeros (YAML 1.1 would read octal), no
// hexadecimal. The error text completes a sentence: "must be ...".
[[nodiscard]] core::Result<std::int64_t> parse_integer(std::string_view text);

// `true` or `false`, nothing else.
[[nodiscard]] core::Result<bool> parse_boolean(std::string_view text);

// Digits and one of ms, s, min, h, d without a space between: 200ms, 3s, 4min, 1h, 30d. At most ten
// years.
[[nodiscard]] core::Result<core::Duration> parse_duration(std::string_view text);

// The duration, size or share that somebody meant who wrote it in another way: "200 ms", "1m",
// "1.5s", "512MB", "50%". As a clause, "; did you mean 200ms?", or nothing.
[[nodiscard]] std::string meant_duration(std::string_view text);
[[nodiscard]] std::string meant_size(std::string_view text);
[[nodiscard]] std::string meant_share(std::string_view text);

// `1/2` or a decimal number such as `0.5`; above 0 and at most 1.
[[nodiscard]] core::Result<double> parse_share(std::string_view text);

// Digits and one of KiB, MiB, GiB, in bytes.
[[nodiscard]] core::Result<std::uint64_t> parse_size(std::string_view text);

// In the largest unit that leaves a whole number: "200ms", "4min"; below a millisecond rounded up.
[[nodiscard]] std::string to_text(core::Duration duration);

// In the largest unit that leaves a whole number: "512MiB".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

}  // namespace liftwarden::config
