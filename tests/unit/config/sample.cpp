#include "tests/unit/config/sample.hpp"

#include "drivers/mailbox/schema.hpp"

#include <stdexcept>

namespace liftwarden::config::test {

const std::string& sample() {
    static const std::string text = R"(gateway: {id: gw-01, site: dc-east}
mqtt:
  url: mqtts://broker.example:8883
buses:
  plc-a:
    type: tcp
    host: 10.0.0.5
elevators:
  EL001:
    bus: plc-a
    unit: 1
    driver: mailbox
    floors:
      B1: {value: 0}
      "1": {value: 1, doors: [front, rear]}
      "2": {value: 2}
    registers:
      command: holding:100
      ack: holding:110
      floor: input:0
      direction: {at: input:1, values: {0: stopped, 1: up, 2: down}}
      door:
        at: input:2
        values: {0: closed, 1: opening, 2: open, 3: closing}
      door_rear: {at: input:3, values: {0: closed, 1: opening, 2: open, 3: closing}}
      mode: {at: "holding:9", bits: 0..3, values: {1: normal, 2: agv, 3: fire}}
      fault: {at: input:5, none: 0}
      occupied: discrete:0
      heartbeat: {at: holding:120, period: 2s}
    actions: {hall_call: 1, car_call: 2, open_door: 3, close_door: 4, hold_door: 5, set_mode: 6}
    results: {1: accepted, 2: refused, 3: busy}
    sides: {front: 0, rear: 1}
)";
    return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) {
        throw std::logic_error("not in the sample: " + std::string(from));
    }
    return text.replace(at, from.size(), to);
}

std::string changed(std::string_view from, std::string_view to) {
    return replaced(sample(), from, to);
}

const Drivers& drivers() {
    static const Drivers all{&mailbox::schema()};
    return all;
}

Loaded load_sample(const std::string& text) {
    return load_text("a.yaml", text, drivers());
}

std::string all_texts(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        text += to_string(problem) + '\n';
    }
    return text;
}

}  // namespace liftwarden::config::test
