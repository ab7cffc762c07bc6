#include "src/adapters/sqlite/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <limits>

namespace liftwarden::sqlite {
namespace {

namespace fs = std::filesystem;
using core::Error;
using core::ErrorClass;

constexpr const char* aside_infix = ".corrupt-";

bool exists(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

std::uint64_t size_of(const std::string& path) {
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(path, failed);
    return failed ? 0 : size;
}

std::string compact_utc(core::WallTime at) {
    const std::time_t seconds =
        std::chrono::floor<std::chrono::seconds>(at).time_since_epoch().count();
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[32];
    const std::size_t length = std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
    return {text, length};
}

}  // namespace

std::string JournalFiles::directory() const {
    const fs::path parent = fs::path(path_).parent_path();
    return parent.empty() ? "." : parent.string();
}

std::optional<Error> JournalFiles::unusable() const {
    struct stat status {};
    const std::string folder = directory();
    if (stat(folder.c_str(), &status) != 0) {
        const std::string why = errno == ENOENT
                                    ? "does not exist"
                                    : std::string("cannot be read: ") + std::strerror(errno);
        return Error{ErrorClass::permanent, "journal directory " + folder + " " + why};
    }
    if (!S_ISDIR(status.st_mode)) {
        return Error{ErrorClass::permanent, "journal directory " + folder + " is not a directory"};
    }
    if (access(folder.c_str(), W_OK | X_OK) != 0) {
        return Error{ErrorClass::permanent,
                     "journal directory " + folder + " cannot be written: " + std::strerror(errno)};
    }
    if (stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        return Error{ErrorClass::permanent, "journal " + path_ + " is not a regular file"};
    }
    return std::nullopt;
}

std::uint64_t JournalFiles::database_bytes() const {
    return size_of(path_);
}

void JournalFiles::create_database() const {
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
    if (fd >= 0) {
        close(fd);
    }
}

bool JournalFiles::has_orphaned_wal() const {
    return database_bytes() == 0 && size_of(wal()) > 0;
}

core::Result<std::string> JournalFiles::set_aside(core::WallTime now) const {
    const std::string base = path_ + aside_infix + compact_utc(now);
    std::string name = base;
    for (int n = 2; exists(name) || exists(name + "-wal"); ++n) {
        name = base + "-" + std::to_string(n);
    }
    // The database first: a crash in between then leaves a log without a database, which the next
    // start recognises. The other way round it would find a database that looks complete.
    for (const std::string suffix : {"", "-wal"}) {
        if (std::rename((path_ + suffix).c_str(), (name + suffix).c_str()) != 0 &&
            errno != ENOENT) {
            return Error{ErrorClass::permanent,
                         "cannot set the corrupt journal " + path_ + suffix + " aside as " + name +
                             suffix + ": " + std::strerror(errno)};
        }
    }
    std::error_code ignored;
    fs::remove(path_ + "-shm", ignored);
    sync_directory();
    return name;
}

bool JournalFiles::has_set_aside() const {
    const std::string prefix = fs::path(path_).filename().string() + aside_infix;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(directory(), failed)) {
        if (entry.path().filename().string().rfind(prefix, 0) == 0) {
            return true;
        }
    }
    return false;
}

void JournalFiles::mark_suspect() const {
    const int fd = open(suspect_mark().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
    if (fd >= 0) {
        close(fd);
        sync_directory();
    }
}

bool JournalFiles::is_suspect() const {
    return exists(suspect_mark());
}

void JournalFiles::clear_suspect() const {
    unlink(suspect_mark().c_str());
}

std::uint64_t JournalFiles::free_bytes() const {
    struct statvfs status {};
    if (statvfs(directory().c_str(), &status) != 0) {
        return std::numeric_limits<std::uint64_t>::max();  // unknown must not stop the service
    }
    return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

std::uint64_t JournalFiles::disk_bytes() const {
    struct statvfs status {};
    if (statvfs(directory().c_str(), &status) != 0) {
        return std::numeric_limits<std::uint64_t>::max();
    }
    return static_cast<std::uint64_t>(status.f_blocks) * status.f_frsize;
}

bool JournalFiles::has_reserve() const {
    return exists(reserve());
}

void JournalFiles::make_reserve(std::uint64_t bytes) const {
    const int fd = open(reserve().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640);
    if (fd < 0) {
        return;
    }
    // Not posix_fallocate: where the file system cannot, that writes it all out.
    if (fallocate(fd, 0, 0, static_cast<off_t>(bytes)) != 0) {
        unlink(reserve().c_str());
    }
    close(fd);
}

bool JournalFiles::drop_reserve() const {
    if (unlink(reserve().c_str()) != 0) {
        return false;
    }
    sync_directory();  // some file systems free the blocks only then
    return true;
}

void JournalFiles::sync_directory() const {
    const int fd = open(directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

}  // namespace liftwarden::sqlite
