// Laws 3 and 10: a seq causes at most one execution, and what was accepted gets exactly one final
// outcome, and a true one.
#include "tests/sim/laws/laws.hpp"

#include <algorithm>
#include <set>

namespace liftwarden::sim_test {
namespace {

using core::Status;

class OutcomeLaw : public Law {
  public:
    using Law::Law;

    // A seq that comes again with another content or from another source is a conflict.
    void posted(const core::Event& event) override {
        conflict_.reset();
        const auto* received = std::get_if<core::CommandReceived>(&event);
        if (received == nullptr) {
            return;
        }
        delivered_[received->delivery] = received->command;
        const core::Command& command = received->command;
        const Known* known = facts_.find(command.elevator, command.seq.str());
        if (known == nullptr || !known->row || command.content.action == core::ActionKind::query) {
            return;
        }
        const auto& row = *known->row;
        const auto& who = facts_.config->who(command.source);
        // While it is under way a late repeat may still be answered.
        const bool too_old =
            known->final && (row.boot_id != facts_.boot ||
                             facts_.now() - row.received_at > facts_.config->queue.repeat_window);
        if (command.content != row.command.content ||
            who != facts_.config->who(row.command.source) || too_old) {
            conflict_ = command;
        }
    }

    void acted(const core::Action& action) override {
        if (const auto* result = std::get_if<core::PublishResult>(&action)) {
            answered(result->message);
        } else if (const auto* settle = std::get_if<core::Settle>(&action)) {
            settled(settle->delivery);
        } else if (const auto* commit = std::get_if<core::Commit>(&action)) {
            for (const core::JournalWrite& write : commit->writes) {
                const auto* row = std::get_if<core::CommandRow>(&write);
                const Known* known =
                    row == nullptr ? nullptr
                                   : facts_.find(row->command.elevator, row->command.seq.str());
                if (known != nullptr && known->executed > 0 && row->status == Status::accepted &&
                    !known->row) {
                    fail("law 3",
                         row->command.elevator,
                         row->command.seq.str() + " taken as new though it has been executed");
                }
            }
        }
    }

    void turn_over() override {
        if (conflict_) {
            fail("law 3",
                 conflict_->elevator,
                 conflict_->seq.str() + " of " + conflict_->source.str() +
                     " conflicts with what was sent, and was not refused");
        }
        refused_.clear();
    }

    void durable(const core::JournalWrite& write) override {
        if (const auto* message = std::get_if<core::ResultMessage>(&write)) {
            reported(*message);
            return;
        }
        const auto* row = std::get_if<core::CommandRow>(&write);
        if (row == nullptr) {
            return;
        }
        const Known* known = facts_.find(row->command.elevator, row->command.seq.str());
        const bool follow_up = row->status == Status::served || row->status == Status::not_served;
        if (known != nullptr && known->final && !(follow_up && *known->final == Status::acked)) {
            fail("law 10",
                 row->command.elevator,
                 row->command.seq.str() + " is " + core::to_string(row->status) + " after its end");
        }
    }

    void writing(const core::WriteCommand& action,
                 const core::CommandRow& row,
                 const core::Reading&) override {
        const Known* known = facts_.find(action.elevator, row.command.seq.str());
        if (known != nullptr && known->final) {
            fail("law 10", action.elevator, row.command.seq.str() + " written after its end");
        }
    }

    void executed(const core::ElevatorId& elevator, const Execution& execution) override {
        if (execution.seq.empty()) {
            foreign_[elevator].insert(execution.command.wire_seq);
            return;
        }
        const Known* known = facts_.find(elevator, execution.seq);
        if (known == nullptr) {
            return;  // the ledger was lost meanwhile
        }
        if (known->executed > 1) {
            fail("law 3", elevator, execution.seq + " executed twice");
        }
        if (known->final && *known->final != Status::failed && *known->final != Status::acked) {
            fail("law 10",
                 elevator,
                 execution.seq + " executed though it ended " + core::to_string(*known->final));
        }
    }

    void ledger_lost() override { delivered_.clear(); }
    void started(bool) override {
        delivered_.clear();
        conflict_.reset();
    }

    void finish() override {
        for (const auto& [key, known] : facts_.known) {
            const core::ElevatorId elevator{key.first};
            if ((known.told_accepted || known.row) && !known.final) {
                fail("law 10", elevator, key.second + " was accepted and never ended");
            }
            if (known.final != Status::acked || !known.row || !known.row->wire_seq) {
                continue;
            }
            const auto foreign = foreign_.find(elevator);
            const bool of_others =
                foreign != foreign_.end() && foreign->second.contains(*known.row->wire_seq);
            if (known.executed == 0 && !of_others) {
                fail("law 2", elevator, key.second + " acked though the PLC did not execute it");
            }
            if (known.follow_ups == 0 && known.row->reason != core::Reason::operator_) {
                fail("law 12", elevator, key.second + " acked and never served or not served");
            }
        }
    }

  private:
    void answered(const core::ResultMessage& message) {
        if (message.status == Status::rejected && message.seq) {
            refused_.insert(message.seq->str());
            if (conflict_ && *message.seq == conflict_->seq &&
                message.reason == core::Reason::seq_conflict) {
                conflict_.reset();
            }
        }
        if (message.query || !message.seq || message.status != Status::accepted) {
            return;
        }
        const Known* known = facts_.find(message.elevator, message.seq->str());
        if (known == nullptr || !known->row) {
            fail(
                "law 10", message.elevator, message.seq->str() + " accepted before it was durable");
        }
    }

    // The broker may forget a message only when it is in the journal, or was refused or answered.
    void settled(core::DeliveryId delivery) {
        const auto found = delivered_.find(delivery);
        if (found == delivered_.end()) {
            return;
        }
        const core::Command& command = found->second;
        const Known* known = facts_.find(command.elevator, command.seq.str());
        const bool kept = known != nullptr && known->row;
        if (!kept && !refused_.contains(command.seq.str()) &&
            command.content.action != core::ActionKind::query) {
            fail("law 10", command.elevator, command.seq.str() + " settled before it was durable");
        }
        delivered_.erase(found);
    }

    void reported(const core::ResultMessage& message) const {
        const Known* known = facts_.find(message.elevator, message.seq->str());
        if (known == nullptr) {
            fail(
                "law 10", message.elevator, "an outcome of " + message.seq->str() + ", never sent");
        }
        if (core::is_final(message.status) && known->final) {
            fail("law 10", message.elevator, message.seq->str() + " ended a second time");
        }
        const bool follow_up =
            message.status == Status::served || message.status == Status::not_served;
        if (follow_up && (known->final != Status::acked || known->follow_ups > 0)) {
            fail("law 10",
                 message.elevator,
                 message.seq->str() + " " + core::to_string(message.status) + " out of place");
        }
    }

    std::map<core::DeliveryId, core::Command> delivered_;  // and not settled
    std::set<std::string> refused_;                        // in this turn
    std::optional<core::Command> conflict_;                // of this turn, not refused yet
    std::map<core::ElevatorId, std::set<core::WireSeq>> foreign_;
};

}  // namespace

std::unique_ptr<Law> make_outcome_law(Facts& facts) {
    return std::make_unique<OutcomeLaw>(facts);
}

}  // namespace liftwarden::sim_test
