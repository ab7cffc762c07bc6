// From a path to a database that can be trusted, or a clear error.
#pragma once

#include "src/adapters/sqlite/database.hpp"
#include "src/adapters/sqlite/files.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/journal.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sqlite {

// An error for people; a busy file names its holder where it can be found.
[[nodiscard]] core::Error to_error(const SqlError& error, const JournalFiles& files);

// An error if the file is a database of something else, or of a newer liftwarden; found without
// touching it. What only its log tells is left to open_file().
[[nodiscard]] std::optional<core::Error> foreign(const JournalFiles& files);

struct OpenedFile {
    std::unique_ptr<Connection> connection;
    core::Recovered recovered;       // ledger_lost is not judged here
    std::vector<std::string> notes;  // what was done to damaged files, for the log
};

// Opens or creates the journal. A damaged one (pages, indexes, or rows that start-up needs and
// cannot decode) is set aside and a new one made that remembers the loss. Errors: directory,
// holder, foreign or newer file (permanent), device (transient).
[[nodiscard]] core::Result<OpenedFile> open_file(const JournalFiles& files,
                                                 const std::string& vfs,
                                                 core::WallTime now);

}  // namespace liftwarden::sqlite
