// How much room is left, for the journal's own limit and on the disk.
#pragma once

#include "src/adapters/sqlite/database.hpp"
#include "src/adapters/sqlite/files.hpp"

#include <cstdint>

namespace liftwarden::sqlite {

// Decides when new commands must be refused so that outcomes of accepted ones still fit, and keeps
// a reserve file that is given back when the disk is nearly full. The journal's own limit counts
// used pages, because freed ones are used again. `margin` is a tenth of the limit or of the file
// system, whichever is less, from 256 KiB to 32 MiB.
// - 90 % of the limit used, or less free disk than `margin`: no new commands; back at 85 % and 1.5
//   margins
// - 95 % used, or less than half of `margin` free: no alarms for the audit trail
// - less than a quarter of `margin` free, or a write found no space: the reserve, which is that
//   large, is given back; it is made, or made again, at 1.5 margins
// Used by one thread with its connection; throws SqlError.
class SpaceGuard {
  public:
    SpaceGuard(Connection& connection, JournalFiles files, std::uint64_t max_bytes);

    // Looks again. True: accepting() has changed.
    bool refresh();
    [[nodiscard]] bool accepting() const { return accepting_; }
    // Bytes of alarms that the next transaction may add to the audit trail.
    [[nodiscard]] std::uint64_t alarm_room() const { return alarm_room_; }
    // Database file and write-ahead log.
    [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }

    // Whether the reserve is there.
    [[nodiscard]] bool has_reserve() const { return has_reserve_; }
    // The write-ahead log shall be used again rather than grow.
    [[nodiscard]] bool disk_is_tight() const { return disk_is_tight_; }

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
    std::uint64_t alarm_room_ = 0;
    std::uint64_t file_bytes_ = 0;
    bool has_reserve_ = false;
    bool disk_is_tight_ = false;
};

}  // namespace liftwarden::sqlite
