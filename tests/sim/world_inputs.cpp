// What a script does to the world, input by input.
#include "tests/sim/world.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

using namespace std::chrono_literals;

void World::play(const Input& input) {
    trace("> " + describe(input));
    Site& at = sites_[input.elevator];
    switch (input.kind) {
        case Kind::publish:
            publish(input);
            break;
        case Kind::crash:
        case Kind::reboot:
        case Kind::crash_at:
        case Kind::terminate:
        case Kind::ledger_lost:
        case Kind::stall:
        case Kind::journal_slow:
        case Kind::journal_stuck:
        case Kind::journal_full:
            play_process(input);
            break;
        case Kind::write_fault:
        case Kind::reads_lost:
        case Kind::grant_closed:
        case Kind::link_cut:
        case Kind::slow_reads:
            play_bus(input, at);
            break;
        case Kind::plc_manner:
        case Kind::plc_restart:
        case Kind::plc_replaced:
        case Kind::mode:
        case Kind::fault:
        case Kind::occupied:
        case Kind::undecodable:
        case Kind::passenger:
        case Kind::door_held:
            play_plc(input, at);
            break;
        case Kind::broker_redelivers:
        case Kind::foreign_write:
        case Kind::claim:
        case Kind::wall_step:
        case Kind::operator_looks:
            play_others(input, at);
            break;
        case Kind::lock_outage:
        case Kind::lock_slow:
        case Kind::lock_stolen:
        case Kind::lock_forbidden:
        case Kind::lock_misconfigured:
        case Kind::lock_failover:
            play_locks(input, at);
            break;
    }
}

void World::play_process(const Input& input) {
    switch (input.kind) {
        case Kind::crash:
            die(false, input.lasts);
            break;
        case Kind::reboot:
            die(true, input.lasts);
            break;
        case Kind::crash_at:
            traps_.push_back({static_cast<Stage>(input.number), input.lasts});
            break;
        case Kind::terminate:
            post_soon(core::Stopping{});
            scheduler_.in(input.lasts, [this, generation = generation_] {
                if (generation == generation_) {
                    die(false, 200ms);
                }
            });
            break;
        case Kind::ledger_lost:
            if (gateway_) {
                die(false, input.lasts);
                journal_->lose(sites_.size());
                checker_.ledger_lost();
            }
            break;
        case Kind::stall:
            if (input.number == 1) {
                stall_at_write_ = input.lasts;
            } else {
                stall(input.lasts);
            }
            break;
        case Kind::journal_slow:
            journal_->set_slow(true);
            scheduler_.in(input.lasts, [this] { journal_->set_slow(false); });
            break;
        case Kind::journal_stuck:
            journal_->set_stuck(input.lasts);
            // A commit that takes longer than 2 s ends the process.
            scheduler_.in(std::min<core::Duration>(input.lasts, 2s),
                          [this, lasts = input.lasts, generation = generation_] {
                              journal_->set_stuck({});
                              if (lasts > 2s && generation == generation_) {
                                  die(false, 500ms);
                              }
                          });
            break;
        default:
            journal_full_ = true;
            post_soon(core::JournalPressure{false});
            scheduler_.in(input.lasts, [this] {
                journal_full_ = false;
                post_soon(core::JournalPressure{true});
            });
            break;
    }
}

void World::stall(core::Duration lasts) {
    scheduler_.stop_process_until(scheduler_.now() + lasts);
    checker_.stalled(scheduler_.now() + lasts);
}

void World::play_bus(const Input& input, Site& at) {
    BusModel* bus = at.bus.get();
    switch (input.kind) {
        case Kind::write_fault:
            bus->fail_next_write(static_cast<WriteFault>(input.number), input.lasts);
            break;
        case Kind::reads_lost:
            bus->lose_reads(input.number);
            break;
        case Kind::grant_closed:
            bus->close_next_grant();
            break;
        case Kind::link_cut:
            bus->set_cut(true);
            scheduler_.in(input.lasts, [bus] { bus->set_cut(false); });
            break;
        default:
            bus->set_slow(std::chrono::milliseconds{static_cast<std::int64_t>(input.number)});
            scheduler_.in(input.lasts, [bus] { bus->set_slow({}); });
            break;
    }
}

void World::play_plc(const Input& input, Site& at) {
    PlcModel* plc = at.plc.get();
    BusModel* bus = at.bus.get();
    switch (input.kind) {
        case Kind::plc_manner:
            plc->treat_next(static_cast<PlcManner>(input.number % plc_manners),
                            static_cast<int>(input.number / plc_manners));
            break;
        case Kind::plc_restart:
        case Kind::plc_replaced:
            plc->restart(input.kind == Kind::plc_replaced);
            checker_.plc_restarted(at.config->id);
            bus->set_cut(true);
            scheduler_.in(input.lasts, [bus] { bus->set_cut(false); });
            break;
        case Kind::mode:
            plc->set_mode(static_cast<core::ServiceMode>(input.number));
            scheduler_.in(input.lasts, [plc] { plc->set_mode(core::ServiceMode::agv); });
            break;
        case Kind::fault:
            plc->set_fault(static_cast<std::int64_t>(input.number));
            scheduler_.in(input.lasts, [plc] { plc->set_fault(std::nullopt); });
            break;
        case Kind::occupied:
            plc->set_occupied(true);
            scheduler_.in(input.lasts, [plc] { plc->set_occupied(false); });
            break;
        case Kind::undecodable:
            plc->set_undecodable(true);
            scheduler_.in(input.lasts, [plc] { plc->set_undecodable(false); });
            break;
        case Kind::passenger:
            plc->passenger_call(input.number % at.config->floors.size());
            break;
        default:
            plc->hold_door(true);
            scheduler_.in(input.lasts, [plc] { plc->hold_door(false); });
            break;
    }
}

void World::play_others(const Input& input, Site& at) {
    switch (input.kind) {
        case Kind::broker_redelivers:
            if (delivering_) {  // the connection was lost before the acknowledgement
                delivering_ = false;
                deliver_next();
            }
            break;
        case Kind::foreign_write:
            foreign_write(input, at);
            break;
        case Kind::claim:
            at.claimed = true;
            publish_claim();
            scheduler_.in(input.lasts, [this, &at] {
                at.claimed = false;
                publish_claim();
            });
            break;
        case Kind::wall_step: {
            constexpr core::Duration steps[] = {1h, -1h, 24h * 365, -24h * 365};
            wall_offset_ += steps[input.number % 4];
            break;
        }
        default:
            operator_looks(input.number);
            break;
    }
}

// The other gateway's status: all that it claims.
void World::publish_claim() {
    core::GatewayClaim claim{core::GatewayId{"gw-2"}, true, {}};
    for (const Site& it : sites_) {
        if (it.claimed) {
            claim.elevators.push_back(it.config->id);
        }
    }
    claim.online = !claim.elevators.empty();
    post_soon(std::move(claim));
}

// A second writer with a counter of its own, close to ours or anywhere.
void World::foreign_write(const Input& input, Site& at) {
    core::Content content;
    content.action = core::ActionKind::car_call;
    content.floor = at.config->floors[input.number % at.config->floors.size()].label;
    content.door = core::Side::front;
    const std::uint64_t ahead = 2 + (input.number / 4) * 300;
    const auto wire_seq = static_cast<std::uint16_t>(1 + (at.plc->echo() + ahead) % 65535);
    at.plc->write({content, core::WireSeq{wire_seq}}, "");
}

// Somebody looks at locked-out elevators and says what really happened. `manner` 0: without force;
// 7: does not know what became of a command that had no effect.
void World::operator_looks(std::uint64_t manner) {
    if (!gateway_) {
        return;
    }
    for (const core::ElevatorStatus& status : gateway_->status(scheduler_.now())) {
        if (status.lock_out == core::LockOut::none) {
            continue;
        }
        core::ResetRequested request;
        request.request = core::RequestId{++requests_};
        request.elevator = status.state.elevator;
        request.operator_name = "operator";
        request.force = manner != 0;
        const bool executed = checker_.doubt(request.elevator).value_or(false);
        request.took_effect = executed      ? core::TookEffect::yes
                              : manner == 7 ? core::TookEffect::unknown
                                            : core::TookEffect::no;
        post_soon(request);
    }
}

void World::calm_down() {
    trace("== calm");
    traps_.clear();
    stall_at_write_ = {};
    journal_->set_slow(false);
    journal_->set_stuck({});
    journal_full_ = false;
    post_soon(core::JournalPressure{true});
    for (Site& it : sites_) {
        it.bus->end_faults();
        it.plc->forget_manners();
        it.plc->set_mode(core::ServiceMode::agv);
        it.plc->set_fault(std::nullopt);
        it.plc->set_occupied(false);
        it.plc->set_undecodable(false);
        it.plc->hold_door(false);
        it.claimed = false;
    }
    publish_claim();
    calm_locks();
}

}  // namespace liftwarden::sim_test
