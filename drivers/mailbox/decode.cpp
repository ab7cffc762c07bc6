#include "drivers/mailbox/decode.hpp"

#include "drivers/mailbox/codes.hpp"
#include "drivers/mailbox/words.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace liftwarden::mailbox {
namespace {

using core::Observation;
using ports::ElevatorMap;
using ports::RegisterSpec;

// One mapped field of a snapshot: its spec and its number.
struct Field {
    const RegisterSpec* spec;
    std::uint16_t number;
};

std::optional<Field> field(const ElevatorMap& map,
                           const Snapshot& snapshot,
                           const std::string& key) {
    const RegisterSpec* spec = find_register(map, key);
    if (spec == nullptr) {
        return std::nullopt;
    }
    const auto word = snapshot.at(spec->table, spec->address);
    if (!word) {
        return std::nullopt;
    }
    return Field{spec, from_register(*spec, *word)};
}

// Keeps the first: it is enough to make the whole reading worthless.
void note_undecodable(Observation& state, const std::string& key, std::uint16_t number) {
    if (!state.undecodable) {
        state.undecodable = fmt::format("{} {}", key, number);
    }
}

const core::Floor* floor_of(const ElevatorMap& map, const Field& read) {
    for (const core::Floor& floor : map.floors) {
        if (to_field(*read.spec, floor.value) == read.number) {
            return &floor;
        }
    }
    return nullptr;
}

void decode_floors(const ElevatorMap& map, const Snapshot& snapshot, Observation& state) {
    if (const auto read = field(map, snapshot, "floor");
        read && !means_none(*read->spec, read->number)) {
        if (const core::Floor* floor = floor_of(map, *read)) {
            state.floor = floor->label;
        } else {
            note_undecodable(state, "floor", read->number);
        }
    }
    if (const auto read = field(map, snapshot, "target");
        read && !means_none(*read->spec, read->number)) {
        if (const core::Floor* floor = floor_of(map, *read)) {
            state.target = floor->label;
        }
    }
}

void decode_direction(const ElevatorMap& map, const Snapshot& snapshot, Observation& state) {
    const auto read = field(map, snapshot, "direction");
    if (!read) {
        return;
    }
    const auto word = word_for(*read->spec, read->number);
    const auto travel = word ? travel_from(*word) : std::nullopt;
    if (travel) {
        state.travel = *travel;
    } else {
        note_undecodable(state, "direction", read->number);
    }
}

std::optional<core::DoorState> decode_door(const ElevatorMap& map,
                                           const Snapshot& snapshot,
                                           const std::string& key,
                                           Observation& state) {
    const auto read = field(map, snapshot, key);
    if (!read) {
        return std::nullopt;
    }
    const auto word = word_for(*read->spec, read->number);
    const auto door = word ? door_state_from(*word) : std::nullopt;
    if (!door) {
        note_undecodable(state, key, read->number);
    }
    return door;
}

core::ServiceMode decode_mode(const ElevatorMap& map, const Snapshot& snapshot) {
    const auto read = field(map, snapshot, "mode");
    if (!read) {
        return core::ServiceMode::normal;
    }
    const auto word = word_for(*read->spec, read->number);
    const auto mode = word ? service_mode_from(*word) : std::nullopt;
    return mode.value_or(core::ServiceMode::unknown);
}

std::optional<std::int64_t> decode_fault(const ElevatorMap& map, const Snapshot& snapshot) {
    const auto read = field(map, snapshot, "fault");
    if (!read) {
        return std::nullopt;
    }
    const bool none = read->spec->none ? means_none(*read->spec, read->number) : read->number == 0;
    return none ? std::nullopt : std::optional<std::int64_t>{read->number};
}

// `clear` is the word for "not set". A code that nobody explained counts as set.
std::optional<bool> decode_flag(const ElevatorMap& map,
                                const Snapshot& snapshot,
                                const std::string& key,
                                const std::string& clear) {
    const auto read = field(map, snapshot, key);
    if (!read) {
        return std::nullopt;
    }
    if (read->spec->values.empty()) {
        return read->number != 0;
    }
    return word_for(*read->spec, read->number) != clear;
}

core::AckResult result_of(const ElevatorMap& map, std::uint16_t echo, std::uint16_t result) {
    if (echo == 0 && result == 0) {
        return core::AckResult::none;
    }
    for (const auto& [word, value] : {std::pair{"accepted", core::AckResult::accepted},
                                      std::pair{"refused", core::AckResult::refused},
                                      std::pair{"busy", core::AckResult::busy}}) {
        if (code_of(map, "results", word) == result) {
            return value;
        }
    }
    return core::AckResult::unrecognised;
}

}  // namespace

void Snapshot::add(const ports::ReadRequest& request, std::vector<std::uint16_t> words) {
    blocks_.push_back({request.table, request.address, std::move(words)});
}

std::optional<std::uint16_t> Snapshot::at(ports::RegisterTable table, std::uint16_t address) const {
    for (const Block& block : blocks_) {
        if (block.table == table && address >= block.address &&
            static_cast<std::size_t>(address - block.address) < block.words.size()) {
            return block.words[static_cast<std::size_t>(address - block.address)];
        }
    }
    return std::nullopt;
}

core::Observation decode_state(const ElevatorMap& map, const Snapshot& snapshot) {
    Observation state;
    decode_floors(map, snapshot, state);
    decode_direction(map, snapshot, state);
    state.front = decode_door(map, snapshot, "door", state);
    state.rear = decode_door(map, snapshot, "door_rear", state);
    state.mode = decode_mode(map, snapshot);
    state.fault = decode_fault(map, snapshot);
    state.occupied = decode_flag(map, snapshot, "occupied", "free");
    state.door_blocked = decode_flag(map, snapshot, "door_blocked", "clear");
    return state;
}

core::Acknowledgement decode_ack(const ElevatorMap& map, const Snapshot& snapshot) {
    core::Acknowledgement ack;
    const RegisterSpec* spec = find_register(map, "ack");
    if (spec == nullptr) {
        return ack;
    }
    const auto echo = snapshot.at(spec->table, spec->address);
    const auto result = snapshot.at(spec->table, static_cast<std::uint16_t>(spec->address + 1));
    if (!echo || !result) {
        return ack;
    }
    ack.echo = core::Echo{*echo};
    ack.raw_result = *result;
    ack.result = result_of(map, *echo, *result);
    return ack;
}

}  // namespace liftwarden::mailbox
