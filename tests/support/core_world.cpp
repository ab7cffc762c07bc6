#include "tests/support/core_world.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace liftwarden::test {

using namespace core;

namespace {

// Not an assertion of Catch: it must also end a helper in the middle of a loop.
void rule(bool holds, const std::string& what) {
    if (!holds) {
        throw std::logic_error("the core broke a rule: " + what);
    }
}

void append(Actions& all, const Actions& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void RememberingJournal::apply(const Commit& commit) {
    for (const JournalWrite& write : commit.writes) {
        std::visit(
            [this](const auto& it) {
                using W = std::decay_t<decltype(it)>;
                if constexpr (std::is_same_v<W, CommandRow>) {
                    const auto old =
                        std::find_if(commands.begin(), commands.end(), [&](const CommandRow& row) {
                            return row.command.seq == it.command.seq;
                        });
                    if (old == commands.end()) {
                        commands.push_back(it);
                    } else {
                        *old = it;
                    }
                } else if constexpr (std::is_same_v<W, ElevatorRow>) {
                    elevators[it.elevator.str()] = it;
                } else if constexpr (std::is_same_v<W, ResultMessage>) {
                    outbox.push_back(it);
                } else {
                    alarms.push_back(it);
                }
            },
            write);
    }
}

bool RememberingJournal::has_final(const Seq& seq) const {
    return std::any_of(outbox.begin(), outbox.end(), [&](const ResultMessage& message) {
        return message.seq == seq && is_final(message.status);
    });
}

std::optional<CommandRow> RememberingJournal::find(const Seq& seq) const {
    for (const CommandRow& row : commands) {
        if (row.command.seq == seq) {
            return row;
        }
    }
    return std::nullopt;
}

Recovered RememberingJournal::recover() const {
    Recovered found;
    for (const CommandRow& row : commands) {
        if (row.status == Status::accepted || row.status == Status::sent ||
            row.status == Status::unknown) {
            found.open_commands.push_back(row);
        }
    }
    for (const auto& [name, row] : elevators) {
        found.elevators.push_back(row);
    }
    return found;
}

World::World(GatewayConfig config, Recovered recovered)
    : lock(config.lock ? config.lock->scheme : LockScheme::redisson), config_(std::move(config)) {
    plc.state = state();
    start_gateway(recovered);
}

void World::start_gateway(const Recovered& recovered) {
    gateway_ = std::make_unique<Gateway>(config_, boot_id_, recovered, now_);
}

void World::check_deadline() const {
    const auto deadline = gateway_->next_deadline();
    rule(!deadline || *deadline > now_, "next_deadline() is not in the future after a call");
}

Actions World::drain() {
    Actions all;
    run_events(all);
    return all;
}

void World::run_events(Actions& all) {
    int turns = 0;
    while (!events_.empty()) {
        rule(++turns < 1000, "events and actions go round in a circle");
        const Event event = std::move(events_.front());
        events_.pop_front();
        Actions out;
        gateway_->handle(now_, event, out);
        check_deadline();
        if (tap) {
            tap(now_, &event, out);
        }
        for (const Action& action : out) {
            take(action);
        }
        append(all, out);
    }
}

Actions World::on_time() {
    Actions all;
    gateway_->on_time(now_, all);
    check_deadline();
    if (tap) {
        tap(now_, nullptr, all);
    }
    for (const Action& action : Actions(all)) {
        take(action);
    }
    run_events(all);
    return all;
}

Actions World::play(const Event& event) {
    events_.push_back(event);
    return drain();
}

Actions World::send(const Command& command) {
    CommandReceived event;
    event.delivery = DeliveryId{++delivery_};
    event.command = command;
    event.ledger = journal_.find(command.seq);
    return play(event);
}

Actions World::poll() {
    if (!plc.online) {
        return play(ReadFailed{el001, "no answer"});
    }
    return play(Observed{el001, plc.read(now_, ReadKind::full)});
}

Actions World::observe(const Observation& seen) {
    plc.state = seen;
    return poll();
}

Actions World::reset(TookEffect took_effect, bool force) {
    return play(ResetRequested{RequestId{++request_}, el001, took_effect, force, "erika"});
}

TimePoint World::next_moment(TimePoint end) const {
    TimePoint next = end;
    if (const auto deadline = gateway_->next_deadline()) {
        next = std::min(next, std::max(*deadline, now_));
    }
    if (automatic.poll) {
        next = std::min(next, next_poll_);
    }
    if (probing()) {
        next = std::min(next, next_probe_);
    }
    if (!later_.empty()) {
        next = std::min(next, later_.begin()->first);
    }
    if (!delayed_commits_.empty()) {
        next = std::min(next, delayed_commits_.front().at);
    }
    return std::max(next, now_);
}

Actions World::advance(Duration time) {
    Actions all;
    const TimePoint end = now_ + time;
    for (;;) {
        now_ = next_moment(end);
        while (!later_.empty() && later_.begin()->first <= now_) {
            const auto what = std::move(later_.begin()->second);
            later_.erase(later_.begin());
            what();
            append(all, drain());
        }
        while (!delayed_commits_.empty() && delayed_commits_.front().at <= now_) {
            events_.push_back(Committed{delayed_commits_.front().ticket});
            delayed_commits_.pop_front();
            journal_.apply(open_commits_.front());
            open_commits_.pop_front();
            append(all, drain());
        }
        const auto deadline = gateway_->next_deadline();
        if (deadline && *deadline <= now_) {
            append(all, on_time());
        }
        if (automatic.poll && next_poll_ <= now_) {
            next_poll_ = now_ + config_.elevators.front().poll;
            append(all, poll());
        }
        if (probing() && next_probe_ <= now_) {
            next_probe_ = now_ + config_.lock->probe;
            append(all, play(lock.probe(now_)));
        }
        if (now_ >= end && next_moment(end + 1ns) > end) {
            return all;
        }
    }
}

bool World::run_until(const std::function<bool()>& condition, Duration limit) {
    const TimePoint end = now_ + limit;
    while (!condition()) {
        if (now_ >= end) {
            return false;
        }
        advance(50ms);
    }
    return true;
}

void World::later(Duration after, std::function<void()> what) {
    later_.emplace(now_ + after, std::move(what));
}

void World::take(const Action& action) {
    std::visit(
        [this](const auto& it) {
            using A = std::decay_t<decltype(it)>;
            if constexpr (std::is_same_v<A, Settle>) {
                rule(settled_.insert(it.delivery.value()).second, "a delivery is settled twice");
            } else if constexpr (std::is_same_v<A, Commit>) {
                take_commit(it);
            } else if constexpr (std::is_same_v<A, PublishResult>) {
                take_message(it.message);
            } else if constexpr (std::is_same_v<A, RequestGrant>) {
                ++grants_;
                asked_ = it.grant;
                if (automatic.grant) {
                    if (plc.online) {
                        events_.push_back(
                            GrantOpened{it.elevator, it.grant, plc.read(now_, ReadKind::full)});
                    } else {
                        events_.push_back(ReadFailed{it.elevator, "no answer"});
                        events_.push_back(GrantClosed{it.elevator, it.grant, "no answer"});
                    }
                }
            } else if constexpr (std::is_same_v<A, ReleaseGrant>) {
                ++released_;
                asked_.reset();
            } else if constexpr (std::is_same_v<A, CheckLock>) {
                if (automatic.check_lock) {
                    events_.push_back(lock.answer(now_, it));
                }
            } else if constexpr (std::is_same_v<A, HoldLock> || std::is_same_v<A, ReturnLock>) {
                events_.push_back(lock.answer(now_, it));
            } else if constexpr (std::is_same_v<A, WriteCommand>) {
                take_write(it);
            } else if constexpr (std::is_same_v<A, RequestRead>) {
                if (automatic.read) {
                    if (plc.online) {
                        events_.push_back(Observed{it.elevator, plc.read(now_, it.kind)});
                    } else {
                        events_.push_back(ReadFailed{it.elevator, "no answer"});
                    }
                }
            } else if constexpr (std::is_same_v<A, WriteHeartbeat>) {
                later(heartbeat_delay, [this, value = it.value] {
                    plc.heartbeat = plc.online ? value : plc.heartbeat;
                });
            } else if constexpr (std::is_same_v<A, ResetLink>) {
                ++plc.link;
            } else if constexpr (std::is_same_v<A, Raise>) {
                alarms_.push_back(it.alarm);
            } else if constexpr (std::is_same_v<A, ControlReply>) {
                replies_.push_back(it);
            }
        },
        action);
}

void World::take_commit(const Commit& commit) {
    open_commits_.push_back(commit);
    for (const JournalWrite& write : commit.writes) {
        if (const auto* message = std::get_if<ResultMessage>(&write)) {
            const bool again = is_final(message->status) && journal_.has_final(*message->seq);
            rule(!again, "a second final result of " + message->seq->str());
            take_message(*message);
        }
    }
    if (!automatic.commit) {
        return;
    }
    if (commit_delay > Duration{}) {
        delayed_commits_.push_back({now_ + commit_delay, commit.ticket});
        return;
    }
    make_durable();
}

void World::make_durable() {
    while (!open_commits_.empty()) {
        journal_.apply(open_commits_.front());
        events_.push_back(Committed{open_commits_.front().ticket});
        open_commits_.pop_front();
    }
    delayed_commits_.clear();
}

Actions World::commit_all() {
    make_durable();
    return drain();
}

void World::take_write(const WriteCommand& write) {
    const auto intent = std::find_if(
        journal_.commands.begin(), journal_.commands.end(), [&](const CommandRow& row) {
            return row.status == Status::sent && row.wire_seq == write.command.wire_seq;
        });
    rule(intent != journal_.commands.end(), "a write without a durable intent");
    const auto in_flight =
        std::count_if(journal_.commands.begin(), journal_.commands.end(), [](const auto& row) {
            return row.status == Status::sent || row.status == Status::unknown;
        });
    rule(in_flight == 1, "a second command between write and outcome");
    rule(write.command.content == intent->command.content,
         "what is written is what was journalled");
    writes_.push_back(write);
    write_ = write;
    asked_.reset();
    if (automatic.write) {
        perform_write();
    }
}

void World::perform_write() {
    const WriteCommand write = *write_;
    WriteOutcome outcome{plc.write_outcome, std::nullopt, ""};
    if (now_ > write.not_after || !plc.online) {
        outcome.kind = WriteOutcome::Kind::not_written;
    }
    if (outcome.kind == WriteOutcome::Kind::confirmed ||
        outcome.kind == WriteOutcome::Kind::unknown) {
        plc.write(now_, write.command);
    }
    outcome.detail = std::string("scripted: ") + to_string(outcome.kind);
    events_.push_back(WriteDone{write.elevator, write.grant, outcome});
    write_.reset();
}

Actions World::open_grant() {
    return open_grant(plc.read(now_, ReadKind::full));
}

Actions World::open_grant(const Reading& fresh) {
    rule(asked_.has_value(), "(of the test) no grant was asked for");
    return play(GrantOpened{el001, *asked_, fresh});
}

Actions World::close_grant() {
    rule(asked_.has_value(), "(of the test) no grant was asked for");
    return play(GrantClosed{el001, *std::exchange(asked_, std::nullopt), "the bus is busy"});
}

Actions World::finish_write(WriteOutcome::Kind kind) {
    rule(write_.has_value(), "(of the test) no write was ordered");
    plc.write_outcome = kind;
    perform_write();
    return drain();
}

void World::take_message(const ResultMessage& message) {
    messages_.push_back(message);
}

Actions World::crash() {
    events_.clear();
    open_commits_.clear();
    delayed_commits_.clear();
    asked_.reset();
    write_.reset();
    start_gateway(journal_.recover());
    return on_time();
}

Actions World::reboot() {
    boot_id_ = boot_id_ == "boot-1" ? "boot-2" : "boot-3";
    return crash();
}

std::string World::story(const std::string& seq) const {
    std::string out;
    for (const ResultMessage& message : messages_) {
        if (!message.seq || message.seq->str() != seq || message.duplicate || message.query) {
            continue;
        }
        out += out.empty() ? "" : " ";
        out += to_string(message.status);
        if (message.reason != Reason::none) {
            out += std::string("(") + to_string(message.reason) + ")";
        }
    }
    return out;
}

ResultMessage World::last(const std::string& seq) const {
    for (auto it = messages_.rbegin(); it != messages_.rend(); ++it) {
        if (it->seq && it->seq->str() == seq) {
            return *it;
        }
    }
    rule(false, "(of the test) nothing was reported about " + seq);
    return {};
}

std::string World::written() const {
    std::string out;
    for (const WriteCommand& write : writes_) {
        out += out.empty() ? "" : ", ";
        out +=
            describe(write.command.content) + " #" + std::to_string(write.command.wire_seq.value());
    }
    return out;
}

int World::count_alarms(const std::string& kind) const {
    return static_cast<int>(std::count_if(
        alarms_.begin(), alarms_.end(), [&](const Alarm& it) { return it.kind == kind; }));
}

ElevatorStatus World::status() const {
    return gateway_->status(now_).front();
}

std::string World::owner() const {
    const auto owner = status().session.owner;
    return owner ? describe(*owner) : "none";
}

std::optional<TimePoint> World::next_deadline() const {
    return gateway_->next_deadline();
}

void World::drive_car() {
    plc.on_execute = [this](const WireCommand& command) { move_car(command); };
}

void World::plan_car(int plan, Duration after, std::function<void()> what) {
    later(after, [this, plan, what = std::move(what)] {
        if (plan == car_plan_) {
            what();
        }
    });
}

// The newest order replaces what was planned; doors close before the car leaves.
void World::move_car(const WireCommand& command) {
    const Content& content = command.content;
    if (content.action == ActionKind::hold_door) {
        return;  // this car's doors stay open by themselves
    }
    const int plan = ++car_plan_;
    const auto door = [this](DoorState to) { return [this, to] { plc.state.front = to; }; };
    Duration at = 300ms;
    const auto open = [&] {
        plan_car(plan, at, door(DoorState::opening));
        plan_car(plan, at + door_time, door(DoorState::open));
    };
    const auto close = [&] {
        plan_car(plan, at, door(DoorState::closing));
        plan_car(plan, at + door_time, door(DoorState::closed));
    };
    if (content.action == ActionKind::open_door) {
        open();
    } else if (content.action == ActionKind::close_door) {
        close();
    } else if (content.action == ActionKind::set_mode) {
        const bool agv = content.mode == OrderedMode::agv;
        plan_car(plan, at, [this, agv] {
            plc.state.mode = agv ? ServiceMode::agv : ServiceMode::normal;
        });
    } else if (is_call(content.action)) {
        if (plc.state.floor != content.floor) {
            if (plc.state.front != DoorState::closed) {
                close();
                at += door_time + 100ms;
            }
            const int from = std::stoi(plc.state.floor->str());
            const int to = std::stoi(content.floor->str());
            plan_car(plan, at, [this, from, to] {
                plc.state.travel = to > from ? Travel::up : Travel::down;
            });
            for (int floor = from; floor != to;) {
                floor += to > from ? 1 : -1;
                at += 2s;
                plan_car(plan, at, [this, floor] {
                    plc.state.floor = FloorLabel{std::to_string(floor)};
                });
            }
            plan_car(plan, at, [this] { plc.state.travel = Travel::stopped; });
        }
        open();
    }
}

}  // namespace liftwarden::test
