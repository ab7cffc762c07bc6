#include "src/adapters/sqlite/store.hpp"

#include "src/wire/journal_text.hpp"

#include <liftwarden/core/assert.hpp>

#include <fmt/format.h>

#include <type_traits>
#include <utility>

namespace liftwarden::sqlite {
namespace {

constexpr std::string_view commands_key = "commands";
constexpr std::string_view commands_through_key = "commands_through";
constexpr std::string_view ledger_lost_key = "ledger_lost";

std::uint64_t alarm_bytes(const core::Alarm& alarm) {
    constexpr std::uint64_t other_columns = 128;
    return other_columns + alarm.kind.size() + alarm.detail.size();
}

}  // namespace

Store::Store(Connection& connection)
    : connection_(connection),
      look_up_(connection, "SELECT body FROM command WHERE elevator = ? AND seq = ?"),
      put_command_(connection,
                   "INSERT INTO command(elevator, seq, status, source, at, changed_at, uptime,"
                   " changed_uptime, body) VALUES(?1, ?2, ?3, ?4, ?5, ?5, ?6, ?6, ?7)"
                   " ON CONFLICT(elevator, seq) DO UPDATE SET status = excluded.status,"
                   " source = excluded.source, changed_at = excluded.changed_at,"
                   " changed_uptime = excluded.changed_uptime, body = excluded.body"),
      put_elevator_(connection,
                    "INSERT INTO elevator(id, body) VALUES(?, ?)"
                    " ON CONFLICT(id) DO UPDATE SET body = excluded.body"),
      put_audit_(connection,
                 "INSERT INTO audit(at, uptime, elevator, kind, alarm, source, seq, detail)"
                 " VALUES(?, ?, ?, ?, ?, ?, ?, ?)"),
      put_outbox_(connection,
                  "INSERT INTO outbox(id, topic, payload, correlation) VALUES(?, ?, ?, ?)"),
      delete_outbox_(connection, "DELETE FROM outbox WHERE id = ?"),
      get_outbox_(connection,
                  "SELECT id, topic, payload, correlation FROM outbox WHERE id > ? AND id < ?"
                  " ORDER BY id"),
      delete_command_(connection, "DELETE FROM command WHERE id = ?"),
      delete_audit_(connection, "DELETE FROM audit WHERE id = ?"),
      get_meta_(connection, "SELECT value FROM meta WHERE key = ?"),
      put_meta_(connection,
                "INSERT INTO meta(key, value) VALUES(?, ?)"
                " ON CONFLICT(key) DO UPDATE SET value = excluded.value"),
      delete_meta_(connection, "DELETE FROM meta WHERE key = ?") {
    load_counts();
}

std::optional<core::CommandRow> Store::look_up(const core::ElevatorId& elevator,
                                               const core::Seq& seq) {
    Run run(look_up_);
    run.bind(elevator.str()).bind(seq.str());
    if (!run.step()) {
        return std::nullopt;
    }
    auto row = wire::decode_command_row(run.text(0));
    if (!row) {
        throw SqlError{
            SQLITE_CORRUPT,
            fmt::format(
                "row of elevator {} seq {}: {}", elevator.str(), seq.str(), row.error().text)};
    }
    return std::move(*row);
}

void Store::apply(const ports::JournalBatch& batch,
                  const Stamp& stamp,
                  std::uint64_t& alarm_room,
                  std::vector<ports::OutboxMessage>& added) {
    for (const core::JournalWrite& item : batch.writes) {
        if (const auto* command = std::get_if<core::CommandRow>(&item)) {
            write(*command, stamp);
        } else if (const auto* elevator = std::get_if<core::ElevatorRow>(&item)) {
            write(*elevator);
        } else if (const auto* alarm = std::get_if<core::Alarm>(&item)) {
            if (alarm_bytes(*alarm) <= alarm_room) {
                alarm_room -= alarm_bytes(*alarm);
                write(*alarm, stamp);
            }
        } else {
            // Those have become outbox messages.
            LIFTWARDEN_ASSERT(!std::holds_alternative<core::ResultMessage>(item));
        }
    }
    for (ports::OutboxMessage message : batch.outbox) {
        message.id = next_outbox_;
        Run run(put_outbox_);
        run.bind(static_cast<std::int64_t>(message.id.value()))
            .bind(message.topic)
            .bind(message.payload);
        if (message.correlation) {
            run.bind_blob(*message.correlation);
        } else {
            run.bind_null();
        }
        run.finish();
        next_outbox_ = ports::OutboxId(next_outbox_.value() + 1);
        ++outbox_rows_;
        added.push_back(std::move(message));
    }
}

void Store::write(const core::CommandRow& row, const Stamp& stamp) {
    const std::string body = wire::encode(row);
    // An update leaves the last row id alone, so this tells new rows from changed ones.
    sqlite3_set_last_insert_rowid(connection_.handle(), 0);
    Run run(put_command_);
    run.bind(row.command.elevator.str())
        .bind(row.command.seq.str())
        .bind(core::to_string(row.status))
        .bind(row.command.source.str())
        .bind(stamp.wall_ms)
        .bind(stamp.uptime_ms)
        .bind(body)
        .finish();
    if (sqlite3_last_insert_rowid(connection_.handle()) != 0) {
        ++commands_;
        ++uncounted_;
    }
}

void Store::write(const core::ElevatorRow& row) {
    const std::string body = wire::encode(row);
    Run(put_elevator_).bind(row.elevator.str()).bind(body).finish();
    if (unsaved_elevators_.erase(row.elevator) > 0 && unsaved_elevators_.empty()) {
        Run(delete_meta_).bind(ledger_lost_key).finish();
    }
}

void Store::write(const core::Alarm& alarm, const Stamp& stamp) {
    Run run(put_audit_);
    run.bind(stamp.wall_ms).bind(stamp.uptime_ms).bind(alarm.elevator.str()).bind(alarm.kind);
    run.bind(std::int64_t{alarm.alarm});
    alarm.source ? run.bind(alarm.source->str()) : run.bind_null();
    alarm.seq ? run.bind(alarm.seq->str()) : run.bind_null();
    run.bind(alarm.detail).finish();
    ++audit_rows_;
}

void Store::remove_outbox(ports::OutboxId id) {
    Run(delete_outbox_).bind(static_cast<std::int64_t>(id.value())).finish();
    outbox_rows_ -= static_cast<std::uint64_t>(sqlite3_changes(connection_.handle()));
}

std::vector<ports::OutboxMessage> Store::outbox(ports::OutboxId after,
                                                ports::OutboxId before,
                                                std::size_t limit,
                                                const std::set<ports::OutboxId>& except) {
    std::vector<ports::OutboxMessage> messages;
    Run run(get_outbox_);
    run.bind(static_cast<std::int64_t>(after.value()))
        .bind(static_cast<std::int64_t>(before.value()));
    while (messages.size() < limit && run.step()) {
        ports::OutboxMessage message;
        message.id = ports::OutboxId(static_cast<std::uint64_t>(run.integer(0)));
        if (except.count(message.id) > 0) {
            continue;
        }
        message.topic = run.text(1);
        message.payload = run.text(2);
        if (!run.is_null(3)) {
            message.correlation = run.text(3);
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

void Store::remove_command(std::int64_t id) {
    Run(delete_command_).bind(id).finish();
    commands_ -= static_cast<std::uint64_t>(sqlite3_changes(connection_.handle()));
}

void Store::remove_audit(std::int64_t id) {
    Run(delete_audit_).bind(id).finish();
    audit_rows_ -= static_cast<std::uint64_t>(sqlite3_changes(connection_.handle()));
}

void Store::save_counts() {
    set_meta(commands_through_key, connection_.integer("SELECT coalesce(max(id), 0) FROM command"));
    set_meta(commands_key, static_cast<std::int64_t>(commands_));
    uncounted_ = 0;
}

void Store::load_counts() {
    // Only prune slices remove rows, and they save the count; so only newer rows are uncounted.
    const std::int64_t through = meta_integer(commands_through_key).value_or(0);
    Statement newer(connection_, "SELECT count(*) FROM command WHERE id > ?");
    Run run(newer);
    run.bind(through).step();
    commands_ = static_cast<std::uint64_t>(meta_integer(commands_key).value_or(0) + run.integer(0));
    outbox_rows_ = static_cast<std::uint64_t>(connection_.integer("SELECT count(*) FROM outbox"));
    // The audit trail loses rows at its old end only, so the ids tell the number without a walk.
    audit_rows_ = static_cast<std::uint64_t>(
        connection_.integer("SELECT coalesce(max(id) - min(id) + 1, 0) FROM audit"));
    next_outbox_ = ports::OutboxId(static_cast<std::uint64_t>(
        connection_.integer("SELECT coalesce(max(id), 0) + 1 FROM outbox")));
}

std::optional<std::int64_t> Store::meta_integer(std::string_view key) {
    Run run(get_meta_);
    if (!run.bind(key).step()) {
        return std::nullopt;
    }
    return run.integer(0);
}

std::string Store::meta_text(std::string_view key) {
    Run run(get_meta_);
    return run.bind(key).step() ? run.text(0) : std::string();
}

void Store::set_meta(std::string_view key, std::int64_t value) {
    Run(put_meta_).bind(key).bind(value).finish();
}

void Store::set_meta(std::string_view key, std::string_view value) {
    Run(put_meta_).bind(key).bind(value).finish();
}

}  // namespace liftwarden::sqlite
