// Law 7: what may be written in which phase and for whom, with the phase that was ordered and has
// not shown yet. The table is written here a second time on purpose.
#include "tests/sim/laws/laws.hpp"

#include <algorithm>
#include <array>

namespace liftwarden::sim_test {
namespace {

using core::ActionKind;
using core::DoorState;
using core::Phase;

// An acknowledged command whose effect has not been seen whole.
struct Ordered {
    core::CommandRow row;
    bool car_here = false;
    bool sign = false;
    core::TimePoint acked{};

    [[nodiscard]] ActionKind action() const { return row.command.content.action; }
};

// Two accounts of what is awaited. They differ where a later process has read the acknowledgement
// and cannot know where the car stood at the write, or may not know of a sign; what either allows
// may be written.
using Beliefs = std::array<std::vector<Ordered>, 2>;

bool is_sign(const Ordered& order, const core::Observation& seen) {
    const core::Content& content = order.row.command.content;
    switch (order.action()) {
        case ActionKind::hall_call:
        case ActionKind::car_call:
            return order.car_here
                       ? seen.front == DoorState::opening || seen.front == DoorState::open
                       : phase_of(seen) == Phase::moving || seen.front == DoorState::closing ||
                             (seen.target && seen.target == content.floor);
        case ActionKind::open_door:
            return seen.front == DoorState::opening || seen.front == DoorState::open;
        case ActionKind::close_door:
            return seen.front == DoorState::closing || seen.front == DoorState::closed;
        case ActionKind::hold_door:
            return seen.front == DoorState::open;
        default:
            return seen.mode == (content.mode == core::OrderedMode::agv
                                     ? core::ServiceMode::agv
                                     : core::ServiceMode::normal);
    }
}

bool is_served(const Ordered& order, const core::Observation& seen) {
    switch (order.action()) {
        case ActionKind::hall_call:
        case ActionKind::car_call:
            return seen.travel == core::Travel::stopped &&
                   seen.floor == order.row.command.content.floor &&
                   (seen.front == DoorState::opening || seen.front == DoorState::open);
        case ActionKind::open_door:
            return seen.front == DoorState::open;
        case ActionKind::close_door:
            return seen.front == DoorState::closed;
        default:
            return is_sign(order, seen);
    }
}

struct Moment {
    Phase phase = Phase::idle;
    bool owned = false;
    bool by_owner = false;
    bool parked_open = false;
    bool may_reverse = true;
    bool calls_while_moving = false;
};

bool sends(ActionKind action, const Moment& at) {
    const bool anyone = at.by_owner || !at.owned;
    if (core::is_door_command(action)) {
        const bool closes = action == ActionKind::close_door;
        return ((at.phase == Phase::idle || at.phase == Phase::door_open) && anyone) ||
               (at.phase == Phase::door_opening && at.by_owner && !closes) ||
               (at.phase == Phase::door_closing && at.by_owner && (closes || at.may_reverse));
    }
    return (at.phase == Phase::idle && anyone) ||
           (at.phase == Phase::moving && at.by_owner && at.calls_while_moving) ||
           (at.phase == Phase::door_open && (at.by_owner || (!at.owned && at.parked_open)));
}

class TableLaw : public Law {
  public:
    using Law::Law;

    void posted(const core::Event& event) override {
        if (const auto* observed = std::get_if<core::Observed>(&event)) {
            look(observed->elevator, observed->reading);
        } else if (const auto* opened = std::get_if<core::GrantOpened>(&event)) {
            look(opened->elevator, opened->reading);
        } else if (const auto* done = std::get_if<core::WriteDone>(&event)) {
            const auto kind = done->outcome.kind;
            const bool may_have_left = kind == core::WriteOutcome::Kind::confirmed ||
                                       kind == core::WriteOutcome::Kind::unknown;
            if (may_have_left) {
                last_acked_.erase(done->elevator);  // something else has been sent
            }
            const auto before = before_reversal_.find(done->elevator);
            if (before == before_reversal_.end()) {
                return;
            }
            if (!may_have_left) {
                reversed_[done->elevator] = before->second;  // it did not come about
            }
            before_reversal_.erase(before);
        }
    }

    void acted(const core::Action& action) override {
        const auto* commit = std::get_if<core::Commit>(&action);
        if (commit == nullptr) {
            return;
        }
        for (const core::JournalWrite& write : commit->writes) {
            const auto* row = std::get_if<core::CommandRow>(&write);
            if (row != nullptr && row->status == core::Status::acked && row->wire_seq &&
                row->reason != core::Reason::operator_) {
                acknowledged(*row);
            } else if (row != nullptr && row->status == core::Status::coalesced) {
                check_coalesced(*row);
            }
        }
    }

    void writing(const core::WriteCommand& action,
                 const core::CommandRow& row,
                 const core::Reading& reading) override {
        const core::Observation& seen = *reading.observation;
        const core::Content& content = row.command.content;
        if (seen.fault) {
            fail("law 7", action.elevator, "written while a fault is reported");
        }
        if (core::is_door_command(content.action) && content.floor && seen.floor != content.floor) {
            fail("law 7", action.elevator, "a door command for another floor");
        }
        if (of(action.elevator).config->require_agv_mode &&
            seen.mode == core::ServiceMode::normal && content.action != ActionKind::set_mode) {
            fail("law 7", action.elevator, "written in normal mode where agv is required");
        }
        const auto& orders = expire(action.elevator)[0];
        if (std::any_of(orders.begin(), orders.end(), [](const Ordered& it) {
                return it.action() == ActionKind::set_mode;
            })) {
            fail("law 7", action.elevator, "written while a change of mode is awaited");
        }
        check_phase(action, row, phase_of(seen), "");
        // What was ordered in doubt counts as either.
        const Phase ordered = ordered_phase(orders_[action.elevator][0], phase_of(seen));
        const Phase otherwise = ordered_phase(orders_[action.elevator][1], phase_of(seen));
        if (!sends(content.action, moment(row, otherwise))) {
            check_phase(action, row, ordered, " (as ordered)");
        }
        const bool reverses =
            content.action == ActionKind::open_door || content.action == ActionKind::hold_door;
        if (reverses && (seen.front == DoorState::closing || ordered == Phase::door_closing)) {
            before_reversal_[action.elevator] = reversed_[action.elevator];
            reversed_[action.elevator] = facts_.now();
        }
    }

    void started(bool rebooted) override {
        for (auto& [id, beliefs] : orders_) {
            for (std::vector<Ordered>& orders : beliefs) {
                // What had not become durable is unknown to the new process.
                std::erase_if(orders, [&, elevator = id](const Ordered& order) {
                    const Known* known = facts_.find(elevator, order.row.command.seq.str());
                    return known == nullptr || !known->row ||
                           known->row->status != core::Status::acked;
                });
                for (Ordered& order : orders) {
                    order.acked = rebooted ? facts_.now() : order.acked;
                    order.sign = order.sign && &orders == &beliefs[0];  // if it was saved
                }
            }
            idle_since_.erase(id);
        }
        if (rebooted) {
            last_acked_.clear();
        }
    }

    void ledger_lost() override {
        orders_.clear();
        last_acked_.clear();
    }

  private:
    struct LastAcked {
        core::CommandRow row;
        core::TimePoint at{};
    };

    void look(const core::ElevatorId& id, const core::Reading& reading) {
        if (!reading.observation) {
            return;
        }
        const ElevatorFacts& at = of(id);
        const core::Observation* fresh = at.fresh(facts_.now());
        const bool gap =
            at.seen.size() < 2 ||
            facts_.now() - at.seen[at.seen.size() - 2].reading.at >= at.config->stale_after;
        if (fresh == nullptr || phase_of(*fresh) != Phase::idle) {
            idle_since_.erase(id);
        } else if (gap || !idle_since_.contains(id)) {
            idle_since_[id] = facts_.now();
        }
        if (fresh == nullptr) {
            return;
        }
        for (std::vector<Ordered>& orders : orders_[id]) {
            std::erase_if(orders, [&](Ordered& order) {
                if (reading.at < order.acked) {
                    return false;
                }
                order.sign = order.sign || is_sign(order, *fresh);
                return is_served(order, *fresh);
            });
        }
        expire(id);
    }

    Beliefs& expire(const core::ElevatorId& id) {
        const core::ElevatorConfig& config = *of(id).config;
        const core::TimePoint now = facts_.now();
        const auto idle = idle_since_.find(id);
        const bool stood = idle != idle_since_.end() && now >= idle->second + config.settle;
        for (std::vector<Ordered>& orders : orders_[id]) {
            std::erase_if(orders, [&](const Ordered& order) {
                const bool effect_over = now >= order.acked + config.effect_timeout;
                return (!order.sign && effect_over) ||
                       (order.sign && core::is_call(order.action()) && effect_over && stood) ||
                       now >= order.acked + config.served_timeout;
            });
        }
        return orders_[id];
    }

    void acknowledged(const core::CommandRow& row) {
        ElevatorFacts& at = of(row.command.elevator);
        const Attempt* attempt = at.attempt();
        Ordered order;
        order.row = row;
        order.acked = facts_.now();
        const bool known = attempt != nullptr && attempt->before.observation;
        order.car_here = known && attempt->before.observation->travel == core::Travel::stopped &&
                         attempt->before.observation->floor == row.command.content.floor;
        Beliefs& beliefs = orders_[row.command.elevator];
        beliefs[0].push_back(order);
        // A later process cannot know where the car stood at the write.
        order.car_here = known && attempt->restarted ? !order.car_here : order.car_here;
        beliefs[1].push_back(std::move(order));
        last_acked_[row.command.elevator] = {row, facts_.now()};
    }

    static Phase ordered_phase(const std::vector<Ordered>& orders, Phase raw) {
        for (auto order = orders.rbegin(); order != orders.rend(); ++order) {
            if (order->sign) {
                continue;
            }
            if (core::is_call(order->action())) {
                return order->car_here ? Phase::door_opening : Phase::moving;
            }
            if (order->action() == ActionKind::open_door) {
                return Phase::door_opening;
            }
            if (order->action() == ActionKind::close_door) {
                return Phase::door_closing;
            }
        }
        const bool on_its_way = std::any_of(orders.begin(), orders.end(), [](const Ordered& it) {
            return core::is_call(it.action()) && it.sign;
        });
        return raw == Phase::idle && on_its_way ? Phase::moving : raw;
    }

    Moment moment(const core::CommandRow& row, Phase phase) const {
        const ElevatorFacts& at = of(row.command.elevator);
        const core::TimePoint now = facts_.now();
        Moment moment;
        moment.phase = phase;
        moment.owned = at.owner.has_value();
        moment.by_owner = at.owner && *at.owner == row.party;
        moment.calls_while_moving = at.config->calls_while_moving == core::CallsWhileMoving::allow;
        const core::Duration open_for =
            at.config->parks_open ? core::Duration{} : at.config->unowned_open;
        moment.parked_open =
            now - at.unowned_since >= open_for &&
            at.all_since(now - open_for, now, [](const core::Observation& it) {
                return phase_of(it) == Phase::door_open && !it.occupied.value_or(false);
            });
        const auto reversed = reversed_.find(row.command.elevator);
        moment.may_reverse = reversed == reversed_.end() || reversed->second == core::TimePoint{} ||
                             now >= reversed->second + at.config->door_reversal_guard;
        return moment;
    }

    void check_phase(const core::WriteCommand& action,
                     const core::CommandRow& row,
                     Phase phase,
                     const char* how) const {
        const Moment at = moment(row, phase);
        if (!sends(row.command.content.action, at)) {
            fail("law 7",
                 action.elevator,
                 core::describe(row.command.content) + " of " + core::describe(row.party) +
                     " written while " + core::to_string(phase) + how +
                     (at.by_owner ? ", by the owner"
                      : at.owned  ? ", owned by " + core::describe(*of(action.elevator).owner)
                                  : ", unowned"));
        }
    }

    // A command that stands behind another: the same order, just acknowledged, still having effect.
    void check_coalesced(const core::CommandRow& row) {
        const auto& id = row.command.elevator;
        const auto last = last_acked_.find(id);
        const auto not_like_that = [&](const char* why) {
            fail("coalescing", id, row.command.seq.str() + " coalesced " + why);
        };
        if (last == last_acked_.end() || !row.of || row.of->seq != last->second.row.command.seq) {
            not_like_that("with a command that is not the last one sent");
        }
        const core::Content& mine = row.command.content;
        const core::Content& first = last->second.row.command.content;
        if (mine.action != first.action || mine.floor != first.floor || mine.door != first.door ||
            !(core::is_call(mine.action) || core::is_door_command(mine.action)) ||
            mine.action == ActionKind::hold_door) {
            not_like_that("with another order");
        }
        if (facts_.now() - last->second.at > facts_.config->queue.coalesce_window) {
            not_like_that("after the window");
        }
        const auto& owner = of(id).owner;
        if (!(owner && *owner == last->second.row.party) && row.party != last->second.row.party) {
            not_like_that("with a command whose sender has gone");
        }
        const core::Observation* seen = of(id).fresh(facts_.now());
        if (seen == nullptr) {
            not_like_that("without a fresh look");
        }
        const Beliefs& beliefs = expire(id);
        const Phase raw = phase_of(*seen);
        const bool stands_open =
            seen->floor == first.floor && raw != Phase::idle && raw != Phase::moving;
        const bool moves_on =
            seen->front ==
            (mine.action == ActionKind::open_door ? DoorState::opening : DoorState::closing);
        const bool awaited = std::any_of(beliefs.begin(), beliefs.end(), [&](const auto& orders) {
            return std::any_of(orders.begin(), orders.end(), [&](const Ordered& it) {
                return it.row.command.seq == last->second.row.command.seq &&
                       (core::is_call(mine.action) || !it.sign);
            });
        });
        const bool holds = awaited || (core::is_call(mine.action) ? stands_open : moves_on);
        if (!holds) {
            not_like_that("though the effect is gone");
        }
    }

    std::map<core::ElevatorId, Beliefs> orders_;
    std::map<core::ElevatorId, core::TimePoint> idle_since_;
    std::map<core::ElevatorId, core::TimePoint> reversed_;
    std::map<core::ElevatorId, core::TimePoint> before_reversal_;  // while a write is open
    std::map<core::ElevatorId, LastAcked> last_acked_;
};

}  // namespace

std::unique_ptr<Law> make_table_law(Facts& facts) {
    return std::make_unique<TableLaw>(facts);
}

}  // namespace liftwarden::sim_test
