#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::pair<std::string_view, core::Duration>, 5> duration_units{{
    {"d", 24h},
    {"h", 1h},
    {"min", 1min},
    {"s", 1s},
    {"ms", 1ms},
}};
constexpr core::Duration longest_duration = 24h * 3650;

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 3> size_units{{
    {"GiB", 1ULL << 30U},
    {"MiB", 1ULL << 20U},
    {"KiB", 1ULL << 10U},
}};

core::Error wrong(std::string text) {
    return {core::ErrorClass::permanent, std::move(text)};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Digits without leading zeros that fit; nothing before or after them.
template <class Integer>
std::optional<Integer> number(std::string_view digits) {
    Integer value{};
    const char* const end = digits.data() + digits.size();
    const auto [stop, fault] = std::from_chars(digits.data(), end, value);
    if (fault != std::errc{} || stop != end) {
        return std::nullopt;
    }
    const std::string_view unsigned_digits = digits.substr(digits[0] == '-' ? 1 : 0);
    if (unsigned_digits.size() > 1 && unsigned_digits[0] == '0') {
        return std::nullopt;
    }
    return value;
}

// Splits "200ms" into its digits and the rest.
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) {
        ++digits;
    }
    return {text.substr(0, digits), text.substr(digits)};
}

}  // namespace

core::Result<std::int64_t> parse_integer(std::string_view text) {
    if (const std::optional<std::int64_t> value = number<std::int64_t>(text)) {
        return *value;
    }
    return wrong("a whole decimal number without leading zeros");
}

core::Result<bool> parse_boolean(std::string_view text) {
    if (text == "true" || text == "false") {
        return text == "true";
    }
    return wrong("true or false");
}

core::Result<core::Duration> parse_duration(std::string_view text) {
    const core::Error form = wrong("a number with a unit (ms, s, min, h, d), such as 200ms or 3s");
    const auto [digits, unit] = split_unit(text);
    const std::optional<std::int64_t> count = number<std::int64_t>(digits);
    if (!count) {
        return form;
    }
    for (const auto& [name, length] : duration_units) {
        if (unit == name) {
            if (*count > longest_duration / length) {
                return wrong("at most 3650d");
            }
            return *count * length;
        }
    }
    return form;
}

core::Result<double> parse_share(std::string_view text) {
    const core::Error form = wrong("a share above 0 and at most 1, such as 1/2 or 0.5");
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto part = number<std::uint32_t>(text.substr(0, slash));
        const auto whole = number<std::uint32_t>(text.substr(slash + 1));
        if (!part || !whole || *part == 0 || *part > *whole) {
            return form;
        }
        return static_cast<double>(*part) / static_cast<double>(*whole);
    }
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (fault != std::errc{} || stop != end || !(value > 0 && value <= 1)) {
        return form;
    }
    return value;
}

core::Result<std::uint64_t> parse_size(std::string_view text) {
    const auto [digits, unit] = split_unit(text);
    const std::optional<std::uint32_t> count = number<std::uint32_t>(digits);
    for (const auto& [name, bytes] : size_units) {
        if (count && unit == name) {
            return *count * bytes;
        }
    }
    return wrong("a number with a unit (KiB, MiB, GiB), such as 512MiB");
}

std::string to_text(core::Duration duration) {
    const core::Duration whole = std::chrono::ceil<std::chrono::milliseconds>(duration);
    if (whole == 0ms) {
        return "0ms";
    }
    for (const auto& [name, length] : duration_units) {
        if (whole % length == core::Duration::zero()) {
            return fmt::format("{}{}", whole / length, name);
        }
    }
    return fmt::format("{}ms", whole / core::Duration{1ms});
}

std::string size_text(std::uint64_t bytes) {
    for (const auto& [name, unit] : size_units) {
        if (bytes != 0 && bytes % unit == 0) {
            return fmt::format("{}{}", bytes / unit, name);
        }
    }
    return fmt::format("{} bytes", bytes);
}

}  // namespace liftwarden::config
