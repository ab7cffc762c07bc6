#include "src/core/elevator.hpp"

#include <liftwarden/core/assert.hpp>
#include <liftwarden/core/gateway.hpp>

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace liftwarden::core {

struct Gateway::Impl {
    GatewayConfig config;
    std::string boot_id;
    Numbers numbers;
    std::optional<LockWatch> watch;  // if a lock service is configured
    std::optional<Health> reported_health;
    std::vector<std::unique_ptr<Elevator>> elevators;
    std::unordered_map<ElevatorId, Elevator*> by_id;
    std::unordered_map<std::uint64_t, Elevator*> by_ticket;
    Actions at_start;  // from the recovery, handed out with the first call
    TimePoint last_now{};

    Elevator* find(const ElevatorId& id) const {
        const auto found = by_id.find(id);
        return found == by_id.end() ? nullptr : found->second;
    }

    // Calls one elevator and remembers which commits it waits for.
    template <class Call>
    void with(Elevator* elevator, TimePoint now, Actions& out, Call call) {
        if (elevator == nullptr) {
            return;  // an elevator that this configuration no longer has
        }
        const std::size_t before = out.size();
        Turn turn{now, out};
        call(*elevator, turn);
        for (std::size_t i = before; i < out.size(); ++i) {
            if (const auto* commit = std::get_if<Commit>(&out[i])) {
                by_ticket.emplace(commit->ticket.value(), elevator);
            }
        }
    }

    template <class Call>
    void with_all(TimePoint now, Actions& out, Call call) {
        for (const auto& elevator : elevators) {
            with(elevator.get(), now, out, call);
        }
    }

    void begin(TimePoint now, Actions& out) {
        LIFTWARDEN_ASSERT(now >= last_now);
        last_now = now;
        if (watch) {
            watch->tick(now);
        }
        std::move(at_start.begin(), at_start.end(), std::back_inserter(out));
        at_start.clear();
    }

    void handle(TimePoint now, const Event& event, Actions& out);
    void probed(TimePoint now, const LockProbed& probe, Actions& out);
};

void Gateway::Impl::probed(TimePoint now, const LockProbed& probe, Actions& out) {
    if (!watch) {
        return;
    }
    watch->probed(probe, now);
    if (watch->health() != reported_health) {
        reported_health = watch->health();
        Alarm alarm;
        alarm.kind = std::string("lock_service_") + to_string(watch->health());
        alarm.alarm = watch->health() != Health::usable;
        alarm.detail = watch->detail();
        out.push_back(Raise{std::move(alarm)});
    }
    with_all(now, out, [](Elevator& e, Turn& turn) { e.on_time(turn); });
}

void Gateway::Impl::handle(TimePoint now, const Event& event, Actions& out) {
    const auto on = [&](const ElevatorId& id, auto call) { with(find(id), now, out, call); };
    std::visit(
        [&](const auto& it) {
            using E = std::decay_t<decltype(it)>;
            if constexpr (std::is_same_v<E, CommandReceived>) {
                if (find(it.command.elevator) == nullptr) {
                    out.push_back(Settle{it.delivery});
                }
                on(it.command.elevator, [&](Elevator& e, Turn& turn) { e.receive(it, turn); });
            } else if constexpr (std::is_same_v<E, Committed>) {
                const auto found = by_ticket.find(it.ticket.value());
                if (found == by_ticket.end()) {
                    return;
                }
                Elevator* elevator = found->second;
                by_ticket.erase(found);
                with(elevator, now, out, [&](Elevator& e, Turn& t) { e.committed(it.ticket, t); });
            } else if constexpr (std::is_same_v<E, Observed>) {
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.observed(it.reading, turn); });
            } else if constexpr (std::is_same_v<E, ReadFailed>) {
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.read_failed(it.detail, turn); });
            } else if constexpr (std::is_same_v<E, GrantOpened>) {
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.grant_opened(it, turn); });
            } else if constexpr (std::is_same_v<E, GrantClosed>) {
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.grant_closed(it, turn); });
            } else if constexpr (std::is_same_v<E, WriteDone>) {
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.write_done(it, turn); });
            } else if constexpr (std::is_same_v<E, LockChecked>) {
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.lock_checked(it, turn); });
            } else if constexpr (std::is_same_v<E, LockMoved>) {
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.lock_moved(it, turn); });
            } else if constexpr (std::is_same_v<E, LockProbed>) {
                probed(now, it, out);
            } else if constexpr (std::is_same_v<E, NodeReported>) {
                if (watch) {
                    watch->node_reported(it, now);
                }
            } else if constexpr (std::is_same_v<E, GatewayClaim>) {
                if (it.gateway == config.id) {
                    return;  // our own status, heard back
                }
                with_all(now, out, [&](Elevator& e, Turn& turn) {
                    const bool claims =
                        it.online && std::find(it.elevators.begin(), it.elevators.end(), e.id()) !=
                                         it.elevators.end();
                    e.claimed(it.gateway, claims, turn);
                });
            } else if constexpr (std::is_same_v<E, JournalPressure>) {
                for (const auto& elevator : elevators) {
                    elevator->set_accepting(it.accepting);
                }
                Alarm alarm;
                alarm.kind = it.accepting ? "journal_has_room" : "journal_full";
                alarm.alarm = !it.accepting;
                alarm.detail = it.accepting
                                   ? "The journal takes new commands again."
                                   : "The journal is nearly full; new commands are refused.";
                out.push_back(Raise{std::move(alarm)});
            } else if constexpr (std::is_same_v<E, ResetRequested>) {
                if (find(it.elevator) == nullptr) {
                    out.push_back(ControlReply{it.request, false, "There is no such elevator."});
                }
                on(it.elevator, [&](Elevator& e, Turn& turn) { e.reset_requested(it, turn); });
            } else if constexpr (std::is_same_v<E, Stopping>) {
                with_all(now, out, [](Elevator& e, Turn& turn) { e.stop(turn); });
            } else {
                static_assert(!sizeof(E), "an event that nobody handles");
            }
        },
        event);
}

Gateway::Gateway(GatewayConfig config,
                 std::string boot_id,
                 const Recovered& recovered,
                 TimePoint now)
    : impl_(std::make_unique<Impl>()) {
    impl_->config = std::move(config);
    impl_->boot_id = std::move(boot_id);
    impl_->last_now = now;
    if (impl_->config.lock) {
        impl_->watch.emplace(*impl_->config.lock);
    }
    for (const ElevatorConfig& elevator : impl_->config.elevators) {
        impl_->elevators.push_back(
            std::make_unique<Elevator>(elevator,
                                       impl_->config,
                                       impl_->boot_id,
                                       impl_->numbers,
                                       impl_->watch ? &*impl_->watch : nullptr));
        Elevator* made = impl_->elevators.back().get();
        impl_->by_id.emplace(elevator.id, made);
        const auto row = std::find_if(
            recovered.elevators.begin(), recovered.elevators.end(), [&](const ElevatorRow& it) {
                return it.elevator == elevator.id;
            });
        std::vector<CommandRow> open;
        for (const CommandRow& command : recovered.open_commands) {
            if (command.command.elevator == elevator.id) {
                open.push_back(command);
            }
        }
        impl_->with(made, now, impl_->at_start, [&](Elevator& e, Turn& turn) {
            e.recover(row == recovered.elevators.end() ? nullptr : &*row,
                      open,
                      recovered.ledger_lost,
                      turn);
        });
    }
}

Gateway::~Gateway() = default;

void Gateway::handle(TimePoint now, const Event& event, Actions& out) {
    impl_->begin(now, out);
    impl_->handle(now, event, out);
}

void Gateway::on_time(TimePoint now, Actions& out) {
    impl_->begin(now, out);
    for (const auto& elevator : impl_->elevators) {
        if (elevator->next_deadline() && *elevator->next_deadline() <= now) {
            impl_->with(elevator.get(), now, out, [](Elevator& e, Turn& turn) { e.on_time(turn); });
        }
    }
}

std::optional<TimePoint> Gateway::next_deadline() const {
    if (!impl_->at_start.empty()) {
        return impl_->last_now;
    }
    std::optional<TimePoint> first;
    for (const auto& elevator : impl_->elevators) {
        const auto at = elevator->next_deadline();
        if (at && (!first || *at < *first)) {
            first = at;
        }
    }
    return first;
}

std::vector<ElevatorStatus> Gateway::status(TimePoint now) const {
    std::vector<ElevatorStatus> all;
    for (const auto& elevator : impl_->elevators) {
        all.push_back(elevator->status(now));
    }
    return all;
}

}  // namespace liftwarden::core
