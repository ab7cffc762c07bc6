// Starting again from the journal.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"

#include <utility>

namespace liftwarden::core {

Elevator::Elevator(const ElevatorConfig& config,
                   const GatewayConfig& gateway,
                   const std::string& boot_id,
                   Numbers& numbers,
                   LockWatch* watch)
    : config_(&config),
      gateway_(&gateway),
      boot_id_(&boot_id),
      numbers_(&numbers),
      watch_(watch),
      sight_(config),
      effects_(config, row_.watches) {}

// After a reboot the stored times mean nothing: graces and assumptions start anew, and what was
// queued is expired. With the same boot id time down has simply passed.
void Elevator::recover(const ElevatorRow* row,
                       const std::vector<CommandRow>& open,
                       bool ledger_lost,
                       Turn& turn) {
    if (row != nullptr) {
        row_ = *row;
        // The process before may have turned a closing door just now.
        reversed_at_ = {{Side::front, turn.now}, {Side::rear, turn.now}};
    }
    row_.elevator = id();
    told_mode_ = row == nullptr && governed() ? ArbitrationMode::suspect : row_.mode;
    told_epoch_ = row_.epoch;
    if (broken(Breakage::end_lock_out)) {
        row_.lock_out = LockOut::none;
    }
    if (broken(Breakage::forget_owner)) {
        row_.owner.reset();
    }
    if (row_.boot_id != *boot_id_) {
        row_.boot_id = *boot_id_;
        row_.last_acked.reset();
        row_.fence.lease_over_at = {};
        if (row_.fence.only_holder_until != TimePoint{}) {
            row_.fence.only_holder_until = TimePoint::max();  // recover_mode bounds it
        }
        for (Watch& watch : row_.watches) {
            watch.acked_at = turn.now;
        }
        if (row_.owner) {
            row_.owner->last_activity = turn.now;
        }
        row_dirty_ = true;
    }
    for (const CommandRow& command : open) {
        recover_command(command, turn);
    }
    if (ledger_lost) {
        lock_out(LockOut::ledger_lost, "The journal was corrupt and has been set aside.", turn);
    }
    if (!unresolved_.empty()) {
        lock_out(LockOut::unknown_outcome, "A command's outcome is still unknown.", turn);
    }
    recover_mode(turn);
    take_turn(turn);
}

void Elevator::recover_command(const CommandRow& command, Turn& turn) {
    const bool rebooted = command.boot_id != *boot_id_ && !broken(Breakage::survive_reboot);
    if (broken(Breakage::lose_queue) && command.status == Status::accepted) {
        return;
    }
    Entry entry;
    entry.row = command;
    entry.order = ++received_;
    entry.admitted = true;
    if (rebooted) {
        entry.row.boot_id = *boot_id_;
        entry.row.received_at = turn.now;
        entry.row.deadline = turn.now;
    }
    if (command.status == Status::accepted) {
        queue_.push_back(std::move(entry));
        if (rebooted) {
            finish_queued(queue_.size() - 1,
                          {Judgement::Kind::finish,
                           Status::expired,
                           Reason::ttl,
                           "The gateway computer restarted meanwhile.",
                           std::nullopt},
                          turn);
        }
    } else if (command.status == Status::sent && !flight_ && row_.lock_out == LockOut::none) {
        Flight flight;
        flight.entry = std::move(entry);
        flight.step = Flight::Step::verifying;
        flight.after_restart = true;
        flight.written_at = turn.now;
        flight.next_read = turn.now;
        flight.verify_at = turn.now + 2 * config_->scan;
        flight_ = std::move(flight);
    } else {
        if (command.status == Status::sent) {
            entry.row.status = Status::unknown;
            commit({entry.row, result_for(entry.row)}, turn);
        }
        unresolved_.push_back(std::move(entry));
    }
}

}  // namespace liftwarden::core
