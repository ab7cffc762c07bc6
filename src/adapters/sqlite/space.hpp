// How much room is left, for the journal's own limit and on the disk.
#pragma once

#include "src/adapters/sqlite/database.hpp"
#include "src/adapters/sqlite/files.hpp"

#include <cstdint>

namespace liftwarden::sqlite {

// Decides when new commands must be refused so that outcomes of accepted ones still fit, and keeps
// a reserve file that is given back when the disk is nearly full. The journal's own limit counts
// used pages: freed ones are used again. Thresholds:
//   90 % of the limit, or less free disk than `margin`: no new commands; back at 85 % and 1.5
//   margins 95 % of the limit, or less than half of `margin`:   alarms are no longer kept in the
//   audit trail less than a quarter of `margin` free:               the reserve (a quarter) is
//   given back
// `margin` is a tenth of the limit, at most 32 MiB. Used by one thread with its connection; throws
// SqlError.
class SpaceGuard {
  public:
    SpaceGuard(Connection& connection, JournalFiles files, std::uint64_t max_bytes);

    // Looks again. True: accepting() has changed.
    bool refresh();
    [[nodiscard]] bool accepting() const { return accepting_; }
    [[nodiscard]] bool keep_alarms() const { return keep_alarms_; }
    // Database file and write-ahead log.
    [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }

    // Gives the reserve back before the first write of a start on a full disk.
    static void make_room(const JournalFiles& files, std::uint64_t max_bytes);

  private:
    [[nodiscard]] std::int64_t value(Statement& statement);
    void tend_reserve(std::uint64_t free);

    Connection& connection_;
    JournalFiles files_;
    std::uint64_t margin_;
    std::int64_t page_size_;
    std::int64_t max_pages_;
    Statement page_count_;
    Statement free_pages_;
    bool accepting_ = true;
    bool keep_alarms_ = true;
    std::uint64_t file_bytes_ = 0;
};

}  // namespace liftwarden::sqlite
