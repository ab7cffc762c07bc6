// Ownership as time passes, and the follow-up of acknowledged commands.
#include "src/core/elevator.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::core {
namespace {

constexpr Duration reset_timeout = 5s;

}  // namespace

// Brings everything that depends on time or on the last reading up to date, before anything is
// decided.
void Elevator::refresh(Turn& turn) {
    // After a time in which nobody looked, the car has not stood without a break.
    const bool looked = sight_.fresh(turn.now) != nullptr;
    const auto ended =
        effects_.update(turn.now, sight_, looked ? standing_.idle_since() : std::nullopt);
    if (!ended.empty()) {
        // In one commit with the row that no longer watches them, or a crash could lose one.
        const std::vector<CommandRow> rows = follow_ups(ended);
        std::vector<JournalWrite> writes(rows.begin(), rows.end());
        writes.emplace_back(row_);
        for (const CommandRow& row : rows) {
            writes.emplace_back(result_for(row));
        }
        commit(std::move(writes), turn);
    }
    const Observation* seen = sight_.fresh(turn.now);
    const Phase raw = sight_.phase(turn.now);
    standing_.update(turn.now, seen, raw, effects_.phase(raw), row_.owner.has_value());
    if (row_.owner && !owner_is_busy()) {
        const auto end = grace_end(*row_.owner, standing_, seen, *config_);
        if (end && turn.now >= end->at) {
            end_ownership(turn, end->boarding, "its owner stayed silent");
        }
    }
    notice_blindness(turn);
    const bool is_error = raw == Phase::error;
    if (is_error && !fault_raised_) {
        raise(alarm("elevator_fault", true, sight_.error_text()), turn);
    }
    if (seen != nullptr) {
        fault_raised_ = is_error;
    }
    const bool between_write_and_outcome =
        flight_ && (flight_->written() || flight_->step == Flight::Step::writing ||
                    flight_->step == Flight::Step::closing || flight_->resend);
    if (contested() && row_.lock_out == LockOut::none && !between_write_and_outcome) {
        lock_out(
            LockOut::second_gateway, "Gateway " + contender() + " claims this elevator too.", turn);
    }
    if (reset_ && !reset_->ticket && turn.now >= reset_->asked_at + reset_timeout) {
        fail_reset("The PLC could not be read within 5 s; still locked out.", turn);
    }
}

std::vector<CommandRow> Elevator::follow_ups(const std::vector<Effect>& ended) {
    std::vector<CommandRow> rows;
    for (const Effect& effect : ended) {
        CommandRow row = effect.watch.row;
        row.status = effect.served ? Status::served : Status::not_served;
        row.detail = effect.detail.empty() ? "" : "Not served: " + effect.detail + ".";
        if (effect.served && owned_by(row.party) && row_.owner->last_call == row.command.content) {
            row_.owner->last_call_served = true;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

// A PLC that cannot be read for a few seconds is something to come for; a single lost reading is
// not.
void Elevator::notice_blindness(Turn& turn) {
    if (sight_.fresh(turn.now) != nullptr) {
        if (std::exchange(blind_raised_, false)) {
            raise(alarm("plc_online", false, "The PLC can be read again."), turn);
        }
        blind_since_.reset();
        return;
    }
    blind_since_ = blind_since_.value_or(turn.now);
    if (!blind_raised_ && turn.now >= *blind_since_ + blindness_max) {
        blind_raised_ = true;
        raise(alarm("plc_offline",
                    true,
                    "The PLC cannot be read" +
                        (read_failure_.empty() ? "." : ": " + read_failure_ + ".")),
              turn);
    }
}

void Elevator::gain_ownership(const CommandRow& row, TimePoint now) {
    const ActionKind action = row.command.content.action;
    const bool owns = is_call(action) || is_door_command(action);
    if (!row_.owner && owns) {
        row_.owner = Owner{row.party, std::nullopt, false, now};
    }
    if (!owned_by(row.party)) {
        return;
    }
    row_.owner->last_activity = now;
    if (is_call(action)) {
        row_.owner->last_call = row.command.content;
        row_.owner->last_call_served = false;
    }
}

bool Elevator::owner_is_busy() const {
    const auto is_owners = [&](const Entry& entry) { return owned_by(entry.row.party); };
    // What has an unknown outcome is still under way until a person has looked.
    return (flight_ && is_owners(flight_->entry)) ||
           std::any_of(queue_.begin(), queue_.end(), is_owners) ||
           std::any_of(unresolved_.begin(), unresolved_.end(), is_owners);
}

void Elevator::end_ownership(Turn& turn, bool is_alarm, const std::string& why) {
    Alarm note =
        alarm("owner_gone",
              is_alarm,
              "The ownership of " + describe(row_.owner->party) + " has ended: " + why + ".");
    row_.owner.reset();
    row_dirty_ = true;
    raise(note, turn);
}

}  // namespace liftwarden::core
