// SQLite's way to the disk, with something to give up when the disk is full.
#pragma once

#include <sqlite3.h>

#include <functional>
#include <list>
#include <string>

namespace liftwarden::sqlite {

// A registered VFS that does what another one does, save that a write for which there was no space
// is tried again once `give_back` has made some. So the commit, checkpoint or recovery under way
// goes on as if nothing had happened, and nothing has to be rolled back and repeated. The limit of
// pages (max_page_count) is none of its business. Must outlive every connection opened through it;
// `give_back` is called on the thread that writes.
class SpareVfs {
  public:
    // True: there is more space than before.
    using GiveBack = std::function<bool()>;

    // `base`: name of the other VFS; empty: the default one. Throws SqlError.
    SpareVfs(const std::string& base, GiveBack give_back);
    ~SpareVfs();
    SpareVfs(const SpareVfs&) = delete;
    SpareVfs& operator=(const SpareVfs&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    // What SQLite holds, with the way back to this object.
    struct Vfs : sqlite3_vfs {
        SpareVfs* owner = nullptr;
    };
    struct Methods : sqlite3_io_methods {
        const sqlite3_io_methods* base = nullptr;
        SpareVfs* owner = nullptr;
    };

    static int open_file(
        sqlite3_vfs* vfs, sqlite3_filename path, sqlite3_file* file, int flags, int* out);
    static int write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset);
    [[nodiscard]] const Methods* methods_over(const sqlite3_io_methods* base);

    GiveBack give_back_;
    std::string name_;
    sqlite3_vfs* base_;
    Vfs vfs_;
    std::list<Methods> methods_;  // one for each kind of file of the other VFS; addresses stay
};

}  // namespace liftwarden::sqlite
