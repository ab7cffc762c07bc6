#include "tests/sim/world.hpp"

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <utility>

namespace liftwarden::sim_test {

using namespace std::chrono_literals;

World::World(const Script& script, bool trace)
    : script_(&script), trace_(trace), checker_(script.config, scheduler_) {
    const auto poster = [this](core::Event event) { post(std::move(event)); };
    const auto reaches = [this](Stage stage) { return reached(stage); };
    std::uint64_t place = 0;
    journal_ = std::make_unique<JournalModel>(
        checker_,
        scheduler_,
        Jitter(script.seed, place++),
        poster,
        [this](const core::ResultMessage& message) {
            answered_.insert(message.seq->str());
            this->trace("   outbox " + message.seq->str() + " " + core::to_string(message.status) +
                        " " + core::to_string(message.reason) + " " + message.detail);
        },
        reaches);
    for (const core::ElevatorConfig& elevator : script.config.elevators) {
        Site made;
        made.config = &elevator;
        made.plc = std::make_unique<PlcModel>(
            elevator,
            scheduler_,
            Jitter(script.seed, place++),
            [this, id = elevator.id](const Execution& execution) {
                this->trace("   " + id.str() + " executes " + execution.seq + " " +
                            core::describe(execution.command.content));
                ++summary_.seen["executed"];
                checker_.executed(id, execution);
            });
        made.bus = std::make_unique<BusModel>(elevator,
                                              *made.plc,
                                              checker_,
                                              scheduler_,
                                              Jitter(script.seed, place++),
                                              poster,
                                              reaches);
        if (script.config.lock) {
            made.lock.emplace(script.config.lock->scheme);
        }
        sites_.push_back(std::move(made));
    }
}

World::Site& World::site(const core::ElevatorId& id) {
    return *std::find_if(
        sites_.begin(), sites_.end(), [&](const Site& it) { return it.config->id == id; });
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
    trace("== start");
    const std::string boot = "boot-" + std::to_string(boots_);
    const core::Recovered recovered = journal_->recover();
    checker_.started(boot);
    gateway_ = std::make_unique<core::Gateway>(script_->config, boot, recovered, scheduler_.now());
    started_ = scheduler_.now();
    for (Site& it : sites_) {
        it.bus->started();
    }
    publish_claim();
    if (journal_full_) {
        post_soon(core::JournalPressure{false});
    }
    probe_locks();
    arm_timer();
    delivering_ = false;
    deliver_next();
}

void World::die(bool reboot, core::Duration down) {
    if (!gateway_) {
        return;
    }
    ++summary_.seen[reboot ? "reboots" : "crashes"];
    trace(reboot ? "== reboot" : "== crash");
    gateway_.reset();
    ++generation_;
    died_ = scheduler_.now();
    journal_->crash();
    checker_.died();
    for (Site& it : sites_) {
        it.bus->crashed();
    }
    boots_ += reboot ? 1 : 0;
    scheduler_.in(down, [this] { start_gateway(); });
}

bool World::reached(Stage stage) {
    const auto trap = std::find_if(
        traps_.begin(), traps_.end(), [&](const Trap& it) { return it.stage == stage; });
    if (trap == traps_.end() || !gateway_) {
        return false;
    }
    const core::Duration down = trap->down;
    traps_.erase(trap);
    ++summary_.seen["traps"];
    die(false, down);
    return true;
}

void World::post(core::Event event) {
    if (!gateway_) {
        return;
    }
    checker_.posted(event);
    core::Actions actions;
    gateway_->handle(scheduler_.now(), event, actions);
    execute(actions);
    arm_timer();
}

// From outside the process's own workers: it arrives when the process runs.
void World::post_soon(core::Event event) {
    scheduler_.in_process(1ms, [this, event = std::move(event), generation = generation_] {
        if (generation == generation_) {
            post(event);
        }
    });
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
    scheduler_.at_in_process(*next, [this, timer] {
        if (!gateway_ || timer != timer_) {
            return;
        }
        core::Actions actions;
        gateway_->on_time(scheduler_.now(), actions);
        execute(actions);
        arm_timer();
    });
}

// All of a turn is judged before any of it has effect.
void World::execute(const core::Actions& actions) {
    for (const core::Action& action : actions) {
        note(action);
        checker_.acted(action);
    }
    checker_.turn_over();
    const std::uint64_t generation = generation_;
    for (const core::Action& action : actions) {
        if (generation != generation_) {
            return;
        }
        act(action);
    }
}

// For the comparison of two runs: what was done when, without the texts.
void World::note(const core::Action& action) {
    const auto mix = [this](std::uint64_t value) {
        summary_.actions = (summary_.actions ^ value) * 0x100000001B3U;  // FNV-1a, by words
    };
    mix(action.index());
    mix(static_cast<std::uint64_t>(scheduler_.now().time_since_epoch().count()));
    if (const auto* result = std::get_if<core::PublishResult>(&action)) {
        mix(static_cast<std::uint64_t>(result->message.status));
        mix(static_cast<std::uint64_t>(result->message.reason));
    }
}

void World::act(const core::Action& action) {
    std::visit(
        [&](const auto& it) {
            using A = std::decay_t<decltype(it)>;
            if constexpr (std::is_same_v<A, core::Settle>) {
                if (delivering_ && it.delivery.value() == delivery_) {
                    broker_.pop_front();
                    delivering_ = false;
                    deliver_next();
                }
            } else if constexpr (std::is_same_v<A, core::Commit>) {
                const bool outcome =
                    std::any_of(it.writes.begin(), it.writes.end(), [](const auto& write) {
                        const auto* row = std::get_if<core::CommandRow>(&write);
                        return row != nullptr && row->wire_seq && core::is_final(row->status);
                    });
                if (outcome && reached(Stage::outcome_ordered)) {
                    return;
                }
                journal_->commit(it.ticket, it.writes, it.urgent);
            } else if constexpr (std::is_same_v<A, core::PublishResult>) {
                trace("   result " + it.message.seq->str() + " " +
                      core::to_string(it.message.status) + " " +
                      core::to_string(it.message.reason));
                answered_.insert(it.message.seq->str());
            } else if constexpr (std::is_same_v<A, core::RequestGrant>) {
                site(it.elevator).bus->request_grant(it.grant);
            } else if constexpr (std::is_same_v<A, core::ReleaseGrant>) {
                site(it.elevator).bus->release_grant(it.grant);
            } else if constexpr (std::is_same_v<A, core::CheckLock>) {
                check_lock(it);
            } else if constexpr (std::is_same_v<A, core::HoldLock> ||
                                 std::is_same_v<A, core::ReturnLock>) {
                answer_in(3ms, site(it.elevator).lock->answer(scheduler_.now(), it));
            } else if constexpr (std::is_same_v<A, core::WriteCommand>) {
                trace("   write " + it.elevator.str() + " " + core::describe(it.command.content) +
                      " wire_seq " + std::to_string(it.command.wire_seq.value()));
                site(it.elevator).bus->write(it);
                if (stall_at_write_ > core::Duration{}) {
                    stall(std::exchange(stall_at_write_, {}));
                }
            } else if constexpr (std::is_same_v<A, core::RequestRead>) {
                site(it.elevator).bus->read(it.kind);
            } else if constexpr (std::is_same_v<A, core::WriteHeartbeat>) {
                site(it.elevator).bus->heartbeat(it.value);
            } else if constexpr (std::is_same_v<A, core::ResetLink>) {
                site(it.elevator).bus->reset();
            } else if constexpr (std::is_same_v<A, core::PublishSession>) {
                trace("   owner " + it.view.elevator.str() + " " + core::to_string(it.view.mode) +
                      "/" + std::to_string(it.view.epoch) + " " +
                      (it.view.owner ? core::describe(*it.view.owner) : "-") + ", queue " +
                      std::to_string(it.view.queue.size()));
            } else if constexpr (std::is_same_v<A, core::PublishState>) {
                trace("   state " + it.view.elevator.str() + " " + core::to_string(it.view.phase) +
                      " " + core::to_string(it.view.channel) + " " +
                      core::to_string(it.view.quality));
            } else if constexpr (std::is_same_v<A, core::Raise>) {
                trace("   alarm " + it.alarm.kind + ": " + it.alarm.detail);
            } else if constexpr (std::is_same_v<A, core::ControlReply>) {
                trace("   reset: " + it.text);
            }
        },
        action);
}

RunSummary World::run() {
    constexpr core::Duration calm_max = 600s;
    const core::TimePoint begin = scheduler_.now();
    start_gateway();
    for (const Input& input : script_->inputs) {
        scheduler_.at(begin + input.at, [this, &input] { play(input); });
    }
    scheduler_.run_until(begin + busy_time);
    calm_ = true;
    calm_down();
    const core::TimePoint end = scheduler_.now() + calm_max;
    scheduler_.run_until(scheduler_.now() + 8s);
    while (scheduler_.now() < end && !(gateway_ && broker_.empty() && checker_.all_ended())) {
        operator_looks(1);
        scheduler_.run_until(scheduler_.now() + 4s);
    }
    if (!broker_.empty()) {
        throw Violation(
            "law 12",
            ": " + broker_.front().command.seq.str() + " was never settled with the broker");
    }
    checker_.finish();
    for (const auto& [word, count] : checker_.seen()) {
        summary_.seen[word] += count;
    }
    return summary_;
}

}  // namespace liftwarden::sim_test
