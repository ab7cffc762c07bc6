// Receiving: what the ledger says of a seq, the queue's limits, and the journal before everything.
#include "src/core/breakage.hpp"
#include "src/core/elevator.hpp"
#include "src/core/ledger.hpp"
#include "src/core/parties.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::core {

Entry* Elevator::find_live(const Seq& seq) {
    const auto is_it = [&](const Entry& entry) { return entry.row.command.seq == seq; };
    if (flight_ && is_it(flight_->entry)) {
        return &flight_->entry;
    }
    for (std::vector<Entry>* list : {&queue_, &closing_, &unresolved_}) {
        const auto found = std::find_if(list->begin(), list->end(), is_it);
        if (found != list->end()) {
            return &*found;
        }
    }
    return nullptr;
}

void Elevator::receive(const CommandReceived& event, Turn& turn) {
    Entry* live = find_live(event.command.seq);
    // What this machine knows is newer than what the journal thread saw.
    const CommandRow* row = live != nullptr ? &live->row : nullptr;
    if (row == nullptr && event.ledger && !broken(Breakage::forget_seq)) {
        row = &*event.ledger;
    }
    if (event.command.content.action == ActionKind::query) {
        answer_query(event, row, live, turn);
    } else if (row != nullptr) {
        answer_seen(event, *row, live, turn);
    } else if (stopping_) {
        refuse_unremembered(event, Reason::shutdown, "The gateway is stopping.", turn);
    } else if (!accepting_) {
        refuse_unremembered(event,
                            Reason::journal_failed,
                            "The journal is nearly full; nothing new is taken.",
                            turn);
    } else {
        admit(event, turn);
    }
    take_turn(turn);
}

void Elevator::answer_query(const CommandReceived& event,
                            const CommandRow* row,
                            Entry* live,
                            Turn& turn) {
    const Command& command = event.command;
    const bool theirs = row != nullptr && (row->party.who == gateway_->who(command.source) ||
                                           row->command.source == command.source);
    if (theirs && live != nullptr && !live->tellable()) {
        live->waiting.push_back({event.delivery, command});
        return;
    }
    if (theirs) {
        answer_known_query(command, *row, turn);
    } else {
        CommandRow unknown;
        unknown.command = command;
        unknown.status = Status::rejected;
        unknown.reason = Reason::unknown_seq;
        unknown.detail = "No command with seq " + command.seq.str() + " of this source is known.";
        answer_known_query(command, unknown, turn);
    }
    turn.out.push_back(Settle{event.delivery});
}

void Elevator::answer_known_query(const Command& query, const CommandRow& row, Turn& turn) {
    ResultMessage answer = result_for(row);
    answer.to = query.source;
    answer.query = true;
    answer.msg_id = query.msg_id;
    answer.issued_at = query.issued_at;
    answer.reply = query.reply;
    if (answer.status == Status::accepted) {
        answer.position = position_of(query.seq);
    }
    turn.out.push_back(PublishResult{std::move(answer)});
}

void Elevator::answer_seen(const CommandReceived& event,
                           const CommandRow& row,
                           Entry* live,
                           Turn& turn) {
    const Command& command = event.command;
    const std::string who = gateway_->who(command.source);
    const Seen seen =
        compare_with_ledger(command, who, row, *boot_id_, turn.now, gateway_->queue.repeat_window);
    if (seen == Seen::repeat) {
        if (owned_by(row.party)) {
            row_.owner->last_activity = turn.now;
        }
        if (live != nullptr && !live->tellable()) {
            live->waiting.push_back({event.delivery, command});
            return;
        }
        answer_repeat(command, row, turn);
        turn.out.push_back(Settle{event.delivery});
        return;
    }
    const char* why = seen == Seen::other_source    ? " was used by another source."
                      : seen == Seen::other_content ? " was used for another command."
                                                    : " is older than repeat_window.";
    Alarm conflict = alarm("seq_conflict", true, "Seq " + command.seq.str() + why);
    conflict.source = command.source;
    conflict.seq = command.seq;
    std::string detail = conflict.detail;
    raise(conflict, turn);
    refuse_unremembered(event, Reason::seq_conflict, std::move(detail), turn);
}

// Of an accepted command; one that has left the queue is about to be written.
std::uint32_t Elevator::position_of(const Seq& seq) const {
    const auto at = std::find_if(queue_.begin(), queue_.end(), [&](const Entry& entry) {
        return entry.row.command.seq == seq;
    });
    return at == queue_.end() ? 1U : static_cast<std::uint32_t>(at - queue_.begin()) + 1;
}

void Elevator::answer_repeat(const Command& repeat, const CommandRow& row, Turn& turn) {
    ResultMessage answer = result_for(row);
    answer.to = repeat.source;
    answer.duplicate = true;
    answer.msg_id = repeat.msg_id;
    answer.issued_at = repeat.issued_at;
    answer.reply = repeat.reply;
    if (answer.status == Status::accepted) {
        answer.position = position_of(repeat.seq);
    }
    if (answer.status == Status::served || answer.status == Status::not_served) {
        // A sender that missed the final outcome gets it before the follow-up.
        ResultMessage final_one = answer;
        final_one.status = Status::acked;
        final_one.detail.clear();
        turn.out.push_back(PublishResult{std::move(final_one)});
    }
    turn.out.push_back(PublishResult{std::move(answer)});
}

void Elevator::refuse_unremembered(const CommandReceived& event,
                                   Reason reason,
                                   std::string detail,
                                   Turn& turn) {
    ResultMessage answer;
    answer.elevator = id();
    answer.to = event.command.source;
    answer.seq = event.command.seq;
    answer.status = Status::rejected;
    answer.reason = reason;
    answer.detail = std::move(detail);
    answer.epoch = row_.epoch;
    answer.msg_id = event.command.msg_id;
    answer.issued_at = event.command.issued_at;
    answer.task = event.command.task;
    answer.reply = event.command.reply;
    tell_refusal(event.command, reason, answer.detail, turn);
    turn.out.push_back(PublishResult{std::move(answer)});
    turn.out.push_back(Settle{event.delivery});
}

// The last place of the queue, and one beyond the source's share, are kept for the owner's next
// step: whatever others queue, the trip that has the car can go on.
std::optional<Reason> Elevator::queue_limit(const Command& command,
                                            const Party& party,
                                            std::string& detail) const {
    const QueueLimits& limits = gateway_->queue;
    std::size_t of_source = 0;
    bool owner_waits = false;
    for (const Entry& entry : queue_) {
        of_source += entry.row.command.source == command.source ? 1U : 0U;
        owner_waits = owner_waits || owned_by(entry.row.party);
    }
    // A command that has the bus may come back to the queue.
    const std::size_t waiting = queue_.size() + (flight_ ? 1U : 0U);
    const bool next_step = owned_by(party) && !owner_waits;
    // With room for one only, nobody could ever become the owner.
    const std::size_t kept = next_step || limits.depth == 1 ? 0 : 1;
    const std::size_t depth = limits.depth - kept;
    const auto share = std::max<std::size_t>(
        1, static_cast<std::size_t>(limits.source_share * static_cast<double>(limits.depth)));
    if (broken(Breakage::no_queue_limit)) {
        return std::nullopt;
    }
    if (waiting >= depth) {
        detail = std::to_string(waiting) + " commands are waiting, the limit is " +
                 std::to_string(limits.depth) + " with one place kept for the owner.";
        return Reason::queue_full;
    }
    if (of_source >= share && !next_step) {
        detail = std::to_string(of_source) + " commands of " + command.source.str() +
                 " are waiting, its share is " + std::to_string(share) + ".";
        return Reason::source_quota;
    }
    return std::nullopt;
}

void Elevator::admit(const CommandReceived& event, Turn& turn) {
    std::vector<Trip> trips = row_.trips;
    const Assigned assigned =
        assign_party(event.command, gateway_->who(event.command.source), row_.owner, trips);
    std::string detail;
    if (const auto reason = queue_limit(event.command, assigned.party, detail)) {
        refuse_unremembered(event, *reason, std::move(detail), turn);
        return;
    }
    Entry entry;
    entry.order = ++received_;
    entry.row.command = event.command;
    entry.row.party = assigned.party;
    entry.row.boot_id = *boot_id_;
    entry.row.received_at = std::min(event.received_at.value_or(turn.now), turn.now);
    entry.row.deadline = entry.row.received_at + event.command.ttl;
    if (broken(Breakage::ignore_ttl)) {
        entry.row.deadline += 1h;
    }
    if (broken(Breakage::settle_early)) {
        turn.out.push_back(Settle{event.delivery});
    }
    entry.waiting.push_back({event.delivery, std::nullopt});
    if (owned_by(assigned.party)) {
        row_.owner->last_activity = turn.now;
    }
    std::vector<JournalWrite> writes{entry.row};
    if (assigned.trips_changed) {
        row_.trips = std::move(trips);
        writes.emplace_back(row_);
    }
    entry.ticket = commit(std::move(writes), turn);
    queue_.push_back(std::move(entry));
}

void Elevator::answer_waiting(Entry& entry, Turn& turn) {
    const auto at = std::find_if(
        queue_.begin(), queue_.end(), [&](const Entry& other) { return &other == &entry; });
    for (const Entry::Waiting& waiting : std::exchange(entry.waiting, {})) {
        if (!waiting.again) {
            ResultMessage accepted = result_for(entry.row);
            accepted.position = static_cast<std::uint32_t>(at - queue_.begin()) + 1;
            turn.out.push_back(PublishResult{std::move(accepted)});
        } else if (waiting.again->content.action == ActionKind::query) {
            answer_known_query(*waiting.again, entry.row, turn);
        } else {
            answer_repeat(*waiting.again, entry.row, turn);
        }
        turn.out.push_back(Settle{waiting.delivery});
    }
}

}  // namespace liftwarden::core
