#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace liftwarden::test {

// A disk under SQLite that counts, fails on request and forgets what was not synced when its power
// is cut. Syncs do not reach the real disk, so thousands of runs are quick. Register one, hand
// name() to the code under test, and destroy it after the last connection. Any thread.
class FaultyVfs {
  public:
    enum class Fault {
        io_error,   // this operation fails once, the next ones succeed
        full,       // writes fail with "disk full" from here on, syncs succeed
        power_cut,  // this one and all after it fail; lose_unsynced() shows what is left
    };

    FaultyVfs();
    ~FaultyVfs();
    FaultyVfs(const FaultyVfs&) = delete;
    FaultyVfs& operator=(const FaultyVfs&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }

    // The n-th write, truncation or sync from now on (1 is the next one) is the first to fail.
    void fail_at(int n, Fault fault);
    // No more faults.
    void heal();
    // True once the planned fault has happened.
    [[nodiscard]] bool failed() const;

    [[nodiscard]] int syncs() const;
    [[nodiscard]] std::uint64_t bytes_written() const;

    // Puts every file to what a disk may hold after a power cut: what was synced, and of later
    // writes any subset of 512-byte sectors, chosen by `seed`. Nobody may have the files open.
    void lose_unsynced(std::uint64_t seed);

    // For the C callbacks.
    struct Write {
        sqlite3_int64 offset = 0;
        std::string bytes;  // of a truncation: empty
        bool truncation = false;
    };
    struct Disk {
        std::string synced;
        std::vector<Write> later;
    };
    // What becomes of the next operation; SQLITE_OK: go on.
    [[nodiscard]] int next_operation(bool sync);
    void remember(const std::string& path, Write write);
    void remember_synced(const std::string& path, std::string content);
    void forget(const std::string& path);

  private:
    std::string name_;
    std::unique_ptr<sqlite3_vfs> vfs_;
    mutable std::mutex mutex_;
    std::map<std::string, Disk> disks_;
    int until_fault_ = 0;  // 0: none planned
    Fault fault_ = Fault::io_error;
    bool failed_ = false;
    int syncs_ = 0;
    std::uint64_t bytes_written_ = 0;
};

}  // namespace liftwarden::test
