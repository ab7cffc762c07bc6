#include "tests/sim/world.hpp"

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace liftwarden::sim_test {

using core::ActionKind;
using namespace std::chrono_literals;

namespace {

constexpr core::Duration busy_time = 120s;
constexpr core::Duration calm_time = 400s;

std::string floor_name(std::uint64_t i) {
    return std::to_string(i + 1);
}

}  // namespace

World::World(std::uint64_t seed, bool trace) : trace_(trace), rng_(seed) {
    build_config();
    checker_ = std::make_unique<Checker>(config_, scheduler_);
    journal_ = std::make_unique<JournalModel>(
        scheduler_,
        rng_,
        [this](core::Event event) { post(std::move(event)); },
        [&](const core::ResultMessage& message) {
            this->trace("   outbox " + message.seq->str() + " " + core::to_string(message.status) +
                        " " + core::to_string(message.reason));
            checker_->result(message);
        },
        [this](const core::CommandRow& row) { checker_->committed_row(row); });
    for (const core::ElevatorConfig& elevator : config_.elevators) {
        auto made = std::make_unique<Site>();
        made->config = elevator;
        made->plc = std::make_unique<PlcModel>(made->config, scheduler_, rng_);
        made->bus = std::make_unique<BusModel>(
            made->config, *made->plc, *checker_, scheduler_, rng_, [this](core::Event event) {
                post(std::move(event));
            });
        sites_.push_back(std::move(made));
    }
}

void World::build_config() {
    config_.id = core::GatewayId{"gw"};
    config_.site = "sim";
    config_.queue.depth = 8;
    config_.source_groups[core::SourceId{"node-c"}] = "pair";
    config_.source_groups[core::SourceId{"node-d"}] = "pair";
    const std::uint64_t elevators = 1 + rng_.below(2);
    for (std::uint64_t i = 0; i < elevators; ++i) {
        core::ElevatorConfig elevator;
        elevator.id = core::ElevatorId{"EL" + std::to_string(i + 1)};
        for (std::uint64_t f = 0; f < 4; ++f) {
            elevator.floors.push_back({core::FloorLabel{floor_name(f)},
                                       static_cast<std::int64_t>(f),
                                       {core::Side::front}});
        }
        elevator.actions = {ActionKind::hall_call,
                            ActionKind::car_call,
                            ActionKind::open_door,
                            ActionKind::close_door,
                            ActionKind::hold_door};
        elevator.maps_mode = true;
        elevator.maps_occupied = true;
        elevator.maps_heartbeat = rng_.chance(0.7);
        elevator.scan = rng_.chance(0.5) ? 200ms : 100ms;
        elevator.poll = 200ms;
        config_.elevators.push_back(std::move(elevator));
    }
}

World::Site& World::site(const core::ElevatorId& id) {
    return **std::find_if(
        sites_.begin(), sites_.end(), [&](const auto& it) { return it->config.id == id; });
}

void World::trace(const std::string& line) const {
    if (trace_) {
        std::printf("%10lld %s\n",
                    static_cast<long long>(core::to_ms(scheduler_.now().time_since_epoch())),
                    line.c_str());
    }
}

void World::start_gateway() {
    ++generation_;
    gateway_ =
        std::make_unique<core::Gateway>(config_, boot_id_, journal_->recover(), scheduler_.now());
    arm_timer();
    delivering_ = false;
    deliver_next();
}

void World::crash(bool reboot) {
    ++summary_.crashes;
    trace(reboot ? "== reboot" : "== crash");
    gateway_.reset();
    ++generation_;
    journal_->crash();
    checker_->restarted(reboot);
    for (const auto& it : sites_) {
        it->bus->crashed();
    }
    if (reboot) {
        boot_id_ = "boot-" + std::to_string(++boots_);
    }
    scheduler_.in(rng_.between(100ms, reboot ? core::Duration{60s} : core::Duration{3s}),
                  [this] { start_gateway(); });
}

void World::post(core::Event event) {
    if (!gateway_) {
        return;
    }
    core::Actions actions;
    gateway_->handle(scheduler_.now(), event, actions);
    execute(actions);
    arm_timer();
}

void World::arm_timer() {
    if (!gateway_) {
        return;
    }
    const auto next = gateway_->next_deadline();
    const std::uint64_t timer = ++timer_;
    if (!next) {
        return;
    }
    scheduler_.at(*next, [this, timer] {
        if (!gateway_ || timer != timer_) {
            return;
        }
        core::Actions actions;
        gateway_->on_time(scheduler_.now(), actions);
        execute(actions);
        arm_timer();
    });
}

void World::execute(const core::Actions& actions) {
    const std::uint64_t generation = generation_;
    for (const core::Action& action : actions) {
        if (generation != generation_) {
            return;
        }
        std::visit(
            [&](const auto& it) {
                using A = std::decay_t<decltype(it)>;
                if constexpr (std::is_same_v<A, core::Settle>) {
                    if (delivering_ && it.delivery.value() == delivery_) {
                        broker_.pop_front();
                        delivering_ = false;
                        scheduler_.in(1ms, [this] { deliver_next(); });
                    }
                } else if constexpr (std::is_same_v<A, core::Commit>) {
                    checker_->ordered_commit(it);
                    journal_->commit(it.ticket, it.writes, it.urgent);
                } else if constexpr (std::is_same_v<A, core::PublishResult>) {
                    trace("   result " + it.message.seq->str() + " " +
                          core::to_string(it.message.status) + " " +
                          core::to_string(it.message.reason));
                    checker_->result(it.message);
                    for (Sent& sent : sent_) {
                        sent.answered = sent.answered || sent.command.seq == *it.message.seq;
                    }
                } else if constexpr (std::is_same_v<A, core::RequestGrant>) {
                    site(it.elevator).bus->request_grant(it.grant);
                } else if constexpr (std::is_same_v<A, core::ReleaseGrant>) {
                    site(it.elevator).bus->release_grant(it.grant);
                } else if constexpr (std::is_same_v<A, core::WriteCommand>) {
                    trace("   write " + it.elevator.str() + " " +
                          core::describe(it.command.content) + " wire_seq " +
                          std::to_string(it.command.wire_seq.value()));
                    site(it.elevator).bus->write(it);
                } else if constexpr (std::is_same_v<A, core::RequestRead>) {
                    site(it.elevator).bus->read(it.kind);
                } else if constexpr (std::is_same_v<A, core::WriteHeartbeat>) {
                    site(it.elevator).bus->heartbeat(it.value);
                } else if constexpr (std::is_same_v<A, core::ResetLink>) {
                    site(it.elevator).bus->reset();
                } else if constexpr (std::is_same_v<A, core::PublishSession>) {
                    checker_->session(it.view, *site(it.view.elevator).plc);
                } else if constexpr (std::is_same_v<A, core::Raise>) {
                    trace("   alarm " + it.alarm.kind + ": " + it.alarm.detail);
                    summary_.lock_outs += it.alarm.kind == "lock_out" ? 1U : 0U;
                } else if constexpr (std::is_same_v<A, core::ControlReply>) {
                    trace(std::string("   reset: ") + it.text);
                }
            },
            action);
    }
}

RunSummary World::run() {
    start_gateway();
    for (const char* source : {"node-a", "node-b", "node-c", "node-d"}) {
        plan_node(core::SourceId{source});
    }
    plan_faults();
    scheduler_.in(20s, [this] { operator_looks(); });
    scheduler_.run_until(scheduler_.now() + busy_time);
    calm_ = true;
    for (const auto& it : sites_) {
        it->bus->set_cut(false);
        it->bus->set_manners({0, 0, 0, 0, 0, 0, 0, 0});
        it->plc->set_manners({0, 0, 0, 0});
        it->plc->set_mode(core::ServiceMode::agv);
        it->plc->set_fault(std::nullopt);
        it->plc->set_occupied(false);
    }
    journal_->set_slow(0);
    if (!gateway_) {
        scheduler_.run_until(scheduler_.now() + 61s);
    }
    scheduler_.run_until(scheduler_.now() + calm_time);
    std::vector<std::pair<core::ElevatorId, const PlcModel*>> plcs;
    for (const auto& it : sites_) {
        plcs.emplace_back(it->config.id, it->plc.get());
        summary_.executed += it->plc->executed().size();
    }
    checker_->finish(plcs);
    summary_.finals = checker_->finals();
    summary_.writes = checker_->writes();
    summary_.resends = checker_->resends();
    summary_.seen = checker_->seen();
    return summary_;
}

}  // namespace liftwarden::sim_test
