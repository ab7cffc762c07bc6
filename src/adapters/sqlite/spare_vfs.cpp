#include "src/adapters/sqlite/spare_vfs.hpp"

#include "src/adapters/sqlite/database.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace liftwarden::sqlite {
namespace {

std::string next_name() {
    static std::atomic<unsigned> made{0};
    return "liftwarden-" + std::to_string(++made);
}

}  // namespace

SpareVfs::SpareVfs(const std::string& base, GiveBack give_back)
    : give_back_(std::move(give_back)),
      name_(next_name()),
      base_(sqlite3_vfs_find(base.empty() ? nullptr : base.c_str())) {
    if (base_ == nullptr) {
        throw SqlError{SQLITE_ERROR, "no such VFS: " + base};
    }
    // Everything but xOpen goes to the other one's functions, which find their own data.
    static_cast<sqlite3_vfs&>(vfs_) = *base_;
    vfs_.owner = this;
    vfs_.pNext = nullptr;
    vfs_.zName = name_.c_str();
    vfs_.xOpen = &SpareVfs::open_file;
    const int code = sqlite3_vfs_register(&vfs_, 0);
    if (code != SQLITE_OK) {
        throw SqlError{code, "cannot register a VFS"};
    }
}

SpareVfs::~SpareVfs() {
    sqlite3_vfs_unregister(&vfs_);
}

int SpareVfs::open_file(
    sqlite3_vfs* vfs, sqlite3_filename path, sqlite3_file* file, int flags, int* out) {
    SpareVfs& me = *static_cast<Vfs*>(vfs)->owner;
    const int code = me.base_->xOpen(me.base_, path, file, flags, out);
    if (file->pMethods != nullptr) {
        file->pMethods = me.methods_over(file->pMethods);
    }
    return code;
}

const SpareVfs::Methods* SpareVfs::methods_over(const sqlite3_io_methods* base) {
    const auto known = std::find_if(methods_.begin(), methods_.end(), [&](const Methods& methods) {
        return methods.base == base;
    });
    if (known != methods_.end()) {
        return &*known;
    }
    Methods& made = methods_.emplace_back();
    static_cast<sqlite3_io_methods&>(made) = *base;
    made.xWrite = &SpareVfs::write_file;
    made.base = base;
    made.owner = this;
    return &made;
}

int SpareVfs::write_file(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    const auto* methods = static_cast<const Methods*>(file->pMethods);
    const int code = methods->base->xWrite(file, from, size, offset);
    if (code == SQLITE_FULL && methods->owner->give_back_()) {
        return methods->base->xWrite(file, from, size, offset);
    }
    return code;
}

}  // namespace liftwarden::sqlite
