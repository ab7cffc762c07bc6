// Who holds the database, for the message that a second start prints.
#include "src/adapters/sqlite/files.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace liftwarden::sqlite {
namespace {

// SQLite's unix VFS locks bytes from here on; see "lock-byte page" in its file format.
constexpr std::uint64_t pending_byte = 0x40000000;
constexpr std::uint64_t last_lock_byte = pending_byte + 511;

struct LockLine {
    long pid = 0;
    unsigned major = 0;
    unsigned minor = 0;
    std::uint64_t inode = 0;
    std::uint64_t start = 0;
};

// One line of /proc/locks: "1: POSIX  ADVISORY  WRITE 7669 fe:00:10952913 1073741826 1073742335";
// lines of waiting processes have "->" after the number and hold nothing.
std::optional<LockLine> parse(const std::string& line) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string mode;
    std::string access;
    std::string place;
    LockLine lock;
    words >> number >> kind >> mode >> access >> lock.pid >> place >> lock.start;
    unsigned long inode = 0;
    if (!words || kind == "->" ||
        std::sscanf(place.c_str(), "%x:%x:%lu", &lock.major, &lock.minor, &inode) != 3) {
        return std::nullopt;
    }
    lock.inode = inode;
    return lock;
}

}  // namespace

std::optional<pid_t> JournalFiles::holder() const {
    struct stat status {};
    if (stat(path_.c_str(), &status) != 0) {
        return std::nullopt;
    }
    std::optional<pid_t> same_inode;  // overlay file systems show another device in /proc/locks
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        const std::optional<LockLine> lock = parse(line);
        if (!lock || lock->inode != status.st_ino || lock->start < pending_byte ||
            lock->start > last_lock_byte || lock->pid <= 0) {
            continue;
        }
        if (lock->major == major(status.st_dev) && lock->minor == minor(status.st_dev)) {
            return static_cast<pid_t>(lock->pid);
        }
        same_inode = static_cast<pid_t>(lock->pid);
    }
    return same_inode;
}

}  // namespace liftwarden::sqlite
