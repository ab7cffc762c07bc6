// Who is next: what must end now, and what the head of each party is told.
#include "src/core/breakage.hpp"
#include "src/core/coalesce.hpp"
#include "src/core/elevator.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace liftwarden::core {
void Elevator::take_turn(Turn& turn) {
    refresh(turn);
    update_mode(turn);
    flight_on_time(turn);
    bool again = true;
    while (again) {
        again = finish_what_must_end(turn) || decide_heads(turn);
    }
    beat(turn);
    save_if_changed(turn);
    publish(turn);
    compute_deadline(turn.now);
}

bool Elevator::out_of_service(TimePoint now) const {
    const Observation* seen = sight_.fresh(now);
    return seen != nullptr && seen->mode != ServiceMode::normal && seen->mode != ServiceMode::agv &&
           !broken(Breakage::write_in_fire);
}

std::optional<Judgement> Elevator::service_refusal(ActionKind action, TimePoint now) const {
    const Observation* seen = sight_.fresh(now);
    if (seen == nullptr) {
        return std::nullopt;
    }
    if (out_of_service(now)) {
        return rejected(Reason::out_of_service,
                        std::string("The service mode is ") + to_string(seen->mode) + ".");
    }
    if (sight_.phase(now) == Phase::error) {
        return rejected(Reason::elevator_fault,
                        "The elevator reports an error: " + sight_.error_text() + ".");
    }
    if (config_->require_agv_mode && seen->mode == ServiceMode::normal &&
        action != ActionKind::set_mode) {
        return rejected(Reason::out_of_service,
                        "The service mode is normal; this site requires agv.");
    }
    return std::nullopt;
}

// Time-outs end commands wherever they stand in the queue; an elevator out of service, in fault or
// locked out ends all of them but releases, which only give something up.
bool Elevator::finish_what_must_end(Turn& turn) {
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const Entry& entry = queue_[i];
        const ActionKind action = entry.row.command.content.action;
        if (!entry.admitted) {
            continue;
        }
        if (entry.row.deadline <= turn.now) {
            finish_queued(i, expired(entry, turn.now), turn);
            return true;
        }
        if (action == ActionKind::release) {
            continue;
        }
        if (row_.lock_out != LockOut::none) {
            finish_queued(i,
                          rejected(Reason::elevator_unknown,
                                   std::string("The elevator is locked out (") +
                                       to_string(row_.lock_out) + ") until an operator resets it."),
                          turn);
            return true;
        }
        if (const auto refusal = service_refusal(action, turn.now)) {
            finish_queued(i, *refusal, turn);
            return true;
        }
    }
    return false;
}

// What kept it, as far as that shows at its end.
Judgement Elevator::expired(const Entry& entry, TimePoint now) const {
    const std::string ended =
        "The TTL of " + std::to_string(to_ms(entry.row.command.ttl)) + " ms ended ";
    if (sight_.fresh(now) == nullptr) {
        return finish(
            Status::expired, Reason::plc_offline, ended + "while the PLC could not be read.");
    }
    if (entry.row.deadline - entry.row.received_at < entry.row.command.ttl) {
        return finish(Status::expired, Reason::ttl, ended + "on its way here.");
    }
    return finish(Status::expired, Reason::ttl, ended + "while it waited; " + situation(now));
}

// "the elevator is moving, owned by node-a/task T-1."
std::string Elevator::situation(TimePoint now) const {
    std::string text =
        std::string("the elevator is ") + to_string(effects_.phase(sight_.phase(now)));
    text += row_.owner ? ", owned by " + describe(row_.owner->party) : ", unowned";
    if (row_.mode != ArbitrationMode::standalone) {
        text += std::string(", mode ") + to_string(row_.mode);
    }
    return text + ".";
}

bool Elevator::may_grant(TimePoint now) const {
    return !flight_ && !stopping_ && row_.lock_out == LockOut::none && !contested() &&
           now >= hold_until_;
}

// In order of receipt; a command that must wait holds back its own party only. True if something
// changed, so that the queue has to be looked at again.
bool Elevator::decide_heads(Turn& turn) {
    std::set<Party> held;
    if (flight_) {
        held.insert(flight_->entry.row.party);
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const Entry& entry = queue_[i];
        if (held.contains(entry.row.party)) {
            continue;
        }
        if (!entry.admitted) {
            held.insert(entry.row.party);
            continue;
        }
        if (entry.row.command.content.action == ActionKind::release) {
            finish_release(i, turn);
            return true;
        }
        const Judgement judgement = may_grant(turn.now) ? judge(entry, turn.now) : wait_for_now();
        if (judgement.kind == Judgement::Kind::finish) {
            finish_queued(i, judgement, turn);
            return true;
        }
        if (judgement.kind == Judgement::Kind::send) {
            start_grant(i, turn);
            return true;
        }
        held.insert(entry.row.party);
    }
    return false;
}

Judgement Elevator::judge(const Entry& entry, TimePoint now) const {
    const CommandRow& row = entry.row;
    if (row.deadline <= now) {
        return expired(entry, now);
    }
    if (now < entry.not_before) {
        return wait_for_now();
    }
    const Observation* seen = sight_.fresh(now);
    if (seen == nullptr) {
        return may_wait(row)
                   ? wait_for_now()
                   : rejected(Reason::plc_offline, "The PLC cannot be read at the moment.");
    }
    if (const auto refusal = service_refusal(row.command.content.action, now)) {
        return *refusal;
    }
    if (const auto decided = judge_lock_state(row, now)) {
        return *decided;
    }
    if (coalesces(row,
                  row_.last_acked,
                  row_.owner,
                  effects_,
                  *seen,
                  sight_.phase(now),
                  now,
                  gateway_->queue.coalesce_window,
                  *config_)) {
        Judgement judgement =
            finish(Status::coalesced,
                   Reason::none,
                   "Seq " + row_.last_acked->command.seq.str() + " of " +
                       row_.last_acked->command.source.str() + " has just ordered the same.");
        judgement.of = row_.last_acked->command;
        return judgement;
    }
    return judge_by_table(entry, now);
}

std::optional<Judgement> Elevator::judge_door_place(const CommandRow& row,
                                                    const Observation& seen,
                                                    bool moving) const {
    const Content& content = row.command.content;
    if (!is_door_command(content.action) || moving) {
        return std::nullopt;  // while the car moves the table says wait
    }
    if (content.floor && effects_.call_pending(row.party, *content.floor) &&
        seen.floor != content.floor) {
        return wait_for_now();
    }
    if (content.floor && seen.floor != content.floor) {
        return rejected(Reason::door_not_here,
                        "The car stands at " +
                            (seen.floor ? seen.floor->str() : "an unknown floor") + ", not at " +
                            content.floor->str() + ".");
    }
    const Floor* here = seen.floor ? config_->find_floor(*seen.floor) : nullptr;
    if (here != nullptr && content.door &&
        std::find(here->doors.begin(), here->doors.end(), *content.door) == here->doors.end()) {
        return rejected(
            Reason::door_not_here,
            "Floor " + here->label.str() + " has no " + to_string(*content.door) + " door.");
    }
    return std::nullopt;
}

Scene Elevator::scene(const CommandRow& row, TimePoint now) const {
    const Observation* seen = sight_.fresh(now);
    Scene scene;
    scene.phase = effects_.phase(sight_.phase(now));
    scene.owned = row_.owner.has_value();
    scene.by_owner = owned_by(row.party) || broken(Breakage::ignore_owner);
    const auto idle_at = open_counts_as_idle_at(standing_, seen, *config_);
    scene.open_counts_as_idle = idle_at && now >= *idle_at;
    scene.everything_waits = effects_.mode_pending();
    scene.calls_while_moving = config_->calls_while_moving;
    if (const auto side = side_of(row.command.content, *config_)) {
        const auto reversed = reversed_at_.find(*side);
        scene.reversal_allowed = broken(Breakage::no_reversal_guard) ||
                                 reversed == reversed_at_.end() ||
                                 now >= reversed->second + config_->door_reversal_guard;
    }
    return scene;
}

Judgement Elevator::judge_by_table(const Entry& entry, TimePoint now) const {
    const CommandRow& row = entry.row;
    // By what has been ordered, and by what is really seen: a passenger's button may move the car
    // or its door against the order that has not shown yet.
    Scene looked_at = scene(row, now);
    Ruling ruling = rule(row.command.content.action, looked_at);
    if (ruling == Ruling::send) {
        looked_at.phase = sight_.phase(now);
        ruling = rule(row.command.content.action, looked_at);
    }
    const bool moving = looked_at.phase == Phase::moving || sight_.phase(now) == Phase::moving;
    if (const auto place = judge_door_place(row, *sight_.fresh(now), moving)) {
        if (place->kind == Judgement::Kind::finish) {
            return *place;
        }
        ruling = Ruling::wait;
    }
    if (ruling == Ruling::send) {
        return {Judgement::Kind::send, Status::sent, Reason::none, "", std::nullopt};
    }
    // `error` was refused before the table; nothing else is refused by it.
    LIFTWARDEN_ASSERT(ruling == Ruling::wait);
    if (may_wait(row)) {
        return wait_for_now();
    }
    return rejected(Reason::elevator_busy,
                    std::string("The elevator is ") + to_string(looked_at.phase) +
                        (row_.owner ? ", owned by " + describe(row_.owner->party) : ", unowned") +
                        ".");
}

void Elevator::finish_queued(std::size_t index, const Judgement& judgement, Turn& turn) {
    Entry entry = std::move(queue_[index]);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(index));
    entry.row.status = judgement.status;
    entry.row.reason = judgement.reason;
    entry.row.detail = judgement.detail;
    entry.row.of = judgement.of;
    if (owned_by(entry.row.party)) {
        row_.owner->last_activity = turn.now;
    }
    notice_owner_without_lock(entry.row, turn);
    if (judgement.status == Status::rejected) {
        tell_refusal(entry.row.command, judgement.reason, judgement.detail, turn);
    }
    entry.concluding = true;
    entry.ticket = commit({entry.row, result_for(entry.row)}, turn);
    if (broken(Breakage::two_finals)) {
        commit({result_for(entry.row)}, turn);
    }
    closing_.push_back(std::move(entry));
}

void Elevator::finish_release(std::size_t index, Turn& turn) {
    const Party party = queue_[index].row.party;
    Judgement judgement{Judgement::Kind::finish, Status::acked, Reason::none, "", std::nullopt};
    const bool owns = owned_by(party);
    if (!owns) {
        judgement.detail = row_.owner ? "It is owned by " + describe(row_.owner->party) + "."
                                      : std::string("Nobody owns it.");
    }
    if (owns) {
        end_ownership(turn, false, "released");
    }
    finish_queued(index, judgement, turn);
}

// Back to its place by order of receipt; its row is still `accepted` for everybody.
void Elevator::requeue(Entry entry) {
    entry.row.status = Status::accepted;
    entry.row.reason = Reason::none;
    entry.row.detail.clear();
    const auto place = std::find_if(queue_.begin(), queue_.end(), [&](const Entry& other) {
        return other.order > entry.order;
    });
    queue_.insert(place, std::move(entry));
}

}  // namespace liftwarden::core
