// Elevators at rest behind a bus worker, for tests of the worker on either kind of bus.
#pragma once

#include "drivers/mailbox/driver.hpp"
#include "drivers/modbus/bus_worker.hpp"
#include "drivers/modbus/make_bus.hpp"
#include "tests/support/modbus_peer.hpp"
#include "tests/support/wait.hpp"

#include <catch2/catch.hpp>
#include <time.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::test {

// Long enough for a busy machine to answer in.
constexpr auto response_timeout = 400ms;

class BootTime final : public ports::Clock {
  public:
    core::TimePoint now() const override {
        timespec time{};
        ::clock_gettime(CLOCK_BOOTTIME, &time);
        return core::TimePoint{std::chrono::seconds{time.tv_sec} +
                               std::chrono::nanoseconds{time.tv_nsec}};
    }
    core::WallTime wall() const override { return {}; }
    bool wall_is_synchronised() const override { return false; }
};

// Keeps every event with its time of arrival.
class Sink final : public ports::EventSink {
  public:
    void post(core::Event event) override {
        const std::lock_guard lock(mutex_);
        events_.push_back(std::move(event));
    }

    template <class T>
    std::vector<T> all(const std::string& elevator = {}) const {
        const std::lock_guard lock(mutex_);
        std::vector<T> found;
        for (const core::Event& event : events_) {
            const T* typed = std::get_if<T>(&event);
            if (typed != nullptr && (elevator.empty() || typed->elevator.str() == elevator)) {
                found.push_back(*typed);
            }
        }
        return found;
    }

    template <class T>
    std::optional<T> await(const std::string& elevator = {}) const {
        if (!wait_until([&] { return !all<T>(elevator).empty(); })) {
            return std::nullopt;
        }
        return all<T>(elevator).back();
    }

    void clear() {
        const std::lock_guard lock(mutex_);
        events_.clear();
    }

  private:
    mutable std::mutex mutex_;
    std::vector<core::Event> events_;
};

inline ports::ElevatorMap map_for(std::uint8_t unit) {
    using ports::RegisterSpec;
    using ports::RegisterTable;
    ports::ElevatorMap map;
    map.driver = "mailbox";
    map.unit = unit;
    map.floors = {{core::FloorLabel{"1"}, 1, {core::Side::front}},
                  {core::FloorLabel{"2"}, 2, {core::Side::front}}};
    const auto at = [&map](const char* key, std::uint16_t address) -> RegisterSpec& {
        RegisterSpec& spec = map.registers[key];
        spec.address = address;
        return spec;
    };
    at("command", 100);
    at("ack", 110);
    at("floor", 112);
    at("direction", 113).values = {{0, "stopped"}, {1, "up"}, {2, "down"}};
    at("door", 114).values = {{0, "closed"}, {1, "opening"}, {2, "open"}, {3, "closing"}};
    at("heartbeat", 120);
    map.codes["actions"] = {{"hall_call", 1}, {"car_call", 2}};
    map.codes["results"] = {{"accepted", 1}};
    return map;
}

inline std::string name(std::size_t unit) {
    return "EL" + std::to_string(unit);
}

inline core::ElevatorId id(std::size_t unit) {
    return core::ElevatorId{name(unit)};
}

inline void rest_at_floor_1(ModbusRegisters& registers) {
    for (const int address : {110, 111, 113, 114}) {
        registers.set('h', static_cast<std::uint16_t>(address), 0);
    }
    registers.set('h', 112, 1);
}

// Elevators EL1, EL2, ... as units 1, 2, ...
inline std::vector<modbus::BusUnit> units_of(std::size_t count, core::Duration poll) {
    std::vector<modbus::BusUnit> units;
    for (std::size_t unit = 1; unit <= count; ++unit) {
        units.push_back(
            {id(unit),
             std::make_unique<mailbox::MailboxDriver>(map_for(static_cast<std::uint8_t>(unit))),
             poll});
    }
    return units;
}

inline core::WriteCommand car_call(std::size_t unit,
                                   std::uint64_t number,
                                   core::TimePoint not_after) {
    core::WriteCommand write;
    write.elevator = id(unit);
    write.grant = core::GrantId{number};
    write.command.content.action = core::ActionKind::car_call;
    write.command.content.floor = core::FloorLabel{"2"};
    write.command.wire_seq = core::WireSeq{812};
    write.not_after = not_after;
    return write;
}

// A TCP peer on which every unit is a resting elevator at floor 1, and a worker on it.
struct Plant {
    explicit Plant(std::size_t units = 1,
                   ModbusPeer::Behaviour behaviour = ModbusPeer::well_behaved,
                   core::Duration poll = 20ms)
        : peer(std::move(behaviour)) {
        rest_at_floor_1(peer.registers());
        ports::BusSettings settings;
        settings.host = "127.0.0.1";
        settings.port = peer.port();
        settings.response_timeout = response_timeout;
        worker = std::make_unique<modbus::BusWorker>(
            core::BusId{"plc-a"}, modbus::make_bus(settings), units_of(units, poll), sink, clock);
    }

    core::GrantOpened grant(std::size_t unit, std::uint64_t number) {
        worker->request_grant({id(unit), core::GrantId{number}});
        const auto opened = sink.await<core::GrantOpened>(name(unit));
        REQUIRE(opened);
        REQUIRE(opened->grant == core::GrantId{number});
        return *opened;
    }

    core::WriteCommand call(std::size_t unit, std::uint64_t number) {
        return car_call(unit, number, clock.now() + 5s);
    }

    BootTime clock;
    Sink sink;
    ModbusPeer peer;
    std::unique_ptr<modbus::BusWorker> worker;
};

}  // namespace liftwarden::test
