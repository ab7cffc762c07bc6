#include "tests/sim/journal_model.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

using namespace std::chrono_literals;

JournalModel::JournalModel(
    Scheduler& scheduler, Rng& rng, Post post, Publish publish, Durable durable)
    : scheduler_(&scheduler),
      rng_(&rng),
      post_(std::move(post)),
      publish_(std::move(publish)),
      durable_(std::move(durable)) {}

void JournalModel::look_up(core::CommandReceived event) {
    Job job;
    job.look_up = std::move(event);
    waiting_.push_back(std::move(job));
    start();
}

void JournalModel::commit(core::Ticket ticket,
                          std::vector<core::JournalWrite> writes,
                          bool urgent) {
    waiting_.push_back(Job{std::nullopt, ticket, std::move(writes), urgent});
    if (urgent) {
        start();
    } else {
        const std::uint64_t generation = generation_;
        scheduler_->in(1s, [this, generation] {
            if (generation == generation_) {
                start();
            }
        });
    }
}

void JournalModel::start() {
    if (busy_ || waiting_.empty()) {
        return;
    }
    busy_ = true;
    running_.assign(std::make_move_iterator(waiting_.begin()),
                    std::make_move_iterator(waiting_.end()));
    waiting_.clear();
    const core::Duration takes =
        rng_->chance(slow_) ? rng_->between(50ms, 500ms) : rng_->between(100us, 5ms);
    const std::uint64_t generation = generation_;
    scheduler_->in(takes, [this, generation] { finish(generation); });
}

void JournalModel::finish(std::uint64_t generation) {
    if (generation != generation_) {
        return;
    }
    const std::vector<Job> done = std::exchange(running_, {});
    std::vector<core::Event> events;
    for (const Job& job : done) {
        if (job.look_up) {
            core::CommandReceived event = *job.look_up;
            if (const auto* row = find(event.command.elevator, event.command.seq)) {
                event.ledger = *row;
            }
            events.emplace_back(std::move(event));
        } else {
            apply(job);
            events.emplace_back(core::Committed{job.ticket});
        }
    }
    busy_ = false;
    for (core::Event& event : events) {
        post_(std::move(event));
    }
    for (const core::ResultMessage& message : std::exchange(outbox_, {})) {
        publish_(message);
    }
    if (std::any_of(waiting_.begin(), waiting_.end(), [](const Job& job) { return job.urgent; })) {
        start();
    }
}

void JournalModel::apply(const Job& job) {
    for (const core::JournalWrite& write : job.writes) {
        if (const auto* row = std::get_if<core::CommandRow>(&write)) {
            commands_[{row->command.elevator.str(), row->command.seq.str()}] = *row;
            durable_(*row);
        } else if (const auto* elevator = std::get_if<core::ElevatorRow>(&write)) {
            elevators_[elevator->elevator.str()] = *elevator;
        } else if (const auto* result = std::get_if<core::ResultMessage>(&write)) {
            outbox_.push_back(*result);
        }
    }
}

void JournalModel::crash() {
    ++generation_;
    // The transaction under way may have reached the disk.
    if (busy_ && rng_->chance(0.5)) {
        for (const Job& job : running_) {
            if (!job.look_up) {
                apply(job);
            }
        }
    }
    running_.clear();
    waiting_.clear();
    busy_ = false;
}

core::Recovered JournalModel::recover() {
    core::Recovered recovered;
    for (const auto& [key, row] : commands_) {
        if (row.status == core::Status::accepted || row.status == core::Status::sent ||
            row.status == core::Status::unknown) {
            recovered.open_commands.push_back(row);
        }
    }
    std::stable_sort(recovered.open_commands.begin(),
                     recovered.open_commands.end(),
                     [](const auto& a, const auto& b) { return a.received_at < b.received_at; });
    for (const auto& [id, row] : elevators_) {
        recovered.elevators.push_back(row);
    }
    for (const core::ResultMessage& message : std::exchange(outbox_, {})) {
        publish_(message);
    }
    return recovered;
}

const core::CommandRow* JournalModel::find(const core::ElevatorId& elevator,
                                           const core::Seq& seq) const {
    const auto found = commands_.find({elevator.str(), seq.str()});
    return found == commands_.end() ? nullptr : &found->second;
}

}  // namespace liftwarden::sim_test
