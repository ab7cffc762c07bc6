#include "src/adapters/sqlite/schema.hpp"

#include <fmt/format.h>

namespace liftwarden::sqlite {
namespace {

// `at` and `changed_at` are wall-clock milliseconds, for people; `uptime` and `changed_uptime` are
// accumulated uptime in milliseconds, for retention. Rows grow by id only; a command keeps the id
// of its receipt, so that order of id is order of receipt and also of `uptime`.
constexpr const char* tables = R"sql(
CREATE TABLE meta(
    key TEXT PRIMARY KEY,
    value ANY
) STRICT, WITHOUT ROWID;
CREATE TABLE command(
    id INTEGER PRIMARY KEY,
    elevator TEXT NOT NULL,
    seq TEXT NOT NULL,
    status TEXT NOT NULL,
    source TEXT NOT NULL,
    at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    uptime INTEGER NOT NULL,
    changed_uptime INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE(elevator, seq)
) STRICT;
CREATE INDEX command_open ON command(id) WHERE status IN ('accepted', 'sent', 'unknown');
CREATE TABLE elevator(
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE outbox(
    id INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    payload TEXT NOT NULL,
    correlation BLOB
) STRICT;
CREATE TABLE audit(
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    uptime INTEGER NOT NULL,
    elevator TEXT NOT NULL,
    kind TEXT NOT NULL,
    alarm INTEGER NOT NULL,
    source TEXT,
    seq TEXT,
    detail TEXT NOT NULL
) STRICT;
)sql";

std::optional<std::string> finding(Connection& connection, const char* sql) {
    try {
        std::string text = connection.text(sql);
        if (text == "ok") {
            return std::nullopt;
        }
        return text;
    } catch (const SqlError& error) {
        if (!error.is_corruption()) {
            throw;
        }
        return error.text;
    }
}

}  // namespace

void configure(Connection& connection) {
    connection.exec("PRAGMA locking_mode=EXCLUSIVE");
    connection.exec("PRAGMA temp_store=MEMORY");
    connection.exec("PRAGMA secure_delete=FAST");
    connection.exec("PRAGMA cell_size_check=ON");
    // The first access to the file: takes the lock, replays the log.
    const std::string mode = connection.text("PRAGMA journal_mode=WAL");
    if (mode != "wal") {
        throw SqlError{SQLITE_ERROR, "write-ahead log cannot be used here (mode " + mode + ")"};
    }
    connection.exec("PRAGMA synchronous=FULL");
    connection.exec("PRAGMA journal_size_limit=4194304");
}

core::Result<Identity> identify(Connection& connection, const std::string& path) {
    const std::int64_t id = connection.integer("PRAGMA application_id");
    const std::int64_t version = connection.integer("PRAGMA user_version");
    const std::int64_t objects = connection.integer("SELECT count(*) FROM sqlite_schema");
    if (id == 0 && version == 0 && objects == 0) {
        return Identity::empty;
    }
    if (id != application_id) {
        return core::Error{core::ErrorClass::permanent,
                           fmt::format("{} is a SQLite database of something else (application id "
                                       "{:#x}), not a liftwarden journal",
                                       path,
                                       id)};
    }
    if (version > format_version) {
        return core::Error{
            core::ErrorClass::permanent,
            fmt::format("journal {} has format {}, written by a newer liftwarden; this one knows "
                        "formats up to {}. Install the newer version again",
                        path,
                        version,
                        format_version)};
    }
    return Identity::journal;
}

void create_tables(Connection& connection, bool ledger_lost) {
    Transaction transaction(connection);
    connection.exec(tables);
    connection.exec(fmt::format("PRAGMA application_id={}", application_id).c_str());
    connection.exec(fmt::format("PRAGMA user_version={}", format_version).c_str());
    if (ledger_lost) {
        connection.exec("INSERT INTO meta(key, value) VALUES('ledger_lost', 1)");
    }
    transaction.commit();
}

std::optional<std::string> quick_check(Connection& connection, std::uint64_t bytes) {
    if (bytes <= quick_check_max_bytes) {
        return finding(connection, "PRAGMA quick_check(1)");
    }
    for (const char* sql : {"PRAGMA quick_check('sqlite_schema')",
                            "PRAGMA quick_check('meta')",
                            "PRAGMA quick_check('elevator')",
                            "PRAGMA quick_check('outbox')"}) {
        if (auto found = finding(connection, sql)) {
            return found;
        }
    }
    return std::nullopt;
}

std::optional<std::string> deep_check(Connection& connection) {
    return finding(connection, "PRAGMA integrity_check(1)");
}

}  // namespace liftwarden::sqlite
