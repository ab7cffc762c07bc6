// Faults on request, as far as they concern the PLC and the car.
#include "drivers/sim/fields.hpp"
#include "drivers/sim/plc.hpp"

#include <array>
#include <optional>

namespace liftwarden::sim {

using core::ServiceMode;
using core::TimePoint;

namespace {

std::optional<ServiceMode> mode_from(const std::string& word) {
    constexpr std::array modes{ServiceMode::normal,
                               ServiceMode::agv,
                               ServiceMode::fire,
                               ServiceMode::emergency_power,
                               ServiceMode::seismic,
                               ServiceMode::inspection,
                               ServiceMode::manual,
                               ServiceMode::out_of_service};
    for (const ServiceMode mode : modes) {
        if (word == core::to_string(mode)) {
            return mode;
        }
    }
    return std::nullopt;
}

core::Error cannot(const Fault& fault, const std::string& why) {
    return {core::ErrorClass::permanent, "fault '" + fault.text + "': " + why};
}

}  // namespace

core::Result<void> Plc::apply(const Fault& fault, TimePoint now) {
    run(now);
    note(now, "fault_requested", {{"fault", fault.text}});
    switch (fault.kind) {
        case FaultKind::busy:
        case FaultKind::refuse:
            if (!code_of(config_.map, "results", to_string(fault.kind)) &&
                !code_of(config_.map, "results", "refused")) {
                return cannot(fault, "the map has no such result");
            }
            faults_.add(fault, now);
            return {};
        case FaultKind::foreign_write:
            return foreign_write(fault, now);
        case FaultKind::reboot:
            reboot(now);
            return {};
        case FaultKind::clear:
            faults_.clear();
            return {};
        case FaultKind::emergency_stop:
        case FaultKind::reset:
        case FaultKind::mode:
        case FaultKind::occupied:
        case FaultKind::door_blocked:
        case FaultKind::fault_code:
        case FaultKind::place:
            return apply_to_car(fault, now);
        case FaultKind::drop_link:
        case FaultKind::refuse_connections:
            return {};  // of the endpoint, not of this PLC
        default:
            faults_.add(fault, now);
            return {};
    }
}

core::Result<void> Plc::apply_to_car(const Fault& fault, TimePoint now) {
    switch (fault.kind) {
        case FaultKind::emergency_stop:
            car_.advance(now);
            car_.emergency_stop(now, "on request");
            return {};
        case FaultKind::reset:
            car_.reset(now);
            return {};
        case FaultKind::occupied:
            car_.set_occupied(fault.on);
            return {};
        case FaultKind::door_blocked:
            car_.advance(now);
            car_.set_door_blocked(fault.on);
            return {};
        case FaultKind::fault_code:
            car_.set_fault(now, fault.number);
            return {};
        case FaultKind::place:
            if (!car_.place(now, core::FloorLabel{fault.word})) {
                return cannot(fault, "there is no floor '" + fault.word + "'");
            }
            return {};
        default:
            break;
    }
    const auto mode = mode_from(fault.word);
    const ports::RegisterSpec* spec = find_register(config_.map, "mode");
    if (!mode || spec == nullptr || !number_of(*spec, fault.word)) {
        return cannot(fault, "the map has no mode '" + fault.word + "'");
    }
    car_.set_mode(now, *mode);
    return {};
}

core::Result<void> Plc::foreign_write(const Fault& fault, TimePoint now) {
    std::uint16_t next = static_cast<std::uint16_t>(input_.last() + 1U);
    next = next == 0 ? 1 : next;
    const auto block =
        encode(config_.map, fault.word, fault.argument, fault.wire_seq.value_or(next));
    if (!block) {
        return cannot(fault, block.error().text);
    }
    const ports::RegisterSpec& spec = *find_register(config_.map, "command");
    const std::array<std::uint16_t, command_block_size> words{
        block->action, block->argument, block->door, block->wire_seq};
    note(now, "foreign_write", {{"wire_seq", block->wire_seq}});
    const bool written = write(spec.table, spec.address, words, now);
    return written ? core::Result<void>{} : cannot(fault, "the command block is not writable");
}

}  // namespace liftwarden::sim
