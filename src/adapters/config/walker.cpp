#include "src/adapters/config/walker.hpp"

#include "src/adapters/config/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

void refuse_unknown(Report& report,
                    const Entry& entry,
                    std::string_view what,
                    const std::vector<Key>& keys) {
    std::vector<std::string> names;
    for (const Key& key : keys) {
        if (key.suggested) {
            names.push_back(key.name);
        }
    }
    // YAML takes "unit:1" for one word.
    const std::size_t colon = entry.key.find(':');
    if (colon != std::string::npos && colon + 1 < entry.key.size()) {
        const std::string name = entry.key.substr(0, colon);
        if (nearest(name, names)) {
            report.error(
                entry.place,
                fmt::format("{} in {} has no blank after its colon; did you mean {}?",
                            quoted(entry.key),
                            what,
                            quoted(fmt::format(
                                "{}: {}", *nearest(name, names), entry.key.substr(colon + 1)))));
            return;
        }
    }
    report.error(
        entry.place,
        fmt::format(
            "unknown key {} in {}{}", quoted(entry.key), what, suggestion(entry.key, names)));
}

// "a mapping such as {value: 2}": with what must be in it, and with what was given if that can only
// belong there.
std::string wanted_mapping(const Entry& section, const std::vector<Key>& keys) {
    std::vector<std::string> needed;
    for (const Key& key : keys) {
        if (key.required) {
            needed.push_back(key.name);
        }
    }
    const std::string& given = section.value.text;
    const bool pair = given.find_first_of(": ") != std::string::npos;
    const bool is_its_value =
        needed.size() == 1 && section.value.kind == Node::Kind::scalar && !pair && !given.empty();
    if (is_its_value) {
        return fmt::format("a mapping such as {{{}: {}}}", needed.front(), given);
    }
    if (needed.empty()) {
        return "a mapping";
    }
    return fmt::format("a mapping such as {{{}: ...}}", fmt::join(needed, ": ..., "));
}

}  // namespace

Key required(std::string name, Parse parse) {
    return {std::move(name), std::move(parse), true, true};
}

Key optional(std::string name, Parse parse) {
    return {std::move(name), std::move(parse), false, true};
}

Key refused(std::string name, std::string why) {
    const auto refuse = [why = std::move(why)](Report& report, const Entry& entry) {
        report.error(entry.place, fmt::format("{} {}", quoted(entry.key), why));
    };
    return {std::move(name), refuse, false, false};
}

void read_mapping(Report& report,
                  const Entry& section,
                  std::string_view what,
                  const std::vector<Key>& keys) {
    if (!expect(report, section, Node::Kind::mapping, wanted_mapping(section, keys), what)) {
        return;
    }
    for (const Entry& entry : section.value.entries) {
        const auto key = std::find_if(
            keys.begin(), keys.end(), [&](const Key& known) { return known.name == entry.key; });
        if (key == keys.end()) {
            refuse_unknown(report, entry, what, keys);
        } else {
            key->parse(report, entry);
        }
    }
    for (const Key& key : keys) {
        if (key.required && section.value.find(key.name) == nullptr) {
            report.error(
                section.value.place,
                fmt::format("{} has no key {}, which is required", what, quoted(key.name)));
        }
    }
}

void read_entries(Report& report,
                  const Entry& section,
                  std::string_view what,
                  std::size_t most,
                  const std::function<void(const Entry&)>& each) {
    if (!expect(report, section, Node::Kind::mapping, "a mapping")) {
        return;
    }
    const std::vector<Entry>& entries = section.value.entries;
    if (entries.empty()) {
        report.error(section.value.place,
                     fmt::format("{} must name at least one {}", section.key, what));
    }
    if (entries.size() > most) {
        report.error(
            entries[most].place,
            fmt::format(
                "{} has {} entries; at most {} are possible", section.key, entries.size(), most));
    }
    for (std::size_t i = 0; i < std::min(entries.size(), most); ++i) {
        each(entries[i]);
    }
}

bool expect(Report& report,
            const Entry& entry,
            Node::Kind kind,
            std::string_view wanted,
            std::string_view what) {
    const Node& value = entry.value;
    if (value.kind == kind) {
        return true;
    }
    const std::string_view name = what.empty() ? std::string_view(entry.key) : what;
    if (value.kind == Node::Kind::null) {
        report.error(entry.place, fmt::format("{} has no value; it must be {}", name, wanted));
    } else if (value.kind != Node::Kind::invalid) {
        const std::string got = value.kind == Node::Kind::scalar
                                    ? quoted(value.text)
                                    : std::string(describe(value.kind));
        report.error(value.place, fmt::format("{} must be {}, not {}", name, wanted, got));
    }
    return false;
}

}  // namespace liftwarden::config
