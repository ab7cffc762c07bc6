// What people write who know another tool's way of writing a quantity.
#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

namespace liftwarden::config {
namespace {

// "1.5", "min" of " 1.5 Min "; nullopt if it does not begin with a plain number.
struct Quantity {
    std::string number;
    std::string unit;  // in lower case
};

std::optional<Quantity> split(std::string_view text) {
    Quantity quantity;
    for (const char c : text) {
        if (c == ' ' || c == '\t' || c == '_') {
            continue;
        }
        const bool number = (c >= '0' && c <= '9') || c == '.' || c == ',';
        if (number && quantity.unit.empty()) {
            quantity.number += c == ',' ? '.' : c;
        } else {
            quantity.unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    constexpr std::size_t digits_max = 9;
    if (quantity.number.empty() || quantity.number.size() > digits_max) {
        return std::nullopt;
    }
    return quantity;
}

using Units = std::vector<std::pair<std::string_view, std::string_view>>;

std::string_view unit_of(const Units& units, std::string_view given) {
    for (const auto& [other, ours] : units) {
        if (other == given) {
            return ours;
        }
    }
    return {};
}

std::string clause(const std::string& meant) {
    return fmt::format("; did you mean {}?", meant);
}

}  // namespace

std::string meant_duration(std::string_view text) {
    static const Units units = {
        {"ms", "ms"},
        {"msec", "ms"},
        {"millisecond", "ms"},
        {"milliseconds", "ms"},
        {"s", "s"},
        {"sec", "s"},
        {"secs", "s"},
        {"second", "s"},
        {"seconds", "s"},
        {"m", "min"},
        {"min", "min"},
        {"mins", "min"},
        {"minute", "min"},
        {"minutes", "min"},
        {"h", "h"},
        {"hr", "h"},
        {"hour", "h"},
        {"hours", "h"},
        {"d", "d"},
        {"day", "d"},
        {"days", "d"},
    };
    const auto quantity = split(text);
    if (!quantity) {
        return {};
    }
    if (quantity->unit.empty() && parse_integer(quantity->number)) {
        return fmt::format("; its unit is missing: {0}ms, {0}s?", quantity->number);
    }
    const std::string_view unit = unit_of(units, quantity->unit);
    std::string meant = fmt::format("{}{}", quantity->number, unit);
    if (!unit.empty() && quantity->number.find('.') != std::string::npos) {
        // In the next smaller unit: nobody writes a part of a millisecond.
        constexpr std::pair<std::string_view, int> smaller[] = {
            {"s", 1000}, {"min", 60}, {"h", 60}, {"d", 24}};
        constexpr std::string_view names[] = {"ms", "s", "min", "h"};
        for (std::size_t i = 0; i < 4; ++i) {
            if (unit == smaller[i].first) {
                const double whole = std::strtod(quantity->number.c_str(), nullptr) *
                                     static_cast<double>(smaller[i].second);
                meant = fmt::format("{}{}", std::llround(whole), names[i]);
            }
        }
    }
    return !unit.empty() && parse_duration(meant) ? clause(meant) : std::string{};
}

std::string meant_size(std::string_view text) {
    static const Units units = {
        {"kb", "KiB"},
        {"kib", "KiB"},
        {"k", "KiB"},
        {"mb", "MiB"},
        {"mib", "MiB"},
        {"m", "MiB"},
        {"gb", "GiB"},
        {"gib", "GiB"},
        {"g", "GiB"},
        {"", "MiB"},
    };
    const auto quantity = split(text);
    const std::string_view unit = quantity ? unit_of(units, quantity->unit) : std::string_view{};
    const std::string meant =
        unit.empty() ? std::string{} : fmt::format("{}{}", quantity->number, unit);
    return !meant.empty() && parse_size(meant) ? clause(meant) : std::string{};
}

std::string meant_share(std::string_view text) {
    const auto quantity = split(text);
    if (!quantity || quantity->unit != "%") {
        return {};
    }
    const double percent = std::strtod(quantity->number.c_str(), nullptr);
    const std::string meant = fmt::format("{}", percent / 100);
    return parse_share(meant) ? clause(meant) : std::string{};
}

}  // namespace liftwarden::config
