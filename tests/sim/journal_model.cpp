#include "tests/sim/journal_model.hpp"

#include <algorithm>

namespace liftwarden::sim_test {

using namespace std::chrono_literals;

JournalModel::JournalModel(Checker& checker,
                           Scheduler& scheduler,
                           Jitter jitter,
                           Post post,
                           Publish publish,
                           Reached reached)
    : checker_(&checker),
      scheduler_(&scheduler),
      jitter_(jitter),
      post_(std::move(post)),
      publish_(std::move(publish)),
      reached_(std::move(reached)) {}

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
        scheduler_->in_process(1s, [this, generation = generation_] {
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
    core::Duration takes = jitter_.between(scheduler_->now(), 100us, 5ms);
    if (slow_ && jitter_.coin(scheduler_->now())) {
        takes *= 100;
    }
    takes = std::max(takes, stuck_);
    scheduler_->in_process(takes, [this, generation = generation_] { finish(generation); });
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
            if (const auto* row = find(event.command)) {
                event.ledger = *row;
            }
            events.emplace_back(std::move(event));
        } else {
            apply(job);
            events.emplace_back(core::Committed{job.ticket});
        }
    }
    busy_ = false;
    if (died(done)) {
        return;
    }
    for (core::Event& event : events) {
        post_(std::move(event));
        if (generation != generation_) {
            return;
        }
    }
    for (const core::ResultMessage& message : std::exchange(outbox_, {})) {
        publish_(message);
    }
    if (std::any_of(waiting_.begin(), waiting_.end(), [](const Job& job) { return job.urgent; })) {
        start();
    }
}

// Just after these became durable, before anybody hears of it.
bool JournalModel::died(const std::vector<Job>& done) {
    for (const Job& job : done) {
        for (const core::JournalWrite& write : job.writes) {
            const auto* row = std::get_if<core::CommandRow>(&write);
            if (row == nullptr) {
                continue;
            }
            const Stage stage = row->status == core::Status::accepted ? Stage::accepted_durable
                                : row->status == core::Status::sent   ? Stage::intent_durable
                                                                      : Stage::outcome_durable;
            if (reached_(stage)) {
                return true;
            }
        }
    }
    return false;
}

void JournalModel::apply(const Job& job) {
    for (const core::JournalWrite& write : job.writes) {
        if (const auto* row = std::get_if<core::CommandRow>(&write)) {
            commands_[{row->command.elevator.str(), row->command.seq.str()}] = *row;
        } else if (const auto* elevator = std::get_if<core::ElevatorRow>(&write)) {
            elevators_[elevator->elevator.str()] = *elevator;
        } else if (const auto* result = std::get_if<core::ResultMessage>(&write)) {
            outbox_.push_back(*result);
        }
    }
    checker_->durable(job.writes);
}

void JournalModel::crash() {
    ++generation_;
    // The transaction under way may have reached the disk.
    if (busy_ && jitter_.coin(scheduler_->now())) {
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

void JournalModel::lose(std::size_t elevators) {
    commands_.clear();
    elevators_.clear();
    outbox_.clear();
    lost_elevators_ = elevators;
}

core::Recovered JournalModel::recover() {
    core::Recovered recovered;
    recovered.ledger_lost = elevators_.size() < lost_elevators_;
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

const core::CommandRow* JournalModel::find(const core::Command& command) const {
    const auto found = commands_.find({command.elevator.str(), command.seq.str()});
    return found == commands_.end() ? nullptr : &found->second;
}

}  // namespace liftwarden::sim_test
