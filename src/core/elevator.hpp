// One elevator's machine: its queue, its gate and everything it knows about its PLC.
#pragma once

#include "src/core/echo_rules.hpp"
#include "src/core/effects.hpp"
#include "src/core/lock_watch.hpp"
#include "src/core/ownership.hpp"
#include "src/core/sight.hpp"
#include "src/core/table.hpp"

#include <liftwarden/core/action.hpp>
#include <liftwarden/core/config.hpp>
#include <liftwarden/core/event.hpp>
#include <liftwarden/core/gateway.hpp>
#include <liftwarden/core/journal.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace liftwarden::core {

// Numbers that are unique over all elevators of this process.
struct Numbers {
    std::uint64_t ticket = 0;
    std::uint64_t grant = 0;
};

// One call from outside: the moment it happens at, and where its actions go.
struct Turn {
    TimePoint now;
    Actions& out;
};

// A command between its admission and the commit of its outcome.
struct Entry {
    // What is answered once the row is durable: the first delivery itself, a repeat or a query.
    struct Waiting {
        DeliveryId delivery;
        std::optional<Command> again;
    };
    CommandRow row;
    std::uint64_t order = 0;  // of receipt
    Ticket ticket;            // of the commit it waits for, if any
    bool admitted = false;    // its row is durable
    bool concluding = false;  // its final outcome is not durable yet
    std::vector<Waiting> waiting;
    TimePoint not_before{};  // the PLC was busy
    int slow_rounds = 0;     // grants given back because a commit took too long

    // A crash could still make something else of a status that is not durable.
    [[nodiscard]] bool tellable() const { return admitted && !concluding; }
};

// The one command that has, or is about to get, the bus. From `writing` on it lies between write
// and outcome and nothing else may be written.
struct Flight {
    enum class Step {
        granting,           // the bus has been asked for
        checking_lock,      // the bus is held, the lock is being verified
        committing_intent,  // the bus is held, the intent is being made durable
        writing,            // the write has been ordered
        awaiting_ack,       // written; the acknowledgement registers are being read
        verifying,          // no acknowledgement, or an unclear one: only reading helps
        closing,            // the outcome is being made durable
    };
    Entry entry;
    Step step = Step::granting;
    GrantId grant;
    Ticket ticket;
    Reading fresh;                          // read in the grant
    TimePoint waiting_since{};              // for the lock, then for the commit of the intent
    std::optional<TimePoint> write_before;  // by the lock
    TimePoint written_at{};
    std::optional<TimePoint> arrived_by;  // from here on the PLC has the write, if it left at all
    TimePoint next_read{};                // when to ask for the next one
    TimePoint verify_at{};        // a read-back from here on counts as the next of the three
    int reads = 0;                // completed since the write
    int verify_reads = 0;         // completed while verifying, at their steps
    bool resend = false;          // this grant is for the one permitted resend
    bool after_restart = false;   // `sent` was found in the journal
    bool wait_announced = false;  // alarm about a link that is down has been raised

    // Nothing has left yet, and nothing will before the next decision.
    [[nodiscard]] bool before_write() const {
        return step == Step::granting || step == Step::checking_lock ||
               step == Step::committing_intent;
    }
    [[nodiscard]] bool written() const {
        return step == Step::awaiting_ack || step == Step::verifying;
    }
};

// What the head of a party is told.
struct Judgement {
    enum class Kind { send, wait, finish };
    Kind kind = Kind::wait;
    Status status = Status::rejected;
    Reason reason = Reason::none;
    std::string detail;
    std::optional<CommandRef> of;
};

[[nodiscard]] inline Judgement wait_for_now() {
    return {Judgement::Kind::wait, Status::rejected, Reason::none, "", std::nullopt};
}
[[nodiscard]] inline Judgement finish(Status status, Reason reason, std::string detail) {
    return {Judgement::Kind::finish, status, reason, std::move(detail), std::nullopt};
}
[[nodiscard]] inline Judgement rejected(Reason reason, std::string detail) {
    return finish(Status::rejected, reason, std::move(detail));
}

// Guarantees the laws of one elevator. Deterministic, no IO; owned by Gateway and called by its
// thread. Split by concern over elevator_*.cpp: admission (receive), head (who is next), grant
// (bus, intent, write), lock (its verification), mode (arbitration), flight (acknowledgement,
// outcome), verify (outcome unknown), echo (what the PLC shows at rest), lock_out (reset), owner
// (graces and effects), report (state, session, deadlines), recovery.
class Elevator {
  public:
    Elevator(const ElevatorConfig& config,
             const GatewayConfig& gateway,
             const std::string& boot_id,
             Numbers& numbers,
             LockWatch* watch);

    // From the journal; called once, before anything else. `row` nullptr: this elevator is new to
    // it.
    void recover(const ElevatorRow* row,
                 const std::vector<CommandRow>& open,
                 bool ledger_lost,
                 Turn& turn);

    // One event each; every one ends with take_turn().
    void receive(const CommandReceived& event, Turn& turn);
    void committed(Ticket ticket, Turn& turn);
    void observed(const Reading& reading, Turn& turn);
    void read_failed(const std::string& detail, Turn& turn);
    void grant_opened(const GrantOpened& event, Turn& turn);
    void grant_closed(const GrantClosed& event, Turn& turn);
    void write_done(const WriteDone& event, Turn& turn);
    void lock_checked(const LockChecked& event, Turn& turn);
    void lock_moved(const LockMoved& event, Turn& turn);
    void claimed(const GatewayId& gateway, bool claims, Turn& turn);
    void reset_requested(const ResetRequested& event, Turn& turn);
    void set_accepting(bool accepting) { accepting_ = accepting; }
    void stop(Turn& turn);
    void on_time(Turn& turn);

    [[nodiscard]] const ElevatorId& id() const { return config_->id; }
    [[nodiscard]] std::optional<TimePoint> next_deadline() const { return deadline_; }
    [[nodiscard]] ElevatorStatus status(TimePoint now) const;

  private:
    void recover_command(const CommandRow& command, Turn& turn);

    // admission
    void answer_query(const CommandReceived& event, const CommandRow* row, Entry* live, Turn& turn);
    void answer_known_query(const Command& query, const CommandRow& row, Turn& turn);
    void answer_seen(const CommandReceived& event, const CommandRow& row, Entry* live, Turn& turn);
    void answer_repeat(const Command& repeat, const CommandRow& row, Turn& turn);
    [[nodiscard]] std::uint32_t position_of(const Seq& seq) const;
    void refuse_unremembered(const CommandReceived& event,
                             Reason reason,
                             std::string detail,
                             Turn& turn);
    [[nodiscard]] std::optional<Reason> queue_limit(const Command& command,
                                                    const Party& party,
                                                    std::string& detail) const;
    void admit(const CommandReceived& event, Turn& turn);
    void answer_waiting(Entry& entry, Turn& turn);
    [[nodiscard]] Entry* find_live(const Seq& seq);

    // head
    void take_turn(Turn& turn);
    bool finish_what_must_end(Turn& turn);
    bool decide_heads(Turn& turn);
    [[nodiscard]] Judgement judge(const Entry& entry, TimePoint now) const;
    [[nodiscard]] Judgement judge_by_table(const Entry& entry, TimePoint now) const;
    [[nodiscard]] std::optional<Judgement> judge_door_place(const CommandRow& row,
                                                            const Observation& seen,
                                                            bool moving) const;
    [[nodiscard]] std::optional<Judgement> service_refusal(ActionKind action, TimePoint now) const;
    [[nodiscard]] Scene scene(const CommandRow& row, TimePoint now) const;
    [[nodiscard]] bool out_of_service(TimePoint now) const;
    [[nodiscard]] bool may_grant(TimePoint now) const;
    [[nodiscard]] Judgement expired(const Entry& entry, TimePoint now) const;
    [[nodiscard]] std::string situation(TimePoint now) const;
    void finish_queued(std::size_t index, const Judgement& judgement, Turn& turn);
    void finish_release(std::size_t index, Turn& turn);
    void requeue(Entry entry);

    // flight
    void start_grant(std::size_t index, Turn& turn);
    void commit_intent(Turn& turn);
    void order_write(Turn& turn);
    void give_bus_back(Turn& turn);
    void abandon_grant(Turn& turn);
    void offer_again(Turn& turn);
    void step_back(Turn& turn);
    void put_off_resend(TimePoint now);
    void slow_round(const char* kind, const std::string& detail, Turn& turn);
    void flight_reading(const Reading& reading, Turn& turn);
    void finish_acked(const Reading& reading, Turn& turn);
    void finish_flight(Status status, Reason reason, std::string detail, Turn& turn);
    void remember_failed(WireSeq wire_seq);
    void close_flight(Turn& turn, std::vector<JournalWrite> more);
    void flight_on_time(Turn& turn);
    void note_reversal(TimePoint now);

    // lock
    [[nodiscard]] bool lock_required() const;
    [[nodiscard]] bool may_wait(const CommandRow& row) const;
    [[nodiscard]] std::optional<Judgement> judge_lock_state(const CommandRow& row,
                                                            TimePoint now) const;
    [[nodiscard]] bool equals_last_verified(const LockClaim& claim, TimePoint now) const;
    void go_to_write(Turn& turn);
    void lock_refused(const Judgement& judgement, Turn& turn);
    void observe_lock(const std::string& why, Turn& turn);
    void notice_owner_without_lock(const CommandRow& row, Turn& turn);

    // mode
    [[nodiscard]] bool governed() const;
    void recover_mode(Turn& turn);
    void update_mode(Turn& turn);
    void change_mode(ArbitrationMode mode, const std::string& why, Turn& turn);
    void enter_lock(const std::string& why, Turn& turn);
    void notice_memory(Turn& turn);
    void hand_back(Turn& turn);
    [[nodiscard]] bool drained() const;
    void hold_own_lock(Turn& turn);
    void return_own_lock(Turn& turn);
    [[nodiscard]] std::string own_holder() const;
    [[nodiscard]] std::optional<TimePoint> takeover_at() const;
    void reset_fence(const ResetRequested& event, Turn& turn);

    // verify
    void start_verifying(Turn& turn, const std::string& why);
    void verify_reading(const Reading& reading, Turn& turn);
    void not_taken(Turn& turn);
    void resend_granted(Turn& turn);
    void give_up_verifying(const Reading& reading, Turn& turn);
    [[nodiscard]] bool is_proof(const Reading& reading, TimePoint now) const;

    // echo
    void take_reading(const Reading& reading, Turn& turn);
    void judge_at_rest(const Reading& reading, Turn& turn);
    bool resume_taken(const Reading& reading, Turn& turn);
    [[nodiscard]] RestartSigns restart_signs(const Reading& reading) const;
    void beat(Turn& turn);

    // lock_out
    void lock_out(LockOut cause, std::string detail, Turn& turn);
    void finish_reset(const Reading& reading, Turn& turn);
    [[nodiscard]] bool contested() const;
    [[nodiscard]] std::string contender() const;
    void fail_reset(const std::string& why, Turn& turn);

    // owner
    void refresh(Turn& turn);
    void notice_blindness(Turn& turn);
    [[nodiscard]] std::vector<CommandRow> follow_ups(const std::vector<Effect>& ended);
    void gain_ownership(const CommandRow& row, TimePoint now);
    void end_ownership(Turn& turn, bool alarm, const std::string& why);
    [[nodiscard]] bool owner_is_busy() const;
    [[nodiscard]] bool owned_by(const Party& party) const {
        return row_.owner && row_.owner->party == party;
    }

    // report
    [[nodiscard]] Channel channel() const;
    [[nodiscard]] StateView state_view(TimePoint now) const;
    [[nodiscard]] SessionView session_view() const;
    [[nodiscard]] ResultMessage result_for(const CommandRow& row) const;
    void publish(Turn& turn);
    void raise(const Alarm& alarm, Turn& turn);
    void tell_refusal(const Command& command,
                      Reason reason,
                      const std::string& detail,
                      Turn& turn) const;
    [[nodiscard]] Alarm alarm(const char* kind, bool is_alarm, std::string detail) const;
    Ticket commit(std::vector<JournalWrite> writes, Turn& turn, bool urgent = true);
    void save_if_changed(Turn& turn);
    void compute_deadline(TimePoint now);

    const ElevatorConfig* config_;
    const GatewayConfig* gateway_;
    const std::string* boot_id_;
    Numbers* numbers_;
    LockWatch* watch_;  // nullptr: no lock service

    ElevatorRow row_;  // what is durable; `row_dirty_` until it is committed
    bool row_dirty_ = false;
    Sight sight_;
    Effects effects_;
    Standing standing_;

    std::vector<Entry> queue_;    // in order of receipt
    std::uint64_t received_ = 0;  // commands, ever
    std::optional<Flight> flight_;
    std::vector<Entry> closing_;     // finished from the queue, outcome not yet durable
    std::vector<Entry> unresolved_;  // `unknown`: an operator has to say

    std::optional<std::uint64_t> link_;  // of the last reading
    bool read_failed_ = false;           // since the last reading
    TimePoint hold_until_{};             // no write before: the PLC restarted
    std::map<Side, TimePoint> reversed_at_;
    std::optional<TimePoint> next_beat_;
    std::map<Ticket, TimePoint> open_commits_;
    std::map<GatewayId, bool> claims_;  // of other gateways; true: overridden by --force
    struct PendingReset {
        ResetRequested request;
        TimePoint asked_at{};
        std::optional<std::uint64_t> old_link;  // readings through it do not count
        std::optional<Ticket> ticket;
    };
    std::optional<PendingReset> reset_;

    // The gateway's own hold of the lock while it hands back.
    struct Handback {
        std::optional<TimePoint> hold_again_at;  // take or renew
        std::optional<TimePoint> quarantine_until;
        bool answered = false;  // whether we may write it is known
    };
    Handback handback_;
    bool write_forbidden_ = false;       // our login may not write this lock
    bool took_over_before_ = false;      // the last run ended in edge or handback
    bool return_due_ = false;            // our hold is to be given back once the mode is durable
    std::optional<Ticket> mode_ticket_;  // the present mode is not durable yet
    // What is told: the durable one, because a crash could undo any other.
    ArbitrationMode told_mode_ = ArbitrationMode::standalone;
    std::uint64_t told_epoch_ = 0;
    struct PendingFence {
        RequestId request;
        Ticket ticket;
    };
    std::optional<PendingFence> fence_reset_;

    bool accepting_ = true;  // the journal takes new commands
    bool stopping_ = false;
    bool fault_raised_ = false;
    std::optional<TimePoint> blind_since_;  // nothing fresh to see since then
    bool blind_raised_ = false;
    std::string read_failure_;  // the last one
    std::optional<StateView> published_state_;
    std::optional<SessionView> published_session_;
    TimePoint publish_again_at_{};
    std::optional<TimePoint> deadline_;
};

}  // namespace liftwarden::core
