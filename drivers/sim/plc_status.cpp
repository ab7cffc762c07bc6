// What the PLC shows in its status registers.
#include "drivers/sim/fields.hpp"
#include "drivers/sim/plc.hpp"

#include <boost/json/array.hpp>

namespace liftwarden::sim {

using core::TimePoint;

void Plc::publish_word(const char* name, const char* word) {
    const ports::RegisterSpec* spec = find_register(config_.map, name);
    if (spec == nullptr) {
        return;
    }
    // What the map has no number for reads as 0; apply() does not let that happen to modes.
    image_.put(*spec, number_of(*spec, word).value_or(0));
}

void Plc::publish_door(const char* name, core::Side side, TimePoint now) {
    const ports::RegisterSpec* spec = find_register(config_.map, name);
    if (spec == nullptr) {
        return;
    }
    if (const auto fault = faults_.on(FaultKind::door_code, now)) {
        image_.put(*spec, fault->number.value_or(0));
    } else {
        publish_word(name, core::to_string(car_.door(side)));
    }
}

void Plc::publish_floors() {
    if (const auto* spec = find_register(config_.map, "floor")) {
        image_.put(*spec, car_.floor().value);
    }
    if (const auto* spec = find_register(config_.map, "target")) {
        const core::Floor* target = car_.target();
        const std::int64_t nowhere = spec->none.value_or(car_.floor().value);
        image_.put(*spec, target != nullptr ? target->value : nowhere);
    }
}

void Plc::publish(TimePoint now) {
    publish_floors();
    publish_word("direction", core::to_string(car_.travel()));
    publish_door("door", core::Side::front, now);
    publish_door("door_rear", core::Side::rear, now);
    publish_word("mode", core::to_string(car_.mode()));
    if (const auto* spec = find_register(config_.map, "fault")) {
        image_.put(*spec, car_.fault().value_or(spec->none.value_or(0)));
    }
    const auto flag = [this](const char* name, bool set, const char* yes, const char* no) {
        if (const auto* spec = find_register(config_.map, name)) {
            image_.put(*spec, number_of(*spec, set ? yes : no).value_or(set ? 1 : 0));
        }
    };
    flag("occupied", car_.occupied(), "occupied", "free");
    flag("door_blocked", car_.door_blocked(), "blocked", "clear");

    ports::RegisterSpec ack = *find_register(config_.map, "ack");
    ack.bits.reset();
    image_.put(ack, shown_.echo);
    ++ack.address;
    image_.put(ack, shown_.result);
}

boost::json::object Plc::state(TimePoint now) {
    car_.advance(now);
    const core::Floor* target = car_.target();
    boost::json::object state{{"elevator", config_.id.str()},
                              {"floor", car_.floor().label.str()},
                              {"direction", core::to_string(car_.travel())},
                              {"front", core::to_string(car_.door(core::Side::front))},
                              {"rear", core::to_string(car_.door(core::Side::rear))},
                              {"mode", core::to_string(car_.mode())},
                              {"fault", nullptr},
                              {"target", nullptr},
                              {"occupied", car_.occupied()},
                              {"emergency_stop", car_.stopped()},
                              {"reversals", car_.reversals()},
                              {"echo", shown_.echo},
                              {"result", shown_.result},
                              {"heartbeat", heartbeat_}};
    if (car_.fault()) {
        state["fault"] = *car_.fault();
    }
    if (target != nullptr) {
        state["target"] = target->label.str();
    }
    boost::json::array faults;
    for (const std::string& line : faults_.describe(now)) {
        faults.emplace_back(line);
    }
    state["faults"] = std::move(faults);
    return state;
}

}  // namespace liftwarden::sim
