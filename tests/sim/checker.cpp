#include "tests/sim/checker.hpp"

#include "tests/sim/laws/laws.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

using core::Status;

Checker::Checker(const core::GatewayConfig& config, const Scheduler& scheduler) {
    facts_.config = &config;
    facts_.scheduler = &scheduler;
    for (const core::ElevatorConfig& elevator : config.elevators) {
        facts_.elevators[elevator.id].config = &elevator;
    }
    laws_ = all_laws(facts_);
}

void Checker::delivered(const core::Command& command, core::TimePoint deadline) {
    if (command.content.action == core::ActionKind::query) {
        return;
    }
    const auto [at, is_new] = facts_.known.try_emplace({command.elevator.str(), command.seq.str()});
    if (is_new || !at->second.row) {
        // Until it is in the journal every delivery counts from its own receipt.
        at->second.command = command;
        at->second.deadline = deadline;
    }
}

void Checker::note_reading(ElevatorFacts& at, const core::Reading& reading) {
    constexpr std::size_t kept = 700;  // more than the longest grace
    at.last = reading;
    if (reading.observation) {
        at.seen.push_back({facts_.now(), reading});
        if (at.seen.size() > kept) {
            at.seen.pop_front();
        }
    }
    Attempt* attempt = at.attempt();
    if (attempt == nullptr || !attempt->open || reading.at < attempt->written) {
        return;
    }
    ++attempt->reads;
    if (reading.ack.echo.value() == attempt->wire_seq().value()) {
        attempt->saw_accepted |= reading.ack.result == core::AckResult::accepted;
        attempt->saw_refused |= reading.ack.result == core::AckResult::refused;
        attempt->saw_busy |= reading.ack.result == core::AckResult::busy;
    }
    attempt->saw_not_taken |= attempt->proves_not_taken(reading, at.config->scan);
}

void Checker::posted(const core::Event& event) {
    if (const auto* observed = std::get_if<core::Observed>(&event)) {
        note_reading(facts_.elevators.at(observed->elevator), observed->reading);
    } else if (const auto* opened = std::get_if<core::GrantOpened>(&event)) {
        note_reading(facts_.elevators.at(opened->elevator), opened->reading);
    } else if (const auto* done = std::get_if<core::WriteDone>(&event)) {
        if (Attempt* attempt = facts_.elevators.at(done->elevator).attempt()) {
            attempt->outcome = done->outcome.kind;
        }
    } else if (const auto* claim = std::get_if<core::GatewayClaim>(&event)) {
        for (auto& [id, at] : facts_.elevators) {
            const auto& all = claim->elevators;
            if (claim->online && std::find(all.begin(), all.end(), id) != all.end()) {
                at.claims.emplace(claim->gateway.str(), false);
            } else {
                at.claims.erase(claim->gateway.str());
            }
        }
    } else if (const auto* reset = std::get_if<core::ResetRequested>(&event)) {
        facts_.elevators.at(reset->elevator).reset = *reset;
    }
    for (const auto& law : laws_) {
        law->posted(event);
    }
}

void Checker::acted(const core::Action& action) {
    for (const auto& law : laws_) {
        law->acted(action);
    }
    if (const auto* session = std::get_if<core::PublishSession>(&action)) {
        ElevatorFacts& at = facts_.elevators.at(session->view.elevator);
        if (!session->view.owner && at.owner) {
            at.unowned_since = facts_.now();
        }
        at.owner = session->view.owner;
    } else if (const auto* result = std::get_if<core::PublishResult>(&action)) {
        const core::ResultMessage& message = result->message;
        ++seen_[core::to_string(message.status)];
        if (message.reason != core::Reason::none && message.status == Status::rejected) {
            ++seen_[core::to_string(message.reason)];
        }
        if (message.duplicate) {
            ++seen_["duplicate"];
        }
        Known* known = facts_.find(message.elevator, message.seq->str());
        if (known != nullptr && message.status == Status::accepted && !message.query) {
            known->told_accepted = true;
        }
    } else if (const auto* commit = std::get_if<core::Commit>(&action)) {
        for (const core::JournalWrite& write : commit->writes) {
            if (const auto* row = std::get_if<core::CommandRow>(&write)) {
                facts_.elevators.at(row->command.elevator).ordered[row->command.seq.str()] =
                    row->status;
            }
        }
    } else if (const auto* raise = std::get_if<core::Raise>(&action)) {
        ++seen_["alarm:" + raise->alarm.kind];
        if (raise->alarm.kind == "reset") {
            for (auto& [gateway, overridden] : facts_.elevators.at(raise->alarm.elevator).claims) {
                overridden = true;
            }
        }
    }
}

void Checker::turn_over() {
    for (const auto& law : laws_) {
        law->turn_over();
    }
}

void Checker::durable(const std::vector<core::JournalWrite>& writes) {
    for (const core::JournalWrite& write : writes) {
        for (const auto& law : laws_) {
            law->durable(write);
        }
    }
    for (const core::JournalWrite& write : writes) {
        if (const auto* row = std::get_if<core::CommandRow>(&write)) {
            note(*row);
        } else if (const auto* elevator = std::get_if<core::ElevatorRow>(&write)) {
            facts_.elevators.at(elevator->elevator).row = *elevator;
        } else if (const auto* message = std::get_if<core::ResultMessage>(&write)) {
            note(*message);
        }
    }
}

void Checker::note(const core::CommandRow& row) {
    ElevatorFacts& at = facts_.elevators.at(row.command.elevator);
    const std::string seq = row.command.seq.str();
    if (Known* known = facts_.find(row.command.elevator, seq)) {
        if (known->first_boot.empty()) {
            known->first_boot = row.boot_id;
        }
        known->row = row;
    }
    if (row.status == Status::sent) {
        Attempt* last = at.attempt();
        const bool again = last != nullptr && last->open && last->seq() == seq &&
                           last->row.wire_seq == row.wire_seq;
        if (!again && at.last_grant) {
            Attempt attempt;
            attempt.row = row;
            attempt.before = at.last_grant->reading;
            attempt.began = facts_.now();
            attempt.written = facts_.now();
            attempt.requeued = at.ordered[seq] == Status::accepted;
            at.attempts.push_back(std::move(attempt));
        }
        return;
    }
    for (Attempt& attempt : at.attempts) {
        if (attempt.seq() == seq && (attempt.open || attempt.unknown)) {
            attempt.open = false;
            attempt.unknown = row.status == Status::unknown;
        }
    }
}

void Checker::note(const core::ResultMessage& message) {
    Known* known = facts_.find(message.elevator, message.seq->str());
    ++seen_[core::to_string(message.status)];
    if (message.reason != core::Reason::none) {
        ++seen_[core::to_string(message.reason)];
    }
    if (known == nullptr) {
        return;
    }
    if (core::is_final(message.status)) {
        known->final = message.status;
    }
    known->follow_ups +=
        message.status == Status::served || message.status == Status::not_served ? 1 : 0;
}

void Checker::granted(const core::ElevatorId& elevator,
                      core::GrantId grant,
                      const core::Reading& read) {
    ElevatorFacts& at = facts_.elevators.at(elevator);
    at.grant = Grant{grant, read, facts_.now()};
    at.last_grant = at.grant;
}

void Checker::grant_over(const core::ElevatorId& elevator) {
    for (const auto& law : laws_) {
        law->grant_over(elevator);
    }
    facts_.elevators.at(elevator).grant.reset();
}

std::string Checker::transferred(const core::WriteCommand& action) {
    ElevatorFacts& at = facts_.elevators.at(action.elevator);
    if (!at.grant || at.grant->id != action.grant) {
        throw Violation("law 2", ": a write outside its grant");
    }
    Attempt* attempt = at.attempt();
    if (attempt == nullptr || !attempt->open || attempt->wire_seq() != action.command.wire_seq) {
        throw Violation("law 1", ": a write without a durable intent");
    }
    const Known* known = facts_.find(action.elevator, attempt->seq());
    const core::CommandRow row = known != nullptr && known->row ? *known->row : attempt->row;
    for (const auto& law : laws_) {
        law->writing(action, row, at.grant->reading);
    }
    ++seen_[attempt->writes == 0 ? "write" : "resend"];
    ++attempt->writes;
    attempt->written = facts_.now();
    attempt->restarted = false;
    attempt->saw_not_taken = false;
    attempt->reads = 0;
    attempt->outcome.reset();
    return std::to_string(ledgers_) + "/" + attempt->seq();
}

void Checker::executed(const core::ElevatorId& elevator, const Execution& execution) {
    Execution ours = execution;
    const std::string ledger = std::to_string(ledgers_) + "/";
    if (!ours.seq.empty()) {
        if (!ours.seq.starts_with(ledger)) {
            return;  // written before the ledger was lost; nobody can know it any more
        }
        ours.seq.erase(0, ledger.size());
    }
    if (Known* known = facts_.find(elevator, ours.seq)) {
        ++known->executed;
    }
    for (const auto& law : laws_) {
        law->executed(elevator, ours);
    }
}

void Checker::plc_restarted(const core::ElevatorId& elevator) {
    facts_.elevators.at(elevator).plc_restarted = true;
}

void Checker::stalled(core::TimePoint until) {
    facts_.stalled_until = std::max(facts_.stalled_until, until);
}

void Checker::died() {
    for (auto& [id, at] : facts_.elevators) {
        at.grant.reset();
        at.seen.clear();
        at.last.reset();
        at.claims.clear();
        at.ordered.clear();
        at.reset.reset();
        if (Attempt* attempt = at.attempt()) {
            attempt->restarted = true;
            attempt->requeued = false;
        }
    }
}

void Checker::ledger_lost() {
    ++ledgers_;
    facts_.known.clear();
    for (auto& [id, at] : facts_.elevators) {
        at.attempts.clear();
        at.row.reset();
        at.row.emplace();
        at.row->lock_out = core::LockOut::ledger_lost;  // from now on, whatever the gateway says
    }
    for (const auto& law : laws_) {
        law->ledger_lost();
    }
}

void Checker::started(const std::string& boot_id) {
    const bool rebooted = boot_id != facts_.boot;
    facts_.boot = boot_id;
    facts_.started = facts_.now();
    for (const auto& law : laws_) {
        law->started(rebooted);
    }
}

void Checker::finish() {
    for (const auto& law : laws_) {
        law->finish();
    }
}

bool Checker::all_ended() const {
    return std::all_of(facts_.known.begin(), facts_.known.end(), [](const auto& it) {
        const Known& known = it.second;
        const bool follows = known.final == Status::acked && known.row && known.row->wire_seq &&
                             known.row->reason != core::Reason::operator_;
        return (!known.row && !known.told_accepted) ||
               (known.final && (!follows || known.follow_ups > 0));
    });
}

std::optional<bool> Checker::doubt(const core::ElevatorId& elevator) const {
    const ElevatorFacts& at = facts_.elevators.at(elevator);
    for (const Attempt& attempt : at.attempts) {
        if (attempt.unknown || attempt.open) {
            const auto known = facts_.known.find({elevator.str(), attempt.seq()});
            return known != facts_.known.end() && known->second.executed > 0;
        }
    }
    return std::nullopt;
}

}  // namespace liftwarden::sim_test
