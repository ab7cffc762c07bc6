// What makes a SQLite file a journal: settings, tables, identity, and whether it can be trusted.
#pragma once

#include "src/adapters/sqlite/database.hpp"

#include <liftwarden/core/error.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::sqlite {

inline constexpr std::int64_t application_id = 0x4c667477;  // "Lftw"
inline constexpr std::int64_t format_version = 1;

// Sets what holds for this connection, and takes the exclusive lock. Throws SqlError; SQLITE_BUSY
// means that another process has it.
void configure(Connection& connection);

enum class Identity { empty, journal };

// What the file is. An error for a foreign database or a newer format; throws SqlError.
[[nodiscard]] core::Result<Identity> identify(Connection& connection, const std::string& path);

// Makes the tables in one transaction. `ledger_lost` is remembered in the same one.
void create_tables(Connection& connection, bool ledger_lost);

// Looks for damage and returns the first finding. The small tables that start-up depends on are
// always looked at; the command table only while the file is below `quick_check_max_bytes`, because
// SQLite 3.40 cannot interrupt that check, which reads the whole file: about 1 ms a MiB from the
// page cache, 25 ms from a slow card. Damage in a larger one is met when a row on it is read.
[[nodiscard]] std::optional<std::string> quick_check(Connection& connection, std::uint64_t bytes);
inline constexpr std::uint64_t quick_check_max_bytes = 16ULL << 20;

// Every page, index and row, however long it takes; for a file that has failed before.
[[nodiscard]] std::optional<std::string> deep_check(Connection& connection);

}  // namespace liftwarden::sqlite
