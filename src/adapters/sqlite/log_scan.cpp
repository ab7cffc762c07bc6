#include "src/adapters/sqlite/log_scan.hpp"

#include "src/wire/journal_text.hpp"

#include <algorithm>
#include <utility>

namespace liftwarden::sqlite {
namespace {

// Rows are in order of receipt, wall times are not quite: the clock may have been stepped. So many
// rows in a row from before `since` end a walk.
constexpr int enough_too_old = 1000;

constexpr const char* all_commands =
    "SELECT id, at, changed_at, elevator, seq, body FROM command WHERE id < ?1 ORDER BY id DESC";
// Goes through the unique index instead of the whole table.
constexpr const char* one_command =
    "SELECT id, at, changed_at, elevator, seq, body FROM command"
    " WHERE +id < ?1 AND elevator = ?2 AND seq = ?3";

core::WallTime wall(std::int64_t ms) {
    return core::WallTime(std::chrono::milliseconds(ms));
}

// A row that cannot be decoded is shown with what its columns say.
core::CommandRow command_of(const Run& run) {
    auto row = wire::decode_command_row(run.text(5));
    if (row) {
        return std::move(*row);
    }
    core::CommandRow stub;
    stub.command.elevator = core::ElevatorId(run.text(3));
    stub.command.seq = core::Seq(run.text(4));
    stub.detail = "this row cannot be read: " + row.error().text;
    return stub;
}

core::Alarm alarm_of(const Run& run) {
    core::Alarm alarm;
    alarm.elevator = core::ElevatorId(run.text(2));
    if (!run.is_null(3)) {
        alarm.seq = core::Seq(run.text(3));
    }
    alarm.kind = run.text(4);
    alarm.alarm = run.integer(5) != 0;
    if (!run.is_null(6)) {
        alarm.source = core::SourceId(run.text(6));
    }
    alarm.detail = run.text(7);
    return alarm;
}

}  // namespace

LogScan::LogScan(Connection& connection, LogFilter filter)
    : filter_(std::move(filter)),
      commands_(connection, filter_.elevator && filter_.seq ? one_command : all_commands),
      audit_(connection,
             "SELECT id, at, elevator, seq, kind, alarm, source, detail FROM audit WHERE id < ?"
             " ORDER BY id DESC") {
    filter_.limit = std::min(filter_.limit, most_log_entries);
}

bool LogScan::slice(std::chrono::steady_clock::time_point end) {
    return commands_slice(end) && audit_slice(end);
}

bool LogScan::commands_slice(std::chrono::steady_clock::time_point end) {
    Run run(commands_);
    run.bind(command_walk_.before);
    if (filter_.elevator && filter_.seq) {
        run.bind(filter_.elevator->str()).bind(filter_.seq->str());
    }
    while (!exhausted(command_walk_)) {
        if (!run.step()) {
            command_walk_.done = true;
            break;
        }
        command_walk_.before = run.integer(0);
        const bool matches = (!filter_.elevator || run.text(3) == filter_.elevator->str()) &&
                             (!filter_.seq || run.text(4) == filter_.seq->str());
        if (wanted(command_walk_, run.integer(1), matches)) {
            entries_.push_back(
                {wall(run.integer(1)), LoggedCommand{command_of(run), wall(run.integer(2))}});
        }
        if (std::chrono::steady_clock::now() >= end) {
            return exhausted(command_walk_);
        }
    }
    return true;
}

bool LogScan::audit_slice(std::chrono::steady_clock::time_point end) {
    Run run(audit_);
    run.bind(audit_walk_.before);
    while (!exhausted(audit_walk_)) {
        if (!run.step()) {
            audit_walk_.done = true;
            break;
        }
        audit_walk_.before = run.integer(0);
        const bool matches =
            (!filter_.elevator || run.text(2) == filter_.elevator->str()) &&
            (!filter_.seq || (!run.is_null(3) && run.text(3) == filter_.seq->str()));
        if (wanted(audit_walk_, run.integer(1), matches)) {
            entries_.push_back({wall(run.integer(1)), alarm_of(run)});
        }
        if (std::chrono::steady_clock::now() >= end) {
            return exhausted(audit_walk_);
        }
    }
    return true;
}

bool LogScan::wanted(Walk& walk, std::int64_t at, bool matches) const {
    const bool too_old = filter_.since && wall(at) < *filter_.since;
    walk.too_old = too_old ? walk.too_old + 1 : 0;
    if (too_old || !matches) {
        return false;
    }
    ++walk.found;
    return true;
}

bool LogScan::exhausted(const Walk& walk) const {
    return walk.done || walk.found >= filter_.limit || walk.too_old >= enough_too_old;
}

LogEntries LogScan::take() {
    // Newest first up to here, commands before alarms. The stable sort keeps the order of ids among
    // equal times.
    std::reverse(entries_.begin(), entries_.end());
    std::stable_sort(entries_.begin(), entries_.end(), [](const LogEntry& a, const LogEntry& b) {
        return a.at < b.at;
    });
    if (entries_.size() > filter_.limit) {
        entries_.erase(entries_.begin(),
                       entries_.end() - static_cast<std::ptrdiff_t>(filter_.limit));
    }
    return std::move(entries_);
}

}  // namespace liftwarden::sqlite
