#pragma once

#include <liftwarden/ports/elevator_map.hpp>

#include <cstdint>
#include <string>

namespace liftwarden::test {

// The map of the configuration's example: every key, two sides at floor 1.
inline ports::ElevatorMap full_map() {
    using core::Side;
    using ports::RegisterTable;
    ports::ElevatorMap map;
    map.driver = "mailbox";
    map.unit = 3;
    map.floors = {{core::FloorLabel{"B1"}, 0, {Side::front}},
                  {core::FloorLabel{"1"}, 1, {Side::front, Side::rear}},
                  {core::FloorLabel{"2"}, 2, {Side::front}}};
    const auto at = [&map](const char* key, RegisterTable table, std::uint16_t address) {
        map.registers[key].table = table;
        map.registers[key].address = address;
    };
    at("command", RegisterTable::holding, 100);
    at("ack", RegisterTable::holding, 110);
    at("floor", RegisterTable::input, 0);
    at("direction", RegisterTable::input, 1);
    at("door", RegisterTable::input, 2);
    at("mode", RegisterTable::input, 3);
    at("fault", RegisterTable::input, 4);
    at("target", RegisterTable::input, 5);
    at("door_rear", RegisterTable::input, 6);
    at("occupied", RegisterTable::discrete, 0);
    at("door_blocked", RegisterTable::discrete, 1);
    at("heartbeat", RegisterTable::holding, 120);
    map.registers["direction"].values = {{0, "stopped"}, {1, "up"}, {2, "down"}};
    map.registers["door"].values = {{0, "closed"}, {1, "opening"}, {2, "open"}, {3, "closing"}};
    map.registers["door_rear"].values = map.registers["door"].values;
    map.registers["mode"].values = {
        {1, "normal"}, {2, "agv"}, {3, "fire"}, {4, "inspection"}, {5, "out_of_service"}};
    map.registers["fault"].none = 0;
    map.registers["target"].none = 255;
    map.registers["heartbeat"].period = std::chrono::seconds{3};
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

}  // namespace liftwarden::test
