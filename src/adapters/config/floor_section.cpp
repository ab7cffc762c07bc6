#include "src/adapters/config/sections.hpp"
#include "src/adapters/config/utf8.hpp"
#include "src/adapters/config/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace liftwarden::config {
namespace {

using core::Side;

constexpr std::size_t floors_max = 256;
constexpr std::size_t label_bytes_max = 64;

// Labels travel in JSON and are compared byte by byte; a blank at an end would never be seen.
std::optional<std::string> fault_of_label(const std::string& label) {
    if (label.empty() || label.size() > label_bytes_max) {
        return fmt::format("must be 1 to {} bytes long", label_bytes_max);
    }
    const bool control = std::any_of(label.begin(), label.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    if (control || label.front() == ' ' || label.back() == ' ') {
        return "must not begin or end with a blank or contain control characters";
    }
    return std::nullopt;
}

std::optional<std::string> doubt_about_label(std::string_view label) {
    // Within a label an apostrophe may be meant.
    const bool quote = label.find('"') != label.npos ||
                       (!label.empty() && (label.front() == '\'' || label.back() == '\''));
    return quote ? std::optional<std::string>("a quotation mark") : look_alike_in(label);
}

Parse doors(std::vector<Side>& target) {
    return [&target](Report& report, const Entry& entry) {
        if (!expect(report, entry, Node::Kind::sequence, "a list such as [front, rear]")) {
            return;
        }
        if (entry.value.items.empty()) {
            report.error(entry.value.place, "doors must list at least one side");
            return;
        }
        std::vector<Side> sides;
        for (const Node& item : entry.value.items) {
            Side side{};
            const std::size_t errors = report.errors();
            word<Side>(side, {{"front", Side::front}, {"rear", Side::rear}})(
                report, Entry{entry.key, item.place, item});
            if (report.errors() != errors) {
                continue;
            }
            if (std::find(sides.begin(), sides.end(), side) != sides.end()) {
                report.error(item.place, fmt::format("doors names {} twice", quoted(item.text)));
                continue;
            }
            sides.push_back(side);
        }
        target = sides;
    };
}

}  // namespace

void read_floors(Report& report,
                 const Entry& section,
                 std::string_view what,
                 std::vector<core::Floor>& floors) {
    std::map<std::int64_t, const Entry*> by_value;
    read_entries(report, section, "floor", floors_max, [&](const Entry& entry) {
        if (const auto fault = fault_of_label(entry.key)) {
            report.error(entry.place, fmt::format("floor {} {}", quoted(entry.key), *fault));
        }
        if (const auto doubt = doubt_about_label(entry.key)) {
            report.warning(entry.place,
                           fmt::format("floor {} has {} in its label: dispatch nodes would have to "
                                       "send it too",
                                       quoted(entry.key),
                                       *doubt));
        }
        core::Floor floor;
        floor.label = core::FloorLabel{entry.key};
        const std::size_t errors = report.errors();
        // What a 16-bit register can show, signed or unsigned; the driver knows which of them fit.
        read_mapping(report,
                     entry,
                     fmt::format("floor {} of {}", quoted(entry.key), what),
                     {
                         required("value", integer(floor.value, -32768, 65535)),
                         optional("doors", doors(floor.doors)),
                     });
        if (report.errors() != errors || entry.value.find("value") == nullptr) {
            return;
        }
        const auto [first, added] = by_value.emplace(floor.value, &entry);
        if (!added) {
            report.error(place_of(entry, {"value"}),
                         fmt::format("floor {} has the same value {} as floor {} at {}",
                                     quoted(entry.key),
                                     floor.value,
                                     quoted(first->second->key),
                                     report.describe(first->second->place)));
        }
        floors.push_back(std::move(floor));
    });
}

}  // namespace liftwarden::config
