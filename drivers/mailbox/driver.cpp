#include "drivers/mailbox/driver.hpp"

#include "drivers/mailbox/codes.hpp"
#include "drivers/mailbox/decode.hpp"
#include "drivers/mailbox/encode.hpp"

#include <liftwarden/core/assert.hpp>

#include <utility>

namespace liftwarden::mailbox {
namespace {

core::WriteOutcome not_written(std::string why) {
    return {core::WriteOutcome::Kind::not_written, std::nullopt, std::move(why)};
}

}  // namespace

MailboxDriver::MailboxDriver(ports::ElevatorMap map)
    : map_(std::move(map)), plan_(plan_reads(map_)) {
    LIFTWARDEN_ASSERT(find_register(map_, "command") != nullptr);
    LIFTWARDEN_ASSERT(find_register(map_, "ack") != nullptr);
}

ports::BusResult<core::Reading> MailboxDriver::read(ports::RegisterBus& bus,
                                                    core::ReadKind kind,
                                                    const ports::Clock& clock) const {
    const bool full = kind == core::ReadKind::full;
    core::Reading reading;
    reading.at = clock.now();
    Snapshot snapshot;
    for (const ports::ReadRequest& request : full ? plan_.full : plan_.acknowledgement) {
        auto words = bus.read(request);
        if (!words) {
            return words.error();
        }
        // Read on two connections it would be two readings: the controller may have restarted.
        if (reading.link != 0 && reading.link != bus.link()) {
            return ports::BusFault{
                ports::BusFault::Kind::broken, 0, "the connection was made anew in mid-reading"};
        }
        reading.link = bus.link();
        snapshot.add(request, std::move(*words));
    }
    reading.ack = decode_ack(map_, snapshot);
    if (const ports::RegisterSpec* spec = find_register(map_, "heartbeat")) {
        reading.heartbeat = snapshot.at(spec->table, spec->address);
    }
    if (full) {
        reading.observation = decode_state(map_, snapshot);
    }
    return reading;
}

core::WriteOutcome MailboxDriver::write(ports::RegisterBus& bus,
                                        const core::WireCommand& command) const {
    const auto block = encode(map_, command);
    if (!block) {
        return not_written("the map cannot carry " + core::describe(command.content));
    }
    return bus.write(
        {map_.unit, 16, find_register(map_, "command")->address, {block->begin(), block->end()}});
}

core::WriteOutcome MailboxDriver::heartbeat(ports::RegisterBus& bus, std::uint16_t value) const {
    const ports::RegisterSpec* spec = find_register(map_, "heartbeat");
    if (spec == nullptr) {
        return not_written("the map has no heartbeat register");
    }
    return bus.write({map_.unit, spec->function.value_or(6), spec->address, {value}});
}

}  // namespace liftwarden::mailbox
