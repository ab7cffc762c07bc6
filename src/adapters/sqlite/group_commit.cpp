#include "src/adapters/sqlite/group_commit.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::sqlite {
namespace {

using std::chrono::steady_clock;

constexpr auto longest_put_off = std::chrono::seconds{1};
constexpr std::size_t most_put_off = 1000;              // rows or so; more is committed at once
constexpr auto save_period = std::chrono::seconds{20};  // of uptime and number of commands
constexpr std::uint64_t most_uncounted = 5000;          // 1 ms or so for a start to count

}  // namespace

GroupCommit::GroupCommit(Connection& connection,
                         Store& store,
                         Retention& retention,
                         const ports::Clock& clock,
                         ports::EventSink& events,
                         ports::JournalSink& sink)
    : connection_(connection),
      store_(store),
      retention_(retention),
      clock_(clock),
      events_(events),
      sink_(sink),
      next_save_(steady_clock::now()) {}

void GroupCommit::take(core::CommandReceived event) {
    if (!transaction_ && put_off_changes(event.command)) {
        begin();
    }
    event.ledger = store_.look_up(event.command.elevator, event.command.seq);
    answer(core::Event(std::move(event)));
}

void GroupCommit::take(ports::JournalBatch batch) {
    if (batch.urgent) {
        begin();
    }
    if (transaction_) {
        apply(batch);
    } else {
        put_off_.push_back(std::move(batch));
        put_off();
    }
}

void GroupCommit::take(Published published) {
    published_.insert(published.id);
    put_off();
}

void GroupCommit::take(FetchOutbox fetch) {
    // Rows of the open transaction are told after its commit anyway.
    const ports::OutboxId before = transaction_ ? first_new_ : store_.next_outbox_id();
    answer(store_.outbox(fetch.after, before, fetch.limit, published_));
}

GroupCommit::SteadyTime GroupCommit::due() const {
    return std::min(put_off_until_.value_or(next_save_), next_save_);
}

bool GroupCommit::finish(SteadyTime now) {
    if (now >= due() || put_off_.size() + published_.size() >= most_put_off) {
        begin();
    }
    if (!transaction_) {
        return false;
    }
    if (now >= next_save_ || store_.uncounted() >= most_uncounted) {
        save(now);
    }
    commit();
    return true;
}

void GroupCommit::finish_all() {
    begin();
    save(steady_clock::now());
    commit();
}

void GroupCommit::save(SteadyTime now) {
    retention_.save_uptime(clock_.now());
    store_.save_counts();
    next_save_ = now + save_period;
}

void GroupCommit::begin() {
    if (transaction_) {
        return;
    }
    transaction_.emplace(connection_);
    stamp_ = {clock_.wall().time_since_epoch().count(), retention_.uptime_ms(clock_.now())};
    first_new_ = store_.next_outbox_id();
    for (const ports::JournalBatch& batch : std::exchange(put_off_, {})) {
        apply(batch);
    }
}

void GroupCommit::apply(const ports::JournalBatch& batch) {
    store_.apply(batch, stamp_, alarm_room_, added_);
    replies_.emplace_back(core::Event(core::Committed{batch.ticket}));
}

void GroupCommit::commit() {
    for (const ports::OutboxId id : std::exchange(published_, {})) {
        store_.remove_outbox(id);
    }
    transaction_->commit();
    transaction_.reset();
    put_off_until_.reset();
    for (Reply& reply : std::exchange(replies_, {})) {
        send(std::move(reply));
    }
    if (!added_.empty()) {
        sink_.outbox(std::exchange(added_, {}));
    }
}

void GroupCommit::answer(Reply reply) {
    if (transaction_) {
        replies_.push_back(std::move(reply));
    } else {
        send(std::move(reply));
    }
}

void GroupCommit::send(Reply reply) {
    if (auto* event = std::get_if<core::Event>(&reply)) {
        events_.post(std::move(*event));
    } else {
        sink_.outbox(std::move(std::get<std::vector<ports::OutboxMessage>>(reply)));
    }
}

void GroupCommit::put_off() {
    if (!put_off_until_) {
        put_off_until_ = steady_clock::now() + longest_put_off;
    }
}

bool GroupCommit::put_off_changes(const core::Command& command) const {
    const auto same = [&](const core::JournalWrite& write) {
        const auto* row = std::get_if<core::CommandRow>(&write);
        return row != nullptr && row->command.elevator == command.elevator &&
               row->command.seq == command.seq;
    };
    return std::any_of(put_off_.begin(), put_off_.end(), [&](const ports::JournalBatch& batch) {
        return std::any_of(batch.writes.begin(), batch.writes.end(), same);
    });
}

}  // namespace liftwarden::sqlite
