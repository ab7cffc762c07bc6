#include "tests/support/faulty_vfs.hpp"

#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <stdexcept>

namespace liftwarden::test {
namespace {

// SQLite allocates szOsFile bytes for it; the file of the real VFS follows right behind.
struct ShimFile {
    sqlite3_file base;
    FaultyVfs* owner;
    std::string* path;
    sqlite3_file* real;
};

ShimFile& shim(sqlite3_file* file) {
    return *reinterpret_cast<ShimFile*>(file);
}

sqlite3_vfs* real_vfs(sqlite3_vfs* vfs) {
    (void)vfs;
    return sqlite3_vfs_find("unix");
}

FaultyVfs& owner_of(sqlite3_vfs* vfs) {
    return *static_cast<FaultyVfs*>(vfs->pAppData);
}

std::string content_of(sqlite3_file* real) {
    sqlite3_int64 size = 0;
    real->pMethods->xFileSize(real, &size);
    std::string content(static_cast<std::size_t>(size), '\0');
    if (size > 0) {
        real->pMethods->xRead(real, content.data(), static_cast<int>(size), 0);
    }
    return content;
}

int close_file(sqlite3_file* file) {
    ShimFile& me = shim(file);
    const int code = me.real->pMethods->xClose(me.real);
    delete me.path;
    return code;
}

int read_file_at(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
    return shim(file).real->pMethods->xRead(shim(file).real, to, size, offset);
}

int write_file_at(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    ShimFile& me = shim(file);
    const int verdict = me.owner->next_operation(false);
    // A failing write may leave a part behind.
    const int part = verdict == SQLITE_OK ? size : size / 2;
    const int code = me.real->pMethods->xWrite(me.real, from, part, offset);
    me.owner->remember(*me.path,
                       {offset,
                        std::string(static_cast<const char*>(from), static_cast<std::size_t>(part)),
                        false});
    return verdict != SQLITE_OK ? verdict : code;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    ShimFile& me = shim(file);
    const int verdict = me.owner->next_operation(false);
    if (verdict != SQLITE_OK) {
        return verdict;
    }
    me.owner->remember(*me.path, {size, "", true});
    return me.real->pMethods->xTruncate(me.real, size);
}

int sync_file(sqlite3_file* file, int) {
    ShimFile& me = shim(file);
    const int verdict = me.owner->next_operation(true);
    if (verdict == SQLITE_OK) {
        me.owner->remember_synced(*me.path, content_of(me.real));
    }
    return verdict;
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
    return shim(file).real->pMethods->xFileSize(shim(file).real, size);
}
int lock_file(sqlite3_file* file, int level) {
    return shim(file).real->pMethods->xLock(shim(file).real, level);
}
int unlock_file(sqlite3_file* file, int level) {
    return shim(file).real->pMethods->xUnlock(shim(file).real, level);
}
int check_lock(sqlite3_file* file, int* reserved) {
    return shim(file).real->pMethods->xCheckReservedLock(shim(file).real, reserved);
}
int control_file(sqlite3_file*, int, void*) {
    return SQLITE_NOTFOUND;  // no size hints: they would write behind our back
}
int sector_size(sqlite3_file* file) {
    return shim(file).real->pMethods->xSectorSize(shim(file).real);
}
int characteristics(sqlite3_file*) {
    return 0;  // promises nothing
}

// Version 1: no shared memory, as for a journal that needs none.
const sqlite3_io_methods methods = {1,
                                    close_file,
                                    read_file_at,
                                    write_file_at,
                                    truncate_file,
                                    sync_file,
                                    file_size,
                                    lock_file,
                                    unlock_file,
                                    check_lock,
                                    control_file,
                                    sector_size,
                                    characteristics,
                                    nullptr,
                                    nullptr,
                                    nullptr,
                                    nullptr,
                                    nullptr,
                                    nullptr};

int open_file(sqlite3_vfs* vfs, sqlite3_filename path, sqlite3_file* file, int flags, int* out) {
    auto* me = new (file) ShimFile;
    me->base.pMethods = nullptr;
    me->owner = &owner_of(vfs);
    me->real = reinterpret_cast<sqlite3_file*>(me + 1);
    std::memset(me->real, 0, static_cast<std::size_t>(real_vfs(vfs)->szOsFile));
    const int code = real_vfs(vfs)->xOpen(real_vfs(vfs), path, me->real, flags, out);
    if (code == SQLITE_OK) {
        me->path = new std::string(path == nullptr ? "" : path);
        me->base.pMethods = &methods;
        // What is there when it is opened was there before.
        me->owner->remember_synced(*me->path, content_of(me->real));
    }
    return code;
}

int delete_file(sqlite3_vfs* vfs, const char* path, int sync) {
    const int verdict = owner_of(vfs).next_operation(false);
    if (verdict != SQLITE_OK) {
        return SQLITE_IOERR_DELETE;
    }
    owner_of(vfs).forget(path);
    return real_vfs(vfs)->xDelete(real_vfs(vfs), path, sync);
}

int access_file(sqlite3_vfs* vfs, const char* path, int flags, int* result) {
    return real_vfs(vfs)->xAccess(real_vfs(vfs), path, flags, result);
}

int full_path(sqlite3_vfs* vfs, const char* path, int size, char* out) {
    return real_vfs(vfs)->xFullPathname(real_vfs(vfs), path, size, out);
}

}  // namespace

FaultyVfs::FaultyVfs() {
    static std::atomic<int> number{0};
    name_ = "faulty-" + std::to_string(++number);
    // Everything that is no file (time, random numbers, libraries) is the real one's.
    vfs_ = std::make_unique<sqlite3_vfs>(*sqlite3_vfs_find("unix"));
    vfs_->szOsFile += static_cast<int>(sizeof(ShimFile));
    vfs_->zName = name_.c_str();
    vfs_->pAppData = this;
    vfs_->pNext = nullptr;
    vfs_->xOpen = open_file;
    vfs_->xDelete = delete_file;
    vfs_->xAccess = access_file;
    vfs_->xFullPathname = full_path;
    if (sqlite3_vfs_register(vfs_.get(), 0) != SQLITE_OK) {
        throw std::runtime_error("cannot register " + name_);
    }
}

FaultyVfs::~FaultyVfs() {
    sqlite3_vfs_unregister(vfs_.get());
}

void FaultyVfs::fail_at(int n, Fault fault) {
    const std::lock_guard lock(mutex_);
    until_fault_ = n;
    fault_ = fault;
    failed_ = false;
}

void FaultyVfs::heal() {
    fail_at(0, Fault::io_error);
}

bool FaultyVfs::failed() const {
    const std::lock_guard lock(mutex_);
    return failed_;
}

int FaultyVfs::syncs() const {
    const std::lock_guard lock(mutex_);
    return syncs_;
}

std::uint64_t FaultyVfs::bytes_written() const {
    const std::lock_guard lock(mutex_);
    return bytes_written_;
}

int FaultyVfs::next_operation(bool sync) {
    const std::lock_guard lock(mutex_);
    syncs_ += sync ? 1 : 0;
    if (until_fault_ == 0 || --until_fault_ > 0) {
        return SQLITE_OK;
    }
    if (fault_ == Fault::full && sync) {
        until_fault_ = 1;  // the first write behind it
        return SQLITE_OK;
    }
    failed_ = true;
    until_fault_ = fault_ == Fault::io_error ? 0 : 1;
    if (fault_ == Fault::full) {
        return SQLITE_FULL;
    }
    return sync ? SQLITE_IOERR_FSYNC : SQLITE_IOERR_WRITE;
}

void FaultyVfs::remember(const std::string& path, Write write) {
    const std::lock_guard lock(mutex_);
    bytes_written_ += write.bytes.size();
    disks_[path].later.push_back(std::move(write));
}

void FaultyVfs::remember_synced(const std::string& path, std::string content) {
    const std::lock_guard lock(mutex_);
    disks_[path] = {std::move(content), {}};
}

void FaultyVfs::forget(const std::string& path) {
    const std::lock_guard lock(mutex_);
    disks_.erase(path);
}

void FaultyVfs::lose_unsynced(std::uint64_t seed) {
    constexpr std::size_t sector = 512;
    const std::lock_guard lock(mutex_);
    std::mt19937_64 random(seed);
    for (auto& [path, disk] : disks_) {
        std::string content = disk.synced;
        for (const Write& write : disk.later) {
            const auto offset = static_cast<std::size_t>(write.offset);
            if (write.truncation) {
                content.resize(random() % 2 == 0 ? offset : content.size());
                continue;
            }
            for (std::size_t at = 0; at < write.bytes.size(); at += sector) {
                if (random() % 2 == 0) {
                    continue;
                }
                const std::string part = write.bytes.substr(at, sector);
                if (content.size() < offset + at + part.size()) {
                    content.resize(offset + at + part.size());
                }
                content.replace(offset + at, part.size(), part);
            }
        }
        std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
        disk = {content, {}};
    }
}

}  // namespace liftwarden::test
