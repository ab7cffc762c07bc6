// Laws 1, 2 and 4 at the moment of a write: one at a time, behind a durable intent, never while
// anything is in doubt, and on a PLC whose echo nobody else has changed.
#include "tests/sim/laws/laws.hpp"

#include <algorithm>

namespace liftwarden::sim_test {
namespace {

class GateLaw : public Law {
  public:
    using Law::Law;

    void writing(const core::WriteCommand& action,
                 const core::CommandRow& row,
                 const core::Reading& reading) override {
        ElevatorFacts& at = of(action.elevator);
        if (row.status != core::Status::sent || row.wire_seq != action.command.wire_seq ||
            row.command.content != action.command.content) {
            fail("law 1", action.elevator, "a write without a durable intent");
        }
        if (at.row && at.row->lock_out != core::LockOut::none) {
            fail("law 2", action.elevator, "written while locked out");
        }
        for (const Attempt& before : at.attempts) {
            if (before.unknown) {
                fail("law 2", action.elevator, "written while " + before.seq() + " is unknown");
            }
            if (before.open && before.seq() != row.command.seq.str()) {
                fail("law 1",
                     action.elevator,
                     row.command.seq.str() + " written before the outcome of " + before.seq());
            }
        }
        check_again(action, reading, at);
        check_wire_seq(action, reading);
        if (at.attempt()->writes == 0) {
            check_echo_at_rest(action, reading, at);
        }
    }

    void durable(const core::JournalWrite& write) override {
        if (const auto* row = std::get_if<core::CommandRow>(&write)) {
            note_outcome(*row);
        } else if (const auto* elevator = std::get_if<core::ElevatorRow>(&write)) {
            ElevatorFacts& at = of(elevator->elevator);
            const bool was = at.row && at.row->lock_out != core::LockOut::none;
            if (was && elevator->lock_out == core::LockOut::none) {
                if (!at.reset) {
                    fail("law 2", elevator->elevator, "a lock-out that ended by itself");
                }
                echo_[elevator->elevator] = reset_echo_[elevator->elevator];
            }
        }
    }

    void acted(const core::Action& action) override {
        const auto* order = std::get_if<core::WriteCommand>(&action);
        if (order != nullptr && of(order->elevator).contested()) {
            fail("law 1", order->elevator, "a write while another gateway claims the elevator");
        }
        const auto* commit = std::get_if<core::Commit>(&action);
        if (commit == nullptr) {
            return;
        }
        for (const core::JournalWrite& write : commit->writes) {
            const auto* row = std::get_if<core::ElevatorRow>(&write);
            if (row != nullptr && of(row->elevator).reset && of(row->elevator).last) {
                reset_echo_[row->elevator] = of(row->elevator).last->ack.echo;
            }
        }
    }

  private:
    // The same command for a second time: only on proof that the first write was not taken.
    void check_again(const core::WriteCommand& action,
                     const core::Reading& reading,
                     ElevatorFacts& at) const {
        const Attempt& present = *at.attempt();
        if (present.writes > 0) {
            if (present.writes > 1) {
                fail("law 4", action.elevator, present.seq() + " sent again for a second time");
            }
            if (!present.proves_not_taken(reading, at.config->scan)) {
                fail("law 4", action.elevator, present.seq() + " sent again without proof");
            }
        }
        for (const Attempt& before : at.attempts) {
            const bool other_try = &before != &present && before.seq() == present.seq();
            const bool proved = before.saw_busy || before.writes == 0 ||
                                before.outcome == core::WriteOutcome::Kind::busy ||
                                before.outcome == core::WriteOutcome::Kind::not_written;
            if (other_try && !proved) {
                fail("law 4",
                     action.elevator,
                     present.seq() + " sent again with a new wire_seq, its outcome unknown");
            }
        }
    }

    void check_wire_seq(const core::WriteCommand& action, const core::Reading& reading) const {
        const int wire_seq = action.command.wire_seq.value();
        const int echo = reading.ack.echo.value();
        const int ahead = (wire_seq - echo + 65535) % 65535;
        if (wire_seq == 0 || wire_seq == echo || (echo != 0 && (ahead < 1 || ahead > 32767))) {
            fail("law 3",
                 action.elevator,
                 "wire_seq " + std::to_string(wire_seq) + " is not newer than echo " +
                     std::to_string(echo));
        }
    }

    void check_echo_at_rest(const core::WriteCommand& action,
                            const core::Reading& reading,
                            ElevatorFacts& at) {
        core::Echo& expected = echo_[action.elevator];
        if (reading.ack.echo == expected) {
            return;
        }
        if (reading.ack.echo.value() == 0 && at.plc_restarted) {
            expected = core::Echo{0};
            at.plc_restarted = false;
            return;
        }
        fail("law 2",
             action.elevator,
             "written though the PLC shows echo " + std::to_string(reading.ack.echo.value()) +
                 ", which nobody can explain; " + std::to_string(expected.value()) +
                 " was expected");
    }

    void note_outcome(const core::CommandRow& row) {
        ElevatorFacts& at = of(row.command.elevator);
        for (Attempt& attempt : at.attempts) {
            if (attempt.open && attempt.seq() == row.command.seq.str() &&
                row.status != core::Status::sent && row.reason != core::Reason::operator_ &&
                (attempt.saw_accepted || attempt.saw_refused || attempt.saw_busy)) {
                echo_[row.command.elevator] = core::Echo{attempt.wire_seq().value()};
            }
        }
    }

    std::map<core::ElevatorId, core::Echo> echo_;  // what the PLC should show at rest
    std::map<core::ElevatorId, core::Echo> reset_echo_;
};

// Every outcome of a write has its evidence.
class ProofLaw : public Law {
  public:
    using Law::Law;

    void acted(const core::Action& action) override {
        const auto* commit = std::get_if<core::Commit>(&action);
        if (commit == nullptr) {
            return;
        }
        for (const core::JournalWrite& write : commit->writes) {
            if (const auto* row = std::get_if<core::CommandRow>(&write)) {
                judge(*row);
            }
        }
    }

  private:
    void judge(const core::CommandRow& row) const {
        ElevatorFacts& at = of(row.command.elevator);
        for (Attempt& attempt : at.attempts) {
            if ((attempt.open || attempt.unknown) && !attempt.requeued &&
                attempt.seq() == row.command.seq.str()) {
                judge(row, attempt, at);
                attempt.requeued = row.status == core::Status::accepted;
            }
        }
    }

    void judge(const core::CommandRow& row, const Attempt& attempt, const ElevatorFacts& at) const {
        using Kind = core::WriteOutcome::Kind;
        const auto& id = row.command.elevator;
        const bool by_operator = at.reset && row.reason == core::Reason::operator_;
        const bool not_left = attempt.outcome == Kind::not_written || attempt.writes == 0 ||
                              (attempt.grant_closed && attempt.writes == 0);
        switch (row.status) {
            case core::Status::sent:
            case core::Status::served:  // may be seen before the acknowledgement is durable
            case core::Status::not_served:
                break;
            case core::Status::acked:
                if (!attempt.saw_accepted && !by_operator) {
                    fail("law 2", id, attempt.seq() + " acked without an acknowledgement");
                }
                break;
            case core::Status::failed: {
                const bool refused =
                    row.reason == core::Reason::plc_refused ? attempt.saw_refused
                    : row.reason == core::Reason::modbus_exception
                        ? attempt.outcome == Kind::refused || attempt.outcome == Kind::busy
                        : attempt.saw_not_taken;
                if (!refused && !by_operator) {
                    fail("law 4", id, attempt.seq() + " failed without proof");
                }
                break;
            }
            case core::Status::accepted:
                if (!attempt.saw_busy && attempt.outcome != Kind::busy && !not_left) {
                    fail("law 4", id, attempt.seq() + " queued again without proof");
                }
                break;
            case core::Status::unknown: {
                const bool locked = at.row && at.row->lock_out != core::LockOut::none;
                if (attempt.reads < 3 && !locked && !attempt.unknown) {
                    fail("law 4", id, attempt.seq() + " given up before three read-backs");
                }
                break;
            }
            default:
                fail("law 10", id, attempt.seq() + " ended as never written after its intent");
        }
    }
};

}  // namespace

std::unique_ptr<Law> make_gate_law(Facts& facts) {
    return std::make_unique<GateLaw>(facts);
}

std::unique_ptr<Law> make_proof_law(Facts& facts) {
    return std::make_unique<ProofLaw>(facts);
}

}  // namespace liftwarden::sim_test
