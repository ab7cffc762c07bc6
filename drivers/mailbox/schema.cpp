#include "drivers/mailbox/schema.hpp"

#include "drivers/mailbox/codes.hpp"
#include "drivers/mailbox/plan.hpp"
#include "drivers/mailbox/words.hpp"

#include <numeric>

namespace liftwarden::mailbox {
namespace {

using ports::RegisterKey;
using ports::RegisterTable;

const std::vector<RegisterTable> any_register{RegisterTable::holding, RegisterTable::input};
const std::vector<RegisterTable> any_table{
    RegisterTable::holding, RegisterTable::input, RegisterTable::coil, RegisterTable::discrete};

// A number that means a floor.
RegisterKey floor_key(std::string name, std::string help, bool required) {
    RegisterKey key;
    key.name = std::move(name);
    key.help = std::move(help);
    key.required = required;
    key.tables = any_register;
    key.takes_bits = true;
    key.takes_none = true;
    return key;
}

// A number that means one of a few words.
RegisterKey word_key(std::string name,
                     std::string help,
                     std::vector<std::string> words,
                     bool required,
                     bool values_required) {
    RegisterKey key;
    key.name = std::move(name);
    key.help = std::move(help);
    key.required = required;
    key.tables = any_table;
    key.vocabulary = std::move(words);
    key.values_required = values_required;
    key.takes_bits = true;
    return key;
}

RegisterKey command_key() {
    RegisterKey key;
    key.name = "command";
    key.help = "four registers in one write: action, argument, door, wire_seq";
    key.required = true;
    key.tables = {RegisterTable::holding};
    key.count = command_registers;
    key.functions = {16};
    return key;
}

RegisterKey ack_key() {
    RegisterKey key;
    key.name = "ack";
    key.help = "two registers: wire_seq of the last command taken, its result";
    key.required = true;
    key.tables = any_register;
    key.count = ack_registers;
    return key;
}

RegisterKey fault_key() {
    RegisterKey key;
    key.name = "fault";
    key.help = "fault code; `none` (default 0) means no fault";
    key.tables = any_table;
    key.takes_bits = true;
    key.takes_none = true;
    return key;
}

RegisterKey heartbeat_key() {
    RegisterKey key;
    key.name = "heartbeat";
    key.help = "counter the gateway writes every `period` while it works";
    key.tables = {RegisterTable::holding};
    key.takes_period = true;
    key.functions = {6, 16};
    return key;
}

std::vector<RegisterKey> register_keys() {
    return {
        command_key(),
        ack_key(),
        floor_key("floor", "where the car is; `none` means between floors", true),
        word_key("direction", "which way the car travels", travel_words(), true, true),
        word_key("door", "state of the front door", door_words(), true, true),
        word_key("door_rear", "state of the rear door", door_words(), false, true),
        word_key("mode", "service mode", service_mode_words(), false, true),
        fault_key(),
        floor_key("target", "floor the car is heading for; `none` means no target", false),
        word_key("occupied",
                 "somebody or something is in the car; without values 0 is free",
                 {"free", "occupied"},
                 false,
                 false),
        word_key("door_blocked",
                 "something is in the doorway; without values 0 is clear",
                 {"clear", "blocked"},
                 false,
                 false),
        heartbeat_key(),
    };
}

std::vector<ports::CodeSection> code_sections() {
    return {
        {"actions",
         "number of each action; hall_call, or hall_call_up and hall_call_down",
         true,
         true,
         {"hall_call",
          "hall_call_up",
          "hall_call_down",
          "car_call",
          "open_door",
          "close_door",
          "hold_door",
          "set_mode"},
         0,
         65535},
        // 0 stands for "nothing taken yet", so no result may use it.
        {"results",
         "what the result register says of a command",
         true,
         false,
         {"accepted", "refused", "busy"},
         1,
         65535},
        {"sides", "number of each door side", false, true, {"front", "rear"}, 0, 65535},
    };
}

ports::MapCapabilities capabilities(const ports::ElevatorMap& map) {
    using core::ActionKind;
    ports::MapCapabilities result;
    result.directions = code_of(map, "actions", "hall_call_up").has_value() ||
                        code_of(map, "actions", "hall_call_down").has_value();
    if (result.directions) {
        result.actions.insert(ActionKind::hall_call);
    }
    for (const ActionKind kind : {ActionKind::hall_call,
                                  ActionKind::car_call,
                                  ActionKind::open_door,
                                  ActionKind::close_door,
                                  ActionKind::hold_door,
                                  ActionKind::set_mode}) {
        if (code_of(map, "actions", core::to_string(kind))) {
            result.actions.insert(kind);
        }
    }
    result.maps_mode = find_register(map, "mode") != nullptr;
    result.maps_occupied = find_register(map, "occupied") != nullptr;
    if (const ports::RegisterSpec* heartbeat = find_register(map, "heartbeat")) {
        result.maps_heartbeat = true;
        result.heartbeat_period = heartbeat->period.value_or(result.heartbeat_period);
    }
    return result;
}

ports::PollPlan poll_plan(const ports::ElevatorMap& map) {
    const ReadPlan plan = plan_reads(map);
    const auto add = [](unsigned sum, const ports::ReadRequest& request) {
        return sum + request.count;
    };
    return {plan.full,
            command_registers,
            static_cast<std::uint16_t>(std::accumulate(
                plan.acknowledgement.begin(), plan.acknowledgement.end(), 0U, add))};
}

}  // namespace

const ports::DriverSchema& schema() {
    static const ports::DriverSchema instance{
        "mailbox", register_keys(), code_sections(), check, capabilities, poll_plan};
    return instance;
}

}  // namespace liftwarden::mailbox
