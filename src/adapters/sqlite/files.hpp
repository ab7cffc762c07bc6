// The journal's files as the file system sees them: database, write-ahead log, reserve, marker.
#pragma once

#include <liftwarden/core/error.hpp>
#include <liftwarden/core/time.hpp>

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace liftwarden::sqlite {

// Names and small operations around one journal path. Stateless apart from the path; any thread.
class JournalFiles {
  public:
    explicit JournalFiles(std::string path) : path_(std::move(path)) {}

    [[nodiscard]] const std::string& database() const { return path_; }
    [[nodiscard]] std::string wal() const { return path_ + "-wal"; }
    [[nodiscard]] std::string reserve() const { return path_ + ".reserve"; }
    [[nodiscard]] std::string contact() const { return path_ + ".contact"; }
    [[nodiscard]] std::string suspect_mark() const { return path_ + ".suspect"; }
    [[nodiscard]] std::string directory() const;

    // An error that names what is wrong with the directory or the path; nullopt: usable.
    [[nodiscard]] std::optional<core::Error> unusable() const;
    // Size of the database file; 0 when missing.
    [[nodiscard]] std::uint64_t database_bytes() const;
    // An empty file that others may not read, if there is none yet; SQLite gives its log the same
    // mode.
    void create_database() const;
    // A log without a database: the database was lost, for one fresh file has no log yet.
    [[nodiscard]] bool has_orphaned_wal() const;

    // Renames database and log together to "<path>.corrupt-<UTC time>[-n]" and returns that name.
    [[nodiscard]] core::Result<std::string> set_aside(core::WallTime now) const;
    // True when an earlier journal was set aside and lies beside this one.
    [[nodiscard]] bool has_set_aside() const;

    // After corruption was met while running: the next start looks at every row.
    void mark_suspect() const;
    [[nodiscard]] bool is_suspect() const;
    void clear_suspect() const;

    // The process that holds SQLite's lock on the database, from /proc/locks.
    [[nodiscard]] std::optional<pid_t> holder() const;

    // What a process without privileges may still write on this file system.
    [[nodiscard]] std::uint64_t free_bytes() const;
    // How large this file system is.
    [[nodiscard]] std::uint64_t disk_bytes() const;
    // Space taken in advance, given back when the disk is nearly full. Making it may fail without a
    // word; has_reserve() tells. drop_reserve(): true if there was one.
    [[nodiscard]] bool has_reserve() const;
    void make_reserve(std::uint64_t bytes) const;
    bool drop_reserve() const;

    // Makes new and renamed names durable.
    void sync_directory() const;

  private:
    std::string path_;
};

}  // namespace liftwarden::sqlite
