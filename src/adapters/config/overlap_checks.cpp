// Two things in one register.
#include "src/adapters/config/addresses.hpp"
#include "src/adapters/config/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace liftwarden::config {
namespace {

using ports::RegisterSpec;

// A register of some elevator, with the number of registers it covers.
struct Span {
    std::string name;
    const RegisterSpec* spec = nullptr;
    std::uint16_t count = 1;
    Place place;
};

std::vector<Span> spans_of(const ports::ElevatorSettings& elevator, const ElevatorOrigin& origin) {
    std::vector<Span> spans;
    for (const ports::RegisterKey& key : origin.schema->registers) {
        const auto found = elevator.map.registers.find(key.name);
        if (found != elevator.map.registers.end()) {
            spans.push_back({key.name,
                             &found->second,
                             std::max<std::uint16_t>(key.count, 1),
                             place_of(*origin.entry, {"registers", key.name})});
        }
    }
    std::sort(
        spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.place < b.place; });
    return spans;
}

bool disjoint_bits(const RegisterSpec& a, const RegisterSpec& b) {
    return a.bits && b.bits && (a.bits->last < b.bits->first || b.bits->last < a.bits->first);
}

bool overlap(const Span& a, const Span& b) {
    return a.spec->table == b.spec->table && a.spec->address < b.spec->address + b.count &&
           b.spec->address < a.spec->address + a.count && !disjoint_bits(*a.spec, *b.spec);
}

std::string text_of(const Span& span) {
    const Address address{span.spec->table, span.spec->address};
    std::string text = fmt::format(
        "{} ({})", zero_based_text(address, span.count), modicon_text(address, span.count));
    return span.spec->bits ? text + " " + bits_text(*span.spec->bits) : text;
}

void check_within(Report& report, const std::vector<Span>& spans) {
    for (std::size_t later = 1; later < spans.size(); ++later) {
        for (std::size_t earlier = 0; earlier < later; ++earlier) {
            if (overlap(spans[earlier], spans[later])) {
                report.error(spans[later].place,
                             fmt::format("register {} at {} overlaps {} at {}",
                                         spans[later].name,
                                         text_of(spans[later]),
                                         spans[earlier].name,
                                         text_of(spans[earlier])));
            }
        }
    }
}

// The first overlap is enough: elevators that share a unit by mistake share all their registers.
void check_between(Report& report,
                   const std::vector<Span>& spans,
                   const std::vector<Span>& others,
                   const ports::ElevatorSettings& other,
                   const Place& other_place) {
    for (const Span& span : spans) {
        for (const Span& taken : others) {
            if (overlap(span, taken)) {
                report.error(span.place,
                             fmt::format("register {} at {} overlaps {} of elevator {} at {}, "
                                         "which has the same bus {} and unit {}",
                                         span.name,
                                         text_of(span),
                                         taken.name,
                                         quoted(other.core.id.str()),
                                         report.describe(other_place),
                                         quoted(other.bus.str()),
                                         other.map.unit));
                return;
            }
        }
    }
}

}  // namespace

void check_overlaps(Report& report, const Draft& draft) {
    const auto& elevators = draft.settings.elevators;
    std::vector<std::vector<Span>> spans;
    for (std::size_t i = 0; i < elevators.size(); ++i) {
        const ElevatorOrigin& origin = draft.elevators[i];
        spans.push_back(origin.map_sound ? spans_of(elevators[i], origin) : std::vector<Span>{});
        check_within(report, spans[i]);
        for (std::size_t j = 0; j < i; ++j) {
            if (elevators[i].bus == elevators[j].bus && !elevators[i].bus.empty() &&
                elevators[i].map.unit == elevators[j].map.unit) {
                check_between(
                    report, spans[i], spans[j], elevators[j], draft.elevators[j].entry->place);
            }
        }
    }
}

}  // namespace liftwarden::config
