#include "drivers/sim/plc.hpp"

#include "drivers/sim/fields.hpp"

#include <liftwarden/core/assert.hpp>

#include <utility>

namespace liftwarden::sim {

using core::TimePoint;
using ports::RegisterTable;

namespace {

PlcConfig with_floors(PlcConfig config) {
    config.car.floors = config.map.floors;
    return config;
}

}  // namespace

Plc::Plc(PlcConfig config, TimePoint start)
    : config_(with_floors(std::move(config))),
      image_(config_.map),
      input_(config_.input, config_.protect),
      car_(config_.car),
      next_scan_(start) {
    LIFTWARDEN_ASSERT(find_register(config_.map, "command") != nullptr);
    LIFTWARDEN_ASSERT(find_register(config_.map, "ack") != nullptr);
    scan(start);
    next_scan_ = start + config_.scan;
}

void Plc::run(TimePoint now) {
    if (now < next_scan_) {
        return;
    }
    scan(now);
    if (config_.scan == core::Duration{}) {
        return;
    }
    const auto missed = (now - next_scan_) / config_.scan;
    next_scan_ += (missed + 1) * config_.scan;
}

std::optional<TimePoint> Plc::deadline() {
    if (config_.scan != core::Duration{}) {
        return next_scan_;
    }
    std::optional<TimePoint> next = car_.deadline();
    const auto earlier = [&next](TimePoint candidate) {
        next = next ? std::min(*next, candidate) : candidate;
    };
    if (late_) {
        earlier(late_->due);
    }
    if (const auto* spec = find_register(config_.map, "heartbeat"); spec && heartbeat_alive_) {
        earlier(heartbeat_at_ + 3 * spec->period.value_or(std::chrono::seconds{2}));
    }
    return next;
}

void Plc::scan(TimePoint now) {
    car_.set_stuck(now, faults_.on(FaultKind::stuck_door, now).has_value());
    car_.advance(now);
    take_command(now);
    show_late_answer(now);
    supervise_heartbeat(now);
    publish(now);
    collect_car_notes();
}

std::optional<std::vector<std::uint16_t>> Plc::read(RegisterTable table,
                                                    std::uint16_t address,
                                                    std::uint16_t count) const {
    return image_.read(table, address, count);
}

bool Plc::write(RegisterTable table,
                std::uint16_t address,
                std::span<const std::uint16_t> values,
                TimePoint now) {
    if (!image_.write(table, address, values)) {
        return false;
    }
    if (is_command(table, address, static_cast<std::uint16_t>(values.size()))) {
        const CommandBlock written = block();
        const bool kept = input_.written(written);
        note(now,
             "mailbox_write",
             {{"action", written.action},
              {"argument", written.argument},
              {"door", written.door},
              {"wire_seq", written.wire_seq},
              {"kept", kept}});
    }
    return true;
}

bool Plc::is_command(RegisterTable table, std::uint16_t address, std::uint16_t count) const {
    const ports::RegisterSpec& spec = *find_register(config_.map, "command");
    const unsigned trigger = spec.address + command_block_size - 1U;
    return table == spec.table && address <= trigger &&
           trigger < static_cast<unsigned>(address) + count;
}

CommandBlock Plc::block() const {
    const ports::RegisterSpec& spec = *find_register(config_.map, "command");
    const auto words = image_.read(spec.table, spec.address, command_block_size);
    LIFTWARDEN_ASSERT(words.has_value());
    return {(*words)[0], (*words)[1], (*words)[2], (*words)[3]};
}

void Plc::supervise_heartbeat(TimePoint now) {
    const ports::RegisterSpec* spec = find_register(config_.map, "heartbeat");
    if (spec == nullptr) {
        return;
    }
    const std::uint16_t value = image_.get(spec->table, spec->address);
    if (value != heartbeat_) {
        heartbeat_ = value;
        heartbeat_at_ = now;
        heartbeat_alive_ = true;
        return;
    }
    const core::Duration limit = 3 * spec->period.value_or(std::chrono::seconds{2});
    if (heartbeat_alive_ && now - heartbeat_at_ >= limit) {
        heartbeat_alive_ = false;
        note(now, "heartbeat_lost", {{"value", value}});
        if (car_.mode() == core::ServiceMode::agv) {
            car_.set_mode(now, core::ServiceMode::normal);
        }
    }
}

void Plc::reboot(TimePoint now) {
    image_.clear();
    input_.power_up(0);
    shown_ = last_answer_ = {};
    late_.reset();
    heartbeat_ = 0;
    heartbeat_alive_ = false;
    car_.forget_calls();
    note(now, "reboot");
    car_.set_mode(now, core::ServiceMode::normal);
    collect_car_notes();
}

void Plc::collect_car_notes() {
    for (Note& each : car_.drain()) {
        note(each.at, std::move(each.what), std::move(each.data));
    }
}

void Plc::note(TimePoint now, std::string what, boost::json::object data) {
    data["elevator"] = config_.id.str();
    notes_.push_back({now, std::move(what), std::move(data)});
}

Notes Plc::drain() {
    collect_car_notes();
    return std::exchange(notes_, {});
}

}  // namespace liftwarden::sim
