// What only the mailbox driver can find wrong with a map.
#include "drivers/mailbox/codes.hpp"
#include "drivers/mailbox/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace liftwarden::mailbox {
namespace {

using ports::ElevatorMap;
using ports::MapProblem;
using ports::RegisterSpec;

// Collects problems in the order in which the map is usually written.
class Findings {
  public:
    void error(std::vector<std::string> path, std::string text) {
        problems_.push_back({std::move(path), std::move(text), false});
    }
    void warning(std::vector<std::string> path, std::string text) {
        problems_.push_back({std::move(path), std::move(text), true});
    }
    std::vector<MapProblem> take() { return std::move(problems_); }

  private:
    std::vector<MapProblem> problems_;
};

std::ptrdiff_t count_word(const RegisterSpec& spec, const std::string& word) {
    return std::count_if(spec.values.begin(), spec.values.end(), [&word](const auto& entry) {
        return entry.second == word;
    });
}

bool has_rear(const ElevatorMap& map) {
    return std::any_of(map.floors.begin(), map.floors.end(), [](const core::Floor& floor) {
        return std::find(floor.doors.begin(), floor.doors.end(), core::Side::rear) !=
               floor.doors.end();
    });
}

void check_bits(const std::string& key, const RegisterSpec& spec, Findings& out) {
    if (!spec.bits) {
        return;
    }
    if (spec.table == ports::RegisterTable::coil || spec.table == ports::RegisterTable::discrete) {
        out.error({"registers", key, "bits"},
                  fmt::format("a {} is a single bit and has no bit range", to_string(spec.table)));
    } else if (spec.bits->first > spec.bits->last || spec.bits->last > 15) {
        out.error({"registers", key, "bits"},
                  fmt::format("bits {}..{} do not lie in a register (0..15, lowest first)",
                              spec.bits->first,
                              spec.bits->last));
    }
}

void check_values(const std::string& key, const RegisterSpec& spec, Findings& out) {
    std::map<std::uint16_t, std::int64_t> seen;
    for (const auto& [number, word] : spec.values) {
        const auto field = to_field(spec, number);
        if (!field) {
            out.error({"registers", key, "values"},
                      fmt::format("{} ({}) does not fit the field, which holds {}",
                                  number,
                                  word,
                                  field_range(spec)));
        } else if (const auto [at, fresh] = seen.emplace(*field, number);
                   !fresh && spec.values.at(at->second) != word) {
            out.error({"registers", key, "values"},
                      fmt::format("{} ({}) and {} ({}) look the same in the register",
                                  at->second,
                                  spec.values.at(at->second),
                                  number,
                                  word));
        }
    }
    if (spec.none && !to_field(spec, *spec.none)) {
        out.error({"registers", key, "none"},
                  fmt::format(
                      "{} does not fit the field, which holds {}", *spec.none, field_range(spec)));
    }
}

// Words without which the elevator could never be judged. An empty table is the schema's to report.
void check_words(const ElevatorMap& map,
                 const std::string& key,
                 const std::vector<std::string>& needed,
                 Findings& out) {
    const RegisterSpec* spec = find_register(map, key);
    if (spec == nullptr || spec->values.empty()) {
        return;
    }
    for (const std::string& word : needed) {
        if (count_word(*spec, word) == 0) {
            out.error({"registers", key, "values"},
                      fmt::format("{}: no number means {}", key, word));
        }
    }
}

void check_registers(const ElevatorMap& map, Findings& out) {
    for (const auto& [key, spec] : map.registers) {
        check_bits(key, spec, out);
        check_values(key, spec, out);
    }
    check_words(map, "direction", {"stopped"}, out);
    check_words(map, "door", {"closed", "open"}, out);
    check_words(map, "door_rear", {"closed", "open"}, out);
    if (find_register(map, "mode") == nullptr) {
        out.warning({"registers"},
                    "mode is not mapped: fire, inspection and the like cannot be seen");
    }
    if (find_register(map, "fault") == nullptr) {
        out.warning({"registers"}, "fault is not mapped: an elevator in fault looks idle");
    }
}

// Floors as numbers of the field `spec`, which people know as `key`.
void check_floor_values(const ElevatorMap& map,
                        const std::string& key,
                        const RegisterSpec& spec,
                        Findings& out) {
    std::map<std::uint16_t, const core::Floor*> seen;
    for (const core::Floor& floor : map.floors) {
        const auto field = to_field(spec, floor.value);
        if (!field) {
            out.error({"floors", floor.label.str()},
                      fmt::format("value {} does not fit {}, which holds {}",
                                  floor.value,
                                  key,
                                  field_range(spec)));
            continue;
        }
        const auto [at, fresh] = seen.emplace(*field, &floor);
        // Equal values are reported for every kind of driver alike.
        if (!fresh && at->second->value != floor.value) {
            out.error({"floors", floor.label.str()},
                      fmt::format("value {} looks like that of floor {} ({}) in {}",
                                  floor.value,
                                  at->second->label.str(),
                                  at->second->value,
                                  key));
        }
    }
    if (spec.none && to_field(spec, *spec.none)) {
        const auto at = seen.find(*to_field(spec, *spec.none));
        if (at != seen.end()) {
            out.error({"registers", key, "none"},
                      fmt::format(
                          "{} is also the value of floor {}", *spec.none, at->second->label.str()));
        }
    }
}

void check_floors(const ElevatorMap& map, Findings& out) {
    check_floor_values(map, "the command's argument", RegisterSpec{}, out);
    for (const char* key : {"floor", "target"}) {
        const RegisterSpec* spec = find_register(map, key);
        // A whole register holds what the argument holds; reporting it once is enough.
        if (spec != nullptr && (spec->bits || spec->none)) {
            check_floor_values(map, key, *spec, out);
        }
    }
}

void check_sides(const ElevatorMap& map, Findings& out) {
    const bool rear_register = find_register(map, "door_rear") != nullptr;
    if (!has_rear(map)) {
        if (rear_register) {
            out.warning({"registers", "door_rear"}, "no floor has a rear door");
        }
        return;
    }
    if (!rear_register) {
        out.error({"registers"}, "a floor has a rear door, but door_rear is not mapped");
    }
    const bool has_front = code_of(map, "sides", "front").has_value();
    const bool has_rear_code = code_of(map, "sides", "rear").has_value();
    if (!has_front && !has_rear_code) {
        out.error({"sides"},
                  "a floor has a rear door, so the key \"sides\" is required, with the PLC's "
                  "numbers for both: sides: {front: ..., rear: ...}");
    } else if (!has_front || !has_rear_code) {
        out.error({"sides"},
                  fmt::format("sides has no number for {}, and a floor has a rear door",
                              has_front ? "rear" : "front"));
    }
}

// No number may stand for two words of a section.
void check_distinct(const ElevatorMap& map, const std::string& section, Findings& out) {
    const auto codes = map.codes.find(section);
    if (codes == map.codes.end()) {
        return;
    }
    std::map<std::int64_t, std::string> seen;
    for (const auto& [word, number] : codes->second) {
        const auto [at, fresh] = seen.emplace(number, word);
        if (!fresh) {
            out.error({section, word}, fmt::format("{} already means {}", number, at->second));
        }
    }
}

void check_actions(const ElevatorMap& map, Findings& out) {
    const auto actions = map.codes.find("actions");
    if (actions != map.codes.end() && actions->second.empty()) {
        out.error({"actions"}, "no action is mapped: the elevator could never be ordered anything");
    }
    if (actions != map.codes.end()) {
        for (const auto& [word, number] : actions->second) {
            if (number == 0) {
                out.warning({"actions", word},
                            fmt::format("{} is action 0, which means no command in many PLCs; look "
                                        "it up in the PLC's documentation",
                                        word));
            }
        }
    }
    const bool plain = code_of(map, "actions", "hall_call").has_value();
    const bool up = code_of(map, "actions", "hall_call_up").has_value();
    const bool down = code_of(map, "actions", "hall_call_down").has_value();
    if (plain && (up || down)) {
        out.error({"actions", "hall_call"},
                  "either hall_call, or hall_call_up and hall_call_down, not both kinds");
    } else if (up != down) {
        out.error({"actions", up ? "hall_call_up" : "hall_call_down"},
                  "hall_call_up and hall_call_down are needed together");
    }
    if (!code_of(map, "actions", "set_mode")) {
        return;
    }
    const RegisterSpec* mode = find_register(map, "mode");
    if (mode == nullptr) {
        out.error({"actions", "set_mode"}, "set_mode needs the mode register");
        return;
    }
    for (const char* word : {"agv", "normal"}) {
        if (const auto count = count_word(*mode, word); count != 1) {
            out.error(
                {"registers", "mode", "values"},
                fmt::format("mode: set_mode needs exactly one number that means {}, here are {}",
                            word,
                            count));
        }
    }
}

}  // namespace

std::vector<MapProblem> check(const ElevatorMap& map) {
    Findings out;
    check_floors(map, out);
    check_registers(map, out);
    check_sides(map, out);
    check_actions(map, out);
    for (const char* section : {"actions", "results", "sides"}) {
        check_distinct(map, section, out);
    }
    if (const auto results = map.codes.find("results");
        results != map.codes.end() && !code_of(map, "results", "accepted")) {
        out.error({"results"},
                  "results: no number means accepted: no command could ever be acknowledged");
    }
    return out.take();
}

}  // namespace liftwarden::mailbox
