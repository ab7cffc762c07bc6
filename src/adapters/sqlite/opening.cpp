#include "src/adapters/sqlite/opening.hpp"

#include "src/adapters/sqlite/schema.hpp"
#include "src/wire/journal_text.hpp"

#include <liftwarden/core/plausible.hpp>

#include <fmt/format.h>

#include <fstream>
#include <utility>

namespace liftwarden::sqlite {
namespace {

std::string held_text(const JournalFiles& files) {
    const std::optional<pid_t> pid = files.holder();
    if (!pid) {
        return "journal " + files.database() + " is held by another process";
    }
    std::string name;
    std::getline(std::ifstream(fmt::format("/proc/{}/comm", *pid)), name);
    return fmt::format("journal {} is held by process {} ({})", files.database(), *pid, name);
}

// Rows whose body wire/ cannot decode mean damage that SQLite itself cannot see.
template <class Row>
Row decoded(core::Result<Row> row, const std::string& id) {
    if (!row) {
        throw SqlError{SQLITE_CORRUPT, "row " + id + ": " + row.error().text};
    }
    return std::move(*row);
}

// The same for what the core starts from.
template <class Row>
Row trusted(core::Result<Row> decoded_row, const std::string& id) {
    Row row = decoded(std::move(decoded_row), id);
    if (const auto why = core::why_implausible(row)) {
        throw SqlError{SQLITE_CORRUPT, "row " + id + ": " + *why};
    }
    return row;
}

core::Recovered recover(Connection& connection) {
    core::Recovered recovered;
    Statement open(connection,
                   "SELECT id, body FROM command WHERE status IN ('accepted', 'sent', 'unknown')"
                   " ORDER BY id");
    Run commands(open);
    while (commands.step()) {
        recovered.open_commands.push_back(
            trusted(wire::decode_command_row(commands.text(1)), "command " + commands.text(0)));
    }
    Statement all(connection, "SELECT id, body FROM elevator ORDER BY id");
    Run elevators(all);
    while (elevators.step()) {
        recovered.elevators.push_back(
            trusted(wire::decode_elevator_row(elevators.text(1)), "elevator " + elevators.text(0)));
    }
    return recovered;
}

void check_every_row(Connection& connection) {
    Statement all(connection, "SELECT id, body FROM command");
    Run run(all);
    while (run.step()) {
        (void)decoded(wire::decode_command_row(run.text(1)), "command " + run.text(0));
    }
}

void check(Connection& connection, const JournalFiles& files) {
    const bool suspect = files.is_suspect();
    const auto found =
        suspect ? deep_check(connection) : quick_check(connection, files.database_bytes());
    if (found) {
        throw SqlError{SQLITE_CORRUPT, *found};
    }
    if (suspect) {
        check_every_row(connection);
    }
}

// The path as SQLite reads it in a URI.
std::string in_uri(const std::string& path) {
    std::string escaped;
    for (const char c : path) {
        if (c == '%' || c == '?' || c == '#') {
            escaped += fmt::format("%{:02x}", static_cast<unsigned>(c));
        } else {
            escaped += c;
        }
    }
    return escaped;
}

// Throws SqlError; corruption among them.
core::Result<OpenedFile> open_trusted(const JournalFiles& files, const std::string& vfs) {
    files.create_database();
    OpenedFile opened;
    opened.connection = std::make_unique<Connection>(
        files.database(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs, [files] {
            return files.drop_reserve();
        });
    Connection& connection = *opened.connection;
    if (sqlite3_db_readonly(connection.handle(), "main") == 1) {
        return core::Error{core::ErrorClass::permanent,
                           "journal " + files.database() + " cannot be written"};
    }
    configure(connection);
    const auto identity = identify(connection, files.database());
    if (!identity) {
        return identity.error();
    }
    if (*identity == Identity::empty) {
        // Also when a crash came between setting the old one aside and this point.
        create_tables(connection, files.has_set_aside());
        files.sync_directory();
    } else {
        check(connection, files);
    }
    opened.recovered = recover(connection);
    files.clear_suspect();
    return opened;
}

std::optional<core::Error> set_aside(const JournalFiles& files,
                                     core::WallTime now,
                                     const std::string& why,
                                     std::vector<std::string>& notes) {
    const auto name = files.set_aside(now);
    if (!name) {
        return name.error();
    }
    files.clear_suspect();
    notes.push_back("journal " + files.database() + " is damaged (" + why + "); set aside as " +
                    *name + ", its memory of executed commands is lost");
    return std::nullopt;
}

}  // namespace

core::Error to_error(const SqlError& error, const JournalFiles& files) {
    const std::string text = "journal " + files.database() + ": " + error.text;
    if (error.is_corruption()) {
        return {core::ErrorClass::corrupt, text};
    }
    switch (error.primary()) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {core::ErrorClass::transient, held_text(files)};
        case SQLITE_IOERR:
        case SQLITE_FULL:
        case SQLITE_NOMEM:
            return {core::ErrorClass::transient, text};
        default:
            return {core::ErrorClass::permanent, text};
    }
}

std::optional<core::Error> foreign(const JournalFiles& files) {
    if (files.database_bytes() == 0) {
        return std::nullopt;
    }
    try {
        // Immutable: no lock, no look at a log, and not one byte written to somebody else's file.
        Connection connection("file:" + in_uri(files.database()) + "?immutable=1",
                              SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
                              "");
        const auto identity = identify(connection, files.database());
        return identity ? std::nullopt : std::optional{identity.error()};
    } catch (const SqlError&) {
        return std::nullopt;  // damage is not for this look to judge
    }
}

core::Result<OpenedFile> open_file(const JournalFiles& files,
                                   const std::string& vfs,
                                   core::WallTime now) {
    if (auto error = files.unusable()) {
        return *error;
    }
    if (auto error = foreign(files)) {
        return *error;
    }
    std::vector<std::string> notes;
    if (files.has_orphaned_wal()) {
        if (auto error = set_aside(files, now, "a log without its database", notes)) {
            return *error;
        }
    }
    for (bool again : {true, false}) {
        try {
            auto opened = open_trusted(files, vfs);
            if (opened) {
                opened->notes = std::move(notes);
            }
            return opened;
        } catch (const SqlError& error) {
            if (!error.is_corruption() || !again) {
                return to_error(error, files);
            }
            if (auto failed = set_aside(files, now, error.text, notes)) {
                return *failed;
            }
        }
    }
    return core::Error{core::ErrorClass::corrupt, "journal " + files.database() + " is damaged"};
}

}  // namespace liftwarden::sqlite
