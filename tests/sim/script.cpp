#include "tests/sim/script.hpp"

#include "tests/sim/rng.hpp"

#include <algorithm>
#include <array>

namespace liftwarden::sim_test {

using core::ActionKind;
using namespace std::chrono_literals;

namespace {

core::ElevatorConfig make_elevator(Rng& rng, std::uint64_t index) {
    core::ElevatorConfig elevator;
    elevator.id = core::ElevatorId{"EL" + std::to_string(index + 1)};
    for (std::uint64_t f = 0; f < 4; ++f) {
        elevator.floors.push_back({core::FloorLabel{std::to_string(f + 1)},
                                   static_cast<std::int64_t>(f),
                                   {core::Side::front}});
    }
    elevator.actions = {ActionKind::hall_call,
                        ActionKind::car_call,
                        ActionKind::open_door,
                        ActionKind::close_door,
                        ActionKind::hold_door,
                        ActionKind::set_mode};
    elevator.maps_mode = true;
    elevator.maps_occupied = true;
    elevator.maps_heartbeat = rng.chance(0.7);
    elevator.scan = rng.chance(0.5) ? 200ms : 100ms;
    elevator.served_timeout = 40s;
    elevator.calls_while_moving =
        rng.chance(0.2) ? core::CallsWhileMoving::allow : core::CallsWhileMoving::hold;
    elevator.parks_open = rng.chance(0.1);
    elevator.require_agv_mode = rng.chance(0.2);
    if (rng.chance(0.6)) {  // everything that takes long happens within a run
        elevator.owner_grace = 4s;
        elevator.boarding_grace = 12s;
        elevator.unowned_open = 5s;
        elevator.ack_timeout = 1s;
    }
    return elevator;
}

// With times that let whole outages happen within a run.
core::LockRules make_lock(Rng& rng) {
    core::LockRules rules;
    rules.scheme = rng.chance(0.5)   ? core::LockScheme::redisson_fenced
                   : rng.chance(0.5) ? core::LockScheme::redisson
                                     : core::LockScheme::string;
    rules.verify = rng.chance(0.1) ? core::VerifyPolicy::observe : core::VerifyPolicy::required;
    rules.freshness = rng.chance(0.5) ? 60ms : 200ms;
    rules.takeover_after = 12s;
    rules.max_lease = 8s;
    return rules;
}

core::GatewayConfig make_config(Rng& rng) {
    core::GatewayConfig config;
    config.id = core::GatewayId{"gw"};
    config.site = "sim";
    config.queue.depth = rng.chance(0.3) ? 3 : 8;
    config.queue.repeat_window = rng.chance(0.5) ? 20s : core::Duration{10min};
    config.source_groups[core::SourceId{"node-c"}] = "pair";
    config.source_groups[core::SourceId{"node-d"}] = "pair";
    if (rng.chance(0.5)) {
        config.lock = make_lock(rng);
    }
    const std::uint64_t elevators = 1 + (rng.chance(0.3) ? 1U : 0U);
    for (std::uint64_t i = 0; i < elevators; ++i) {
        config.elevators.push_back(make_elevator(rng, i));
    }
    return config;
}

// Writes the list; one member function for each sort of trouble.
class Writer {
  public:
    Writer(Rng& rng, Script& script) : rng_(rng), script_(script) {}

    void nodes() {
        for (const char* source : {"node-a", "node-b", "node-c", "node-d"}) {
            core::Duration at = rng_.between(50ms, 6s);
            while (at < busy_time) {
                at = rng_.chance(0.3) ? trip(source, at) : single(source, at);
                at += rng_.between(50ms, 7s);
            }
        }
        repeats();
    }

    void troubles() {
        // Quiet runs reach deep states, wild ones strange combinations.
        const core::Duration longest = rng_.chance(0.3) ? 20s : rng_.chance(0.5) ? 6s : 2s;
        for (core::Duration at = rng_.between(1s, longest); at < busy_time;
             at += rng_.between(300ms, longest)) {
            trouble(at);
        }
        if (script_.config.lock) {
            lock_troubles();
        }
        for (core::Duration at = rng_.between(8s, 20s); at < busy_time;
             at += rng_.between(8s, 30s)) {
            add(at, Kind::operator_looks, any_elevator(), {}, rng_.below(8));
        }
    }

  private:
    std::size_t any_elevator() { return rng_.below(script_.config.elevators.size()); }

    Input& add(core::Duration at,
               Kind kind,
               std::size_t elevator,
               core::Duration lasts = {},
               std::uint64_t number = 0) {
        script_.inputs.push_back({at, kind, elevator, lasts, number, std::nullopt, std::nullopt});
        return script_.inputs.back();
    }

    core::Command command(const char* source, std::size_t elevator, ActionKind action) {
        core::Command made;
        made.elevator = script_.config.elevators[elevator].id;
        made.source = core::SourceId{source};
        made.seq = core::Seq{"s" + std::to_string(++last_seq_)};
        made.content.action = action;
        if (core::is_call(action)) {
            made.content.floor = rng_.pick(script_.config.elevators[elevator].floors).label;
            made.content.door = core::Side::front;
        } else if (core::is_door_command(action)) {
            made.content.door = core::Side::front;
            if (rng_.chance(0.2)) {
                made.content.floor = rng_.pick(script_.config.elevators[elevator].floors).label;
            }
        }
        if (action == ActionKind::hold_door) {
            made.content.seconds = 5;
        }
        if (action == ActionKind::set_mode) {
            made.content.mode =
                rng_.chance(0.7) ? core::OrderedMode::agv : core::OrderedMode::normal;
        }
        if (rng_.chance(0.15)) {
            made.wait = rng_.chance(0.2);
        }
        made.ttl = rng_.chance(0.15) ? rng_.between(100ms, 2s) : rng_.between(5s, 60s);
        return made;
    }

    void publish(core::Duration at, core::Command made) {
        const std::size_t elevator = made.elevator == script_.config.elevators[0].id ? 0 : 1;
        Input& input = add(at, Kind::publish, elevator);
        if (rng_.chance(0.2)) {
            input.expiry = made.ttl;
        }
        input.command = std::move(made);
    }

    core::Duration single(const char* source, core::Duration at) {
        constexpr std::array kinds{ActionKind::hall_call,
                                   ActionKind::hall_call,
                                   ActionKind::car_call,
                                   ActionKind::car_call,
                                   ActionKind::open_door,
                                   ActionKind::close_door,
                                   ActionKind::hold_door,
                                   ActionKind::release};
        core::Command made = command(
            source, any_elevator(), rng_.chance(0.03) ? ActionKind::set_mode : rng_.pick(kinds));
        if (rng_.chance(0.5)) {
            made.task = "T" + std::to_string(rng_.below(3));
        }
        publish(at, std::move(made));
        return at;
    }

    // One robot's journey, which may fall silent at any point.
    core::Duration trip(const char* source, core::Duration at) {
        const std::size_t elevator = any_elevator();
        const std::string task = "T" + std::to_string(rng_.below(3));
        const bool named = rng_.chance(0.8);
        for (const ActionKind action : {ActionKind::hall_call,
                                        ActionKind::hold_door,
                                        ActionKind::close_door,
                                        ActionKind::car_call,
                                        ActionKind::release}) {
            core::Command made = command(source, elevator, action);
            made.ttl = std::max<core::Duration>(made.ttl, 20s);
            made.content.floor =
                core::is_call(action) ? made.content.floor : std::optional<core::FloorLabel>{};
            if (named) {
                made.task = task;
            }
            publish(at, std::move(made));
            at += rng_.chance(0.3) ? rng_.between(50ms, 1s) : rng_.between(1s, 9s);
            if (rng_.chance(0.12) || at >= busy_time) {
                break;
            }
        }
        return at;
    }

    // Repeats, conflicts and questions, of messages old and new.
    void repeats() {
        const std::vector<Input> sent = script_.inputs;
        for (const Input& input : sent) {
            if (!rng_.chance(0.25)) {
                continue;
            }
            core::Command again = *input.command;
            core::Duration later = rng_.chance(0.5) ? rng_.between(0ms, 2s) : rng_.between(2s, 60s);
            const std::uint64_t what = rng_.below(10);
            if (what == 0) {
                again.source = core::SourceId{"node-b"};
            } else if (what == 1) {
                again.source = core::SourceId{again.source.str() == "node-c" ? "node-d" : "node-c"};
            } else if (what == 2 && again.content.floor) {
                again.content.floor = rng_.pick(script_.config.elevators[0].floors).label;
            } else if (what == 3) {
                again.content = {};  // a query
                later = rng_.between(0ms, 10s);
            }
            const std::uint64_t times = rng_.chance(0.05) ? 20 : 1;
            for (std::uint64_t i = 0; i < times; ++i) {
                publish(input.at + later, again);
            }
        }
    }

    void lock_troubles() {
        constexpr std::array kinds{Kind::lock_outage,
                                   Kind::lock_outage,
                                   Kind::lock_slow,
                                   Kind::lock_stolen,
                                   Kind::lock_stolen,
                                   Kind::lock_forbidden,
                                   Kind::lock_misconfigured,
                                   Kind::lock_failover};
        for (core::Duration at = rng_.between(1s, 20s); at < busy_time;
             at += rng_.between(500ms, 15s)) {
            const Kind kind = rng_.pick(kinds);
            const core::Duration lasts = rng_.between(500ms, kind == Kind::lock_outage ? 30s : 8s);
            add(at, kind, any_elevator(), lasts, 10 + rng_.below(150));
        }
    }

    void trouble(core::Duration at) {
        const std::size_t elevator = any_elevator();
        const core::Duration a_while = rng_.between(300ms, 12s);
        constexpr std::array modes{core::ServiceMode::normal,
                                   core::ServiceMode::fire,
                                   core::ServiceMode::emergency_power,
                                   core::ServiceMode::seismic,
                                   core::ServiceMode::inspection,
                                   core::ServiceMode::manual,
                                   core::ServiceMode::out_of_service,
                                   core::ServiceMode::unknown};
        switch (rng_.below(40)) {
            case 0:
            case 1:
                add(at, Kind::crash, elevator, rng_.between(50ms, 3s));
                break;
            case 2:
                add(at, Kind::reboot, elevator, rng_.between(5s, 30s));
                break;
            case 3:
            case 4:
            case 5:
            case 6:
                add(at, Kind::crash_at, elevator, rng_.between(50ms, 3s), rng_.below(stages));
                break;
            case 7:
                add(at, Kind::terminate, elevator, rng_.between(50ms, 2s));
                break;
            case 8:
                if (rng_.chance(0.1)) {
                    add(at, Kind::ledger_lost, elevator, rng_.between(50ms, 2s));
                }
                break;
            case 9:
            case 10:
                // 1: between the next order to write and the write.
                add(at,
                    Kind::stall,
                    elevator,
                    rng_.between(20ms, rng_.chance(0.3) ? 10s : 1s),
                    rng_.below(2));
                break;
            case 11:
            case 12:
            case 13:
            case 14:
            case 15:
            case 16:
            case 17:
                add(at,
                    Kind::write_fault,
                    elevator,
                    rng_.between(50ms, 4s),
                    rng_.below(write_faults));
                break;
            case 18:
                add(at, Kind::reads_lost, elevator, {}, 1 + rng_.below(8));
                break;
            case 19:
                add(at, Kind::grant_closed, elevator);
                break;
            case 20:
                add(at, Kind::link_cut, elevator, a_while);
                break;
            case 21:
                add(at, Kind::slow_reads, elevator, a_while, 200 + rng_.below(1500));
                break;
            case 22:
            case 23:
            case 24:
            case 25:
                add(at,
                    Kind::plc_manner,
                    elevator,
                    {},
                    rng_.below(plc_manners) + plc_manners * rng_.below(30));
                break;
            case 26:
                add(at, Kind::plc_restart, elevator, rng_.between(100ms, 5s));
                break;
            case 27:
                add(at, Kind::plc_replaced, elevator, rng_.between(1s, 10s));
                break;
            case 28:
            case 29:
                add(at,
                    Kind::mode,
                    elevator,
                    a_while,
                    static_cast<std::uint64_t>(rng_.pick(modes)));
                break;
            case 30:
                add(at, Kind::fault, elevator, a_while, 7);
                break;
            case 31:
                add(at, Kind::occupied, elevator, 2 * a_while);
                break;
            case 32:
                add(at, Kind::undecodable, elevator, a_while);
                break;
            case 33:
                add(at, Kind::passenger, elevator, {}, rng_.below(4));
                break;
            case 34:
                add(at, Kind::door_held, elevator, a_while);
                break;
            case 35:
                add(at,
                    rng_.chance(0.5) ? Kind::foreign_write : Kind::passenger,
                    elevator,
                    {},
                    rng_.below(4) + 4 * rng_.below(100));
                break;
            case 36:
                if (rng_.chance(0.5)) {
                    add(at, Kind::claim, elevator, a_while);
                }
                break;
            case 37:
                add(at, Kind::journal_slow, elevator, a_while);
                break;
            case 38:
                add(at,
                    rng_.chance(0.5) ? Kind::journal_stuck : Kind::journal_full,
                    elevator,
                    a_while);
                break;
            default:
                add(at,
                    rng_.chance(0.5) ? Kind::wall_step : Kind::broker_redelivers,
                    elevator,
                    {},
                    rng_.below(4));
                break;
        }
    }

    Rng& rng_;
    Script& script_;
    std::uint64_t last_seq_ = 0;
};

}  // namespace

Script make_script(std::uint64_t seed) {
    Rng rng(seed);
    Script script;
    script.seed = seed;
    script.config = make_config(rng);
    script.issued_at = rng.chance(0.4);
    script.wall_synchronised = rng.chance(0.5);
    Writer writer(rng, script);
    writer.nodes();
    writer.troubles();
    std::stable_sort(script.inputs.begin(),
                     script.inputs.end(),
                     [](const Input& a, const Input& b) { return a.at < b.at; });
    return script;
}

std::string describe(const Input& input) {
    constexpr std::array words{"publish",        "broker redelivers",
                               "crash",          "reboot",
                               "crash at",       "terminate",
                               "ledger lost",    "stall",
                               "write fault",    "reads lost",
                               "grant closed",   "link cut",
                               "slow reads",     "plc manner",
                               "plc restart",    "plc replaced",
                               "mode",           "fault",
                               "occupied",       "undecodable",
                               "passenger",      "door held",
                               "foreign write",  "claim",
                               "journal slow",   "journal stuck",
                               "journal full",   "wall step",
                               "operator looks", "lock outage",
                               "lock slow",      "lock stolen",
                               "lock forbidden", "lock misconfigured",
                               "lock failover"};
    constexpr std::array stage_words{"accepted_durable",
                                     "intent_durable",
                                     "write_ordered",
                                     "written",
                                     "outcome_ordered",
                                     "outcome_durable"};
    constexpr std::array fault_words{"lost", "reply_lost", "late", "refused", "busy", "too_late"};
    constexpr std::array manner_words{"refuses", "busy", "odd_result", "slow"};
    std::string text = words[static_cast<std::size_t>(input.kind)];
    if (input.command) {
        const core::Command& command = *input.command;
        return text + " " + command.elevator.str() + " " + command.source.str() + " " +
               command.seq.str() + " " + core::describe(command.content) +
               (command.task ? " task " + *command.task : "") + " ttl " +
               std::to_string(core::to_ms(command.ttl)) + " ms" +
               (command.wait ? (*command.wait ? " wait" : " no wait") : "") +
               (input.expiry ? " with expiry" : "");
    }
    if (input.kind == Kind::crash_at) {
        text += std::string(" ") + stage_words[input.number];
    } else if (input.kind == Kind::write_fault) {
        text += std::string(" ") + fault_words[input.number];
    } else if (input.kind == Kind::plc_manner) {
        text += std::string(" ") + manner_words[input.number % plc_manners];
    } else if (input.kind == Kind::mode) {
        text += std::string(" ") + core::to_string(static_cast<core::ServiceMode>(input.number));
    } else if (input.number != 0) {
        text += " " + std::to_string(input.number);
    }
    text += " at EL" + std::to_string(input.elevator + 1);
    return input.lasts > core::Duration{}
               ? text + " for " + std::to_string(core::to_ms(input.lasts)) + " ms"
               : text;
}

}  // namespace liftwarden::sim_test
