// Rows in and out, inside whatever transaction is open.
#pragma once

#include "src/adapters/sqlite/database.hpp"

#include <liftwarden/core/journal.hpp>
#include <liftwarden/ports/journal.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace liftwarden::sqlite {

// The moment of a write: wall clock for people, accumulated uptime for retention.
struct Stamp {
    std::int64_t wall_ms = 0;
    std::int64_t uptime_ms = 0;
};

// All statements of the ledger, the elevators, the outbox and the audit trail, prepared once. Owned
// by one thread together with its connection. Every member throws SqlError; a body that wire/
// cannot decode counts as corruption.
class Store {
  public:
    explicit Store(Connection& connection);

    // Row of (elevator, seq), as the ledger knows it.
    [[nodiscard]] std::optional<core::CommandRow> look_up(const core::ElevatorId& elevator,
                                                          const core::Seq& seq);
    // Writes all of `batch`, gives its outbox messages their ids and appends them to `added`.
    // Alarms are left out when `alarm_room` (bytes) is used up: they have been published and logged
    // anyway.
    void apply(const ports::JournalBatch& batch,
               const Stamp& stamp,
               std::uint64_t& alarm_room,
               std::vector<ports::OutboxMessage>& added);
    void remove_outbox(ports::OutboxId id);
    // Up to `limit` messages with `after` < id < `before`, without those in `except`.
    [[nodiscard]] std::vector<ports::OutboxMessage> outbox(ports::OutboxId after,
                                                           ports::OutboxId before,
                                                           std::size_t limit,
                                                           const std::set<ports::OutboxId>& except);

    void remove_command(std::int64_t id);
    void remove_audit(std::int64_t id);

    // Rows at present. The number of commands is saved with save_counts, so that a start need not
    // walk a large table.
    [[nodiscard]] std::uint64_t commands() const { return commands_; }
    [[nodiscard]] std::uint64_t outbox_rows() const { return outbox_rows_; }
    [[nodiscard]] std::uint64_t audit_rows() const { return audit_rows_; }
    void save_counts();
    // New commands since then: so many rows a start would have to count.
    [[nodiscard]] std::uint64_t uncounted() const { return uncounted_; }

    [[nodiscard]] ports::OutboxId next_outbox_id() const { return next_outbox_; }

    [[nodiscard]] std::optional<std::int64_t> meta_integer(std::string_view key);
    [[nodiscard]] std::string meta_text(std::string_view key);
    void set_meta(std::string_view key, std::int64_t value);
    void set_meta(std::string_view key, std::string_view value);

    // After a lost ledger: the elevators whose row has not been written since. With the last of
    // them the mark in the file goes too, in the same transaction.
    void expect_elevators(std::set<core::ElevatorId> elevators) {
        unsaved_elevators_ = std::move(elevators);
    }

  private:
    void write(const core::CommandRow& row, const Stamp& stamp);
    void write(const core::ElevatorRow& row);
    void write(const core::Alarm& alarm, const Stamp& stamp);
    void load_counts();

    Connection& connection_;
    Statement look_up_;
    Statement put_command_;
    Statement put_elevator_;
    Statement put_audit_;
    Statement put_outbox_;
    Statement delete_outbox_;
    Statement get_outbox_;
    Statement delete_command_;
    Statement delete_audit_;
    Statement get_meta_;
    Statement put_meta_;
    Statement delete_meta_;
    ports::OutboxId next_outbox_{1};
    std::uint64_t commands_ = 0;
    std::uint64_t uncounted_ = 0;
    std::uint64_t outbox_rows_ = 0;
    std::uint64_t audit_rows_ = 0;
    std::set<core::ElevatorId> unsaved_elevators_;
};

}  // namespace liftwarden::sqlite
