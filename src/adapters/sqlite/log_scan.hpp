// Answering one LogFilter in slices.
#pragma once

#include "src/adapters/sqlite/database.hpp"
#include "src/adapters/sqlite/log_query.hpp"

#include <chrono>
#include <optional>

namespace liftwarden::sqlite {

// Walks commands, then the audit trail, from the newest row back. Rows may come and go between
// slices. Used by the thread that owns the connection; throws SqlError.
class LogScan {
  public:
    LogScan(Connection& connection, LogFilter filter);

    // Works until `end`. True: finished.
    bool slice(std::chrono::steady_clock::time_point end);
    // The answer, once finished.
    [[nodiscard]] LogEntries take();

  private:
    // Where one of the two walks stands.
    struct Walk {
        std::int64_t before = INT64_MAX;  // ids from here on have been looked at
        std::size_t found = 0;
        int too_old = 0;  // rows in a row from before `since`
        bool done = false;
    };
    bool commands_slice(std::chrono::steady_clock::time_point end);
    bool audit_slice(std::chrono::steady_clock::time_point end);
    // Notes the row and tells whether it is wanted.
    [[nodiscard]] bool wanted(Walk& walk, std::int64_t at, bool matches) const;
    [[nodiscard]] bool exhausted(const Walk& walk) const;

    LogFilter filter_;
    Statement commands_;
    Statement audit_;
    Walk command_walk_;
    Walk audit_walk_;
    LogEntries entries_;
};

}  // namespace liftwarden::sqlite
