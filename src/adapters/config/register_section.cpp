// The registers of one elevator, by the schema of its driver.
#include "src/adapters/config/addresses.hpp"
#include "src/adapters/config/scalars.hpp"
#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace liftwarden::config {
namespace {

using namespace std::chrono_literals;
using ports::RegisterKey;
using ports::RegisterSpec;
using ports::RegisterTable;

bool is_bit_table(RegisterTable table) {
    return table == RegisterTable::coil || table == RegisterTable::discrete;
}

std::string table_names(const std::vector<RegisterTable>& tables) {
    std::vector<std::string> names;
    for (const RegisterTable table : tables) {
        names.emplace_back(ports::to_string(table));
    }
    return listed(names);
}

// What is wrong with a register at this address, as a clause that follows the offending text.
std::optional<std::string> fault_of_address(const Address& address, const RegisterKey& key) {
    const auto& tables = key.tables;
    if (!tables.empty() && std::find(tables.begin(), tables.end(), address.table) == tables.end()) {
        return fmt::format("is in a table where {} cannot stand; it may stand in {}",
                           key.name,
                           table_names(tables));
    }
    if (address.number + std::max<int>(key.count, 1) > 65536) {
        return fmt::format("leaves no room for the {} registers of {}", key.count, key.name);
    }
    return std::nullopt;
}

void read_address(Report& report, const Entry& entry, const RegisterKey& key, RegisterSpec& spec) {
    const auto given = scalar_text(report, entry, "an address such as holding:100");
    if (!given) {
        return;
    }
    const core::Result<Address> address = parse_address(*given);
    if (!address) {
        report.error(entry.value.place,
                     fmt::format("{}: {} {}", key.name, quoted(*given), address.error().text));
        return;
    }
    if (const auto fault = fault_of_address(*address, key)) {
        report.error(entry.value.place, fmt::format("{}: {} {}", key.name, quoted(*given), *fault));
        return;
    }
    if (given->find(':') != std::string::npos) {
        if (const auto doubt = doubt_about(*address)) {
            report.warning(entry.value.place, *doubt);
        }
    }
    spec.table = address->table;
    spec.address = address->number;
}

Parse bits(std::optional<ports::BitRange>& target) {
    return [&target](Report& report, const Entry& entry) {
        const auto given = scalar_text(report, entry, "bits such as 7 or 0..3");
        if (!given) {
            return;
        }
        if (const core::Result<ports::BitRange> range = parse_bits(*given)) {
            target = *range;
        } else {
            report.error(
                entry.value.place,
                fmt::format("bits must be {}, not {}", range.error().text, quoted(*given)));
        }
    };
}

Parse function(std::optional<std::uint8_t>& target, const RegisterKey& key) {
    std::vector<std::pair<std::string, std::optional<std::uint8_t>>> words;
    for (const std::uint8_t code : key.functions) {
        words.emplace_back(fmt::format("{}", code), code);
    }
    return word<std::optional<std::uint8_t>>(target, std::move(words));
}

Parse values(std::map<std::int64_t, std::string>& target, const RegisterKey& key) {
    return [&target, &key](Report& report, const Entry& section) {
        read_entries(report, section, "value", 256, [&](const Entry& entry) {
            const std::string what = fmt::format("the values of {}", key.name);
            const auto number = number_key(report, entry, what, -32768, 65535);
            const auto meaning =
                word_of(report,
                        Entry{fmt::format("{} of {}", entry.key, what), entry.place, entry.value},
                        key.vocabulary);
            if (number && meaning) {
                target.emplace(*number, *meaning);
            }
        });
    };
}

Parse none(std::optional<std::int64_t>& target) {
    return [&target](Report& report, const Entry& entry) {
        if (const auto value = integer_in(report, entry, -32768, 65535)) {
            target = *value;
        }
    };
}

Parse period(std::optional<core::Duration>& target) {
    return [&target](Report& report, const Entry& entry) {
        core::Duration value{};
        const std::size_t errors = report.errors();
        duration(value, 100ms, 60s)(report, entry);
        if (report.errors() == errors && entry.value.kind == Node::Kind::scalar) {
            target = value;
        }
    };
}

// The numbers that the register, or its bits, can show. A whole one may be meant as signed.
struct Width {
    std::int64_t least = 0;
    std::int64_t most = 0;
    [[nodiscard]] bool holds(std::int64_t number) const {
        return number >= least && number <= most;
    }
};

Width width_of(const RegisterSpec& spec) {
    const int bits = is_bit_table(spec.table) ? 1
                     : spec.bits              ? spec.bits->last - spec.bits->first + 1
                                              : 16;
    return {bits == 16 ? -32768 : 0, (std::int64_t{1} << bits) - 1};
}

void check_width(Report& report, const Entry& entry, const RegisterSpec& spec) {
    if (is_bit_table(spec.table) && spec.bits) {
        report.error(place_of(entry, {"bits"}),
                     "bits has no meaning here: a coil or discrete input is one bit");
        return;
    }
    const Width width = width_of(spec);
    const auto check = [&](Place place, std::int64_t number) {
        if (!width.holds(number)) {
            report.error(place,
                         fmt::format("{} can never be read here; possible are {} to {}",
                                     number,
                                     width.least,
                                     width.most));
        }
    };
    if (const Entry* section = entry.value.find("values")) {
        for (const auto& [number, meaning] : spec.values) {
            const Entry* given = section->value.find(fmt::format("{}", number));
            check(given != nullptr ? given->place : section->place, number);
        }
    }
    if (spec.none) {
        check(place_of(entry, {"none"}), *spec.none);
    }
}

std::vector<Key> keys_of(const RegisterKey& key, RegisterSpec& spec) {
    const std::string why = fmt::format("is not possible for register {}", quoted(key.name));
    const auto if_taken = [&](bool taken, const char* name, Parse parse) {
        return taken ? optional(name, std::move(parse)) : refused(name, why);
    };
    const Parse at = [&key, &spec](Report& report, const Entry& entry) {
        read_address(report, entry, key, spec);
    };
    Key values_key = if_taken(!key.vocabulary.empty(), "values", values(spec.values, key));
    values_key.required = key.values_required;
    return {
        required("at", at),
        if_taken(key.takes_bits, "bits", bits(spec.bits)),
        std::move(values_key),
        if_taken(key.takes_none, "none", none(spec.none)),
        if_taken(key.takes_period, "period", period(spec.period)),
        if_taken(!key.functions.empty(), "function", function(spec.function, key)),
    };
}

RegisterSpec read_register(Report& report, const Entry& entry, const RegisterKey& key) {
    RegisterSpec spec;
    if (entry.value.kind == Node::Kind::mapping) {
        const std::size_t errors = report.errors();
        read_mapping(
            report, entry, fmt::format("register {}", quoted(key.name)), keys_of(key, spec));
        if (report.errors() == errors) {
            check_width(report, entry, spec);
        }
        return spec;
    }
    read_address(report, entry, key, spec);
    if (key.values_required && entry.value.kind == Node::Kind::scalar) {
        report.error(entry.value.place,
                     fmt::format("{} needs values that say what its numbers mean: {{at: {}, "
                                 "values: {{0: {}, ...}}}}",
                                 key.name,
                                 entry.value.text,
                                 key.vocabulary.empty() ? "..." : key.vocabulary.front()));
    }
    return spec;
}

}  // namespace

void read_registers(Report& report,
                    const Entry& section,
                    std::string_view what,
                    const ports::DriverSchema& schema,
                    ports::ElevatorMap& map) {
    std::vector<Key> keys;
    for (const RegisterKey& key : schema.registers) {
        const Parse parse = [&map, &key](Report& to, const Entry& entry) {
            map.registers[key.name] = read_register(to, entry, key);
        };
        keys.push_back({key.name, parse, key.required, true});
    }
    read_mapping(report, section, fmt::format("registers of {}", what), keys);
}

}  // namespace liftwarden::config
