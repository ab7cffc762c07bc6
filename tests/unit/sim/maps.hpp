// The map that the simulator's unit tests share.
#pragma once

#include <liftwarden/ports/elevator_map.hpp>

namespace liftwarden::sim::test {

using ports::RegisterTable;

inline ports::RegisterSpec at(RegisterTable table,
                              std::uint16_t address,
                              std::map<std::int64_t, std::string> values = {}) {
    ports::RegisterSpec spec;
    spec.table = table;
    spec.address = address;
    spec.values = std::move(values);
    return spec;
}

// B1, 1 (both doors), 2, 3; everything mapped.
inline ports::ElevatorMap full_map() {
    using core::Floor;
    using core::FloorLabel;
    using core::Side;
    ports::ElevatorMap map;
    map.driver = "mailbox";
    map.unit = 1;
    map.floors = {Floor{FloorLabel{"B1"}, -1, {Side::front}},
                  Floor{FloorLabel{"1"}, 1, {Side::front, Side::rear}},
                  Floor{FloorLabel{"2"}, 2, {Side::front}},
                  Floor{FloorLabel{"3"}, 3, {Side::front}}};
    const std::map<std::int64_t, std::string> doors{
        {0, "closed"}, {1, "opening"}, {2, "open"}, {3, "closing"}};
    map.registers["command"] = at(RegisterTable::holding, 100);
    map.registers["ack"] = at(RegisterTable::holding, 110);
    map.registers["floor"] = at(RegisterTable::input, 0);
    map.registers["direction"] =
        at(RegisterTable::input, 1, {{0, "stopped"}, {1, "up"}, {2, "down"}});
    map.registers["door"] = at(RegisterTable::input, 2, doors);
    map.registers["door_rear"] = at(RegisterTable::input, 6, doors);
    map.registers["mode"] =
        at(RegisterTable::input,
           3,
           {{1, "normal"}, {2, "agv"}, {3, "fire"}, {4, "inspection"}, {5, "out_of_service"}});
    map.registers["fault"] = at(RegisterTable::input, 4);
    map.registers["target"] = at(RegisterTable::input, 5);
    map.registers["occupied"] = at(RegisterTable::discrete, 0);
    map.registers["door_blocked"] = at(RegisterTable::discrete, 1);
    map.registers["heartbeat"] = at(RegisterTable::holding, 120);
    map.registers["heartbeat"].period = std::chrono::seconds{2};
    map.codes["actions"] = {{"hall_call", 1},
                            {"car_call", 2},
                            {"open_door", 3},
                            {"close_door", 4},
                            {"hold_door", 5},
                            {"set_mode", 6}};
    map.codes["results"] = {{"accepted", 1}, {"refused", 2}, {"busy", 3}};
    map.codes["sides"] = {{"front", 0}, {"rear", 1}};
    return map;
}

}  // namespace liftwarden::sim::test
