// Further sections of an elevator's map, such as actions and results, by the schema of its driver.
#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

namespace liftwarden::config {

void read_codes(Report& report,
                const Entry& section,
                std::string_view what,
                const ports::CodeSection& schema,
                ports::ElevatorMap& map) {
    std::map<std::string, std::int64_t>& codes = map.codes[schema.name];
    if (schema.word_first) {
        std::vector<Key> keys;
        for (const std::string& name : schema.vocabulary) {
            const Parse parse = [&](Report& to, const Entry& entry) {
                if (const auto code = integer_in(to, entry, schema.least, schema.most)) {
                    codes[entry.key] = *code;
                }
            };
            keys.push_back(optional(name, parse));
        }
        read_mapping(report, section, fmt::format("{} of {}", schema.name, what), keys);
        return;
    }
    read_entries(report, section, "number", 256, [&](const Entry& entry) {
        const auto code = number_key(report, entry, schema.name, schema.least, schema.most);
        const auto meaning = word_of(
            report,
            Entry{fmt::format("{} of {}", entry.key, schema.name), entry.place, entry.value},
            schema.vocabulary);
        if (!code || !meaning) {
            return;
        }
        if (!codes.emplace(*meaning, *code).second) {
            report.error(entry.value.place,
                         fmt::format("{} is already number {}; a word stands for one number",
                                     quoted(*meaning),
                                     codes.at(*meaning)));
        }
    });
}

}  // namespace liftwarden::config
