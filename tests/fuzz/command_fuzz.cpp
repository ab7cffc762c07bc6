// A dispatch node's payload: whatever it holds, it becomes a valid command or a refusal with a
// reason; and what was understood can be said again and is understood as the same.
#include "src/wire/command_text.hpp"
#include "src/wire/presence_text.hpp"
#include "src/wire/result_text.hpp"
#include "tests/fuzz/check.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace liftwarden;
using fuzz::check;

core::ElevatorConfig elevator_with(bool two_sided) {
    using core::ActionKind;
    core::ElevatorConfig elevator;
    elevator.id = core::ElevatorId{"EL001"};
    elevator.floors = {{core::FloorLabel{"B1"}, 0, {core::Side::front}},
                       {core::FloorLabel{"1"}, 1, {core::Side::front}},
                       {core::FloorLabel{"2"}, 2, {core::Side::front}}};
    if (two_sided) {
        elevator.floors[1].doors = {core::Side::front, core::Side::rear};
    }
    elevator.actions = {ActionKind::hall_call,
                        ActionKind::car_call,
                        ActionKind::open_door,
                        ActionKind::close_door,
                        ActionKind::hold_door,
                        ActionKind::set_mode};
    elevator.directions = true;
    return elevator;
}

void check_command(const core::Command& command, const wire::CommandContext& context) {
    check(command.elevator == context.elevator.id, "a command is for the elevator of its topic");
    check(command.source == context.source, "a command is of the source of its topic");
    check(!command.seq.empty(), "a command has a seq");
    check(command.ttl <= wire::ttl_max, "no TTL is longer than the longest");
    check(!command.content.floor || context.elevator.find_floor(*command.content.floor) != nullptr,
          "a floor is on the map");
    check(!core::is_call(command.content.action) || command.content.floor, "a call has a floor");
    const bool fresh = command.ttl >= wire::ttl_min;
    if (!fresh) {
        return;  // it arrived nearly expired; it could not be sent again with so little
    }
    const wire::ParsedCommand again = parse_command(context, wire::render_command(command));
    const auto* same = std::get_if<core::Command>(&again.outcome);
    check(same != nullptr, "a command that was rendered is understood");
    check(same->content == command.content && same->seq == command.seq, "and as the same");
    check(same->task == command.task && same->ride == command.ride && same->lock == command.lock &&
              same->wait == command.wait && same->msg_id == command.msg_id,
          "with all that belongs to it");
}

void check_refusal(const wire::Refusal& refusal, const wire::CommandContext& context) {
    check(refusal.reason != core::Reason::none, "a refusal has a reason");
    check(!refusal.detail.empty() && refusal.detail.size() < 1024, "and a bounded sentence");
    const core::ResultMessage message = wire::to_result(
        refusal, context.elevator.id, context.source, core::ArbitrationMode::standalone, 1);
    const auto heard = wire::parse_result(wire::render_result(message, core::WallTime{}));
    check(heard.has_value() && heard->reason == refusal.reason, "which the sender can read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    static const core::ElevatorConfig elevators[] = {elevator_with(false), elevator_with(true)};
    static const wire::Topics topics("lift", "site");
    static const core::QueueLimits limits;
    const core::SourceId source{"node-a"};
    const unsigned options = data[0];
    // NOLINTNEXTLINE: bytes are characters here
    const std::string_view payload(reinterpret_cast<const char*>(data + 1), size - 1);
    wire::CommandContext context{
        elevators[options & 1U], source, limits, topics, false, {}, {}, {}, {}, false, {}};
    context.retained = (options & 2U) != 0;
    context.wall = core::WallTime{std::chrono::milliseconds{1'777'732'321'251}};
    context.wall_synchronised = (options & 4U) != 0;
    if ((options & 8U) != 0) {
        context.response_topic = std::string(payload.substr(0, payload.size() / 2));
        context.correlation = std::string(payload);
    }
    const wire::ParsedCommand parsed = wire::parse_command(context, payload);
    if (const auto* command = std::get_if<core::Command>(&parsed.outcome)) {
        check(!context.retained, "a retained message is never a command");
        check_command(*command, context);
    } else {
        check_refusal(std::get<wire::Refusal>(parsed.outcome), context);
    }
    // The other things that nodes and gateways say.
    (void)wire::parse_result(payload);
    (void)wire::parse_gateway_status(core::GatewayId{"gw-2"}, payload);
    (void)wire::parse_node_heartbeat(payload);
    return 0;
}
