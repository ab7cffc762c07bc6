// The parts of a run that are people and machines around the gateway: nodes, broker, faults,
// operator.
#include "tests/sim/world.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::sim_test {

using core::ActionKind;
using namespace std::chrono_literals;

void World::plan_node(const core::SourceId& source) {
    scheduler_.in(rng_.between(50ms, 6s), [this, source] {
        if (calm_) {
            return;
        }
        node_acts(source);
        plan_node(source);
    });
}

core::Command World::random_command(const core::SourceId& source, const Site& at) {
    core::Command command;
    command.elevator = at.config.id;
    command.source = source;
    command.seq = core::Seq{std::to_string(++next_seq_)};
    const std::uint64_t kind = rng_.below(10);
    core::Content& content = command.content;
    if (kind < 6) {
        content.action = kind < 3 ? ActionKind::hall_call : ActionKind::car_call;
        content.floor = rng_.pick(at.config.floors).label;
    } else if (kind < 9) {
        content.action = kind == 6   ? ActionKind::open_door
                         : kind == 7 ? ActionKind::close_door
                                     : ActionKind::hold_door;
        content.door = core::Side::front;
        if (content.action == ActionKind::hold_door) {
            content.seconds = 5;
        }
    } else {
        content.action = ActionKind::release;
    }
    if (rng_.chance(0.5)) {
        command.task = "T" + std::to_string(rng_.below(3));
    }
    if (rng_.chance(0.2)) {
        command.wait = false;
    }
    command.ttl = rng_.chance(0.2) ? rng_.between(100ms, 2s) : rng_.between(5s, 120s);
    return command;
}

void World::node_acts(const core::SourceId& source) {
    const Site& at = *rng_.pick(sites_);
    if (!sent_.empty() && rng_.chance(0.15)) {
        core::Command again = rng_.pick(sent_).command;  // a repeat, or a conflict
        if (rng_.chance(0.2)) {
            again.source = source;
        }
        publish(again);
        return;
    }
    const core::Command command = random_command(source, at);
    sent_.push_back({command, false});
    publish(command);
    // Publishers repeat what is not answered within two seconds.
    scheduler_.in(2s, [this, seq = command.seq] {
        const auto it = std::find_if(
            sent_.begin(), sent_.end(), [&](const Sent& sent) { return sent.command.seq == seq; });
        if (!it->answered && !calm_) {
            publish(it->command);
        }
    });
}

void World::publish(const core::Command& command) {
    trace("node " + command.source.str() + " sends " + command.seq.str() + " " +
          core::describe(command.content) + " to " + command.elevator.str());
    broker_.push_back(command);
    deliver_next();
}

// One message at a time, the next only after the one before was settled; what was not settled when
// the process died comes again.
void World::deliver_next() {
    if (delivering_ || broker_.empty() || !gateway_) {
        return;
    }
    delivering_ = true;
    core::CommandReceived event;
    event.delivery = core::DeliveryId{++delivery_};
    event.command = broker_.front();
    event.received_at = scheduler_.now();
    checker_->sent(event.command, scheduler_.now() + event.command.ttl);
    journal_->look_up(std::move(event));
}

void World::plan_faults() {
    scheduler_.in(rng_.between(1s, 15s), [this] {
        if (calm_) {
            return;
        }
        one_fault(*rng_.pick(sites_));
        plan_faults();
    });
}

void World::one_fault(Site& at) {
    const core::Duration for_a_while = rng_.between(500ms, 15s);
    BusModel* bus = at.bus.get();
    PlcModel* plc = at.plc.get();
    switch (rng_.below(9)) {
        case 0:
            if (gateway_) {
                crash(false);
            }
            break;
        case 1:
            if (gateway_ && rng_.chance(0.3)) {
                crash(true);
            }
            break;
        case 2:
            trace("== link of " + at.config.id.str() + " cut");
            bus->set_cut(true);
            scheduler_.in(for_a_while, [bus] { bus->set_cut(false); });
            break;
        case 3:
            trace("== PLC of " + at.config.id.str() + " restarts");
            bus->set_cut(true);
            plc->restart();
            scheduler_.in(for_a_while, [bus] { bus->set_cut(false); });
            break;
        case 4:
            trace("== fire at " + at.config.id.str());
            plc->set_mode(core::ServiceMode::fire);
            scheduler_.in(for_a_while, [plc] { plc->set_mode(core::ServiceMode::agv); });
            break;
        case 5:
            plc->set_fault(7);
            scheduler_.in(for_a_while, [plc] { plc->set_fault(std::nullopt); });
            break;
        case 6:
            plc->set_occupied(true);
            scheduler_.in(2 * for_a_while, [plc] { plc->set_occupied(false); });
            break;
        case 7:
            journal_->set_slow(0.5);
            scheduler_.in(for_a_while, [this] { journal_->set_slow(0.01); });
            break;
        case 8:
            trace("== a foreign writer at " + at.config.id.str());
            if (rng_.chance(0.2)) {
                core::Content content;
                content.action = ActionKind::car_call;
                content.floor = at.config.floors.front().label;
                plc->write(
                    {content, core::WireSeq{static_cast<std::uint16_t>(1 + rng_.below(65000))}},
                    "");
            }
            break;
        default:
            break;
    }
}

// Every twenty seconds somebody looks at locked-out elevators and says what really happened.
void World::operator_looks() {
    if (gateway_) {
        for (const core::ElevatorStatus& status : gateway_->status(scheduler_.now())) {
            if (status.lock_out == core::LockOut::none) {
                continue;
            }
            const Site& at = site(status.state.elevator);
            core::ResetRequested request;
            request.request = core::RequestId{++requests_};
            request.elevator = at.config.id;
            request.operator_name = "operator";
            request.force = true;
            request.took_effect = core::TookEffect::no;
            if (const auto doubtful = checker_->in_doubt(at.config.id)) {
                const auto& done = at.plc->executed();
                const bool executed =
                    std::any_of(done.begin(), done.end(), [&](const Execution& it) {
                        return it.seq == *doubtful;
                    });
                request.took_effect = executed ? core::TookEffect::yes : core::TookEffect::no;
            }
            post(request);
        }
    }
    scheduler_.in(20s, [this] { operator_looks(); });
}

}  // namespace liftwarden::sim_test
