#include "src/adapters/config/addresses.hpp"

#include "src/adapters/config/nearest.hpp"
#include "src/adapters/config/scalars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace liftwarden::config {
namespace {

using ports::RegisterTable;

struct Table {
    RegisterTable table;
    const char* name;
    std::uint32_t modicon;  // leading digit
};

constexpr std::array<Table, 4> tables{{
    {RegisterTable::coil, "coil", 0},
    {RegisterTable::discrete, "discrete", 1},
    {RegisterTable::input, "input", 3},
    {RegisterTable::holding, "holding", 4},
}};

const Table& entry_of(RegisterTable table) {
    return *std::find_if(
        tables.begin(), tables.end(), [&](const Table& entry) { return entry.table == table; });
}

core::Error wrong(std::string text) {
    return {core::ErrorClass::permanent, std::move(text)};
}

core::Error form_error() {
    return wrong(
        "is no register address; write holding:100 (0-based) or a Modicon number of five or six "
        "digits such as 40101 (1-based)");
}

core::Result<Address> parse_zero_based(std::string_view name, std::string_view digits) {
    const auto table = std::find_if(
        tables.begin(), tables.end(), [&](const Table& entry) { return name == entry.name; });
    if (table == tables.end()) {
        return wrong(
            fmt::format("names no register table; there are holding, input, coil, "
                        "discrete{}",
                        suggestion(name, {"holding", "input", "coil", "discrete"})));
    }
    const core::Result<std::int64_t> number = parse_integer(digits);
    if (!number) {
        return form_error();
    }
    if (*number < 0 || *number > 65535) {
        return wrong("is outside the addresses of a table, 0 to 65535");
    }
    return Address{table->table, static_cast<std::uint16_t>(*number)};
}

core::Result<Address> parse_modicon(std::string_view digits) {
    std::uint32_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, fault] = std::from_chars(digits.data() + 1, end, number);
    if (fault != std::errc{} || stop != end || digits[0] < '0' || digits[0] > '9') {
        return form_error();
    }
    const auto lead = static_cast<std::uint32_t>(digits[0] - '0');
    const auto table = std::find_if(
        tables.begin(), tables.end(), [&](const Table& entry) { return lead == entry.modicon; });
    if (table == tables.end()) {
        return wrong(
            "begins with a digit that stands for no table: 0 coil, 1 discrete, 3 input, 4 holding");
    }
    if (number == 0) {
        return wrong("is no Modicon number; they begin with 1, such as 40001 for holding:0");
    }
    if (number > 65536) {
        return wrong("is outside the addresses of a table, 1 to 65536");
    }
    return Address{table->table, static_cast<std::uint16_t>(number - 1)};
}

std::string range_text(const std::string& first, const std::string& last, std::uint16_t count) {
    return count <= 1 ? first : first + ".." + last;
}

std::string modicon_number(std::uint32_t lead, std::uint32_t number, bool six) {
    return six ? fmt::format("{}{:05}", lead, number) : fmt::format("{}{:04}", lead, number);
}

}  // namespace

core::Result<Address> parse_address(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos) {
        return parse_zero_based(text.substr(0, colon), text.substr(colon + 1));
    }
    if (text.size() != 5 && text.size() != 6) {
        return form_error();
    }
    return parse_modicon(text);
}

std::optional<std::string> doubt_about(const Address& address) {
    const std::uint32_t lead = entry_of(address.table).modicon;
    const std::uint32_t first = lead * 10'000;
    if (lead == 0 || address.number <= first || address.number > first + 9'999) {
        return std::nullopt;
    }
    const auto meant = static_cast<std::uint16_t>(address.number - first - 1);
    return fmt::format(
        "{} is taken as a 0-based address; if the Modicon register {} is meant, write {} or {}",
        zero_based_text(address),
        address.number,
        address.number,
        zero_based_text({address.table, meant}));
}

core::Result<ports::BitRange> parse_bits(std::string_view text) {
    const std::size_t dots = text.find("..");
    const bool single = dots == std::string_view::npos;
    const core::Result<std::int64_t> first = parse_integer(text.substr(0, dots));
    const core::Result<std::int64_t> last = single ? first : parse_integer(text.substr(dots + 2));
    if (!first || !last || *first < 0 || *last > 15 || *first > *last) {
        return wrong("a bit such as 7 or a range such as 0..3, within 0..15, the lower one first");
    }
    return ports::BitRange{static_cast<std::uint8_t>(*first), static_cast<std::uint8_t>(*last)};
}

std::string zero_based_text(const Address& address, std::uint16_t count) {
    const std::string first = fmt::format("{}:{}", entry_of(address.table).name, address.number);
    return range_text(first, fmt::format("{}", address.number + count - 1), count);
}

std::string modicon_text(const Address& address, std::uint16_t count) {
    const std::uint32_t lead = entry_of(address.table).modicon;
    const std::uint32_t first = address.number + 1U;
    const std::uint32_t last = address.number + std::max<std::uint32_t>(count, 1);
    const bool six = last > 9'999;
    return range_text(modicon_number(lead, first, six), modicon_number(lead, last, six), count);
}

std::string bits_text(const ports::BitRange& bits) {
    return bits.first == bits.last ? fmt::format("bit {}", bits.first)
                                   : fmt::format("bits {}..{}", bits.first, bits.last);
}

}  // namespace liftwarden::config
