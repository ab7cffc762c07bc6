#include "drivers/modbus/device_holder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace liftwarden::modbus {
namespace {

namespace fs = std::filesystem;

bool is_number(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isdigit(c) != 0;
    });
}

// Whether the process has the character device `rdev` open. Other users' processes do not tell.
bool has_open(const fs::path& process, dev_t rdev) {
    std::error_code error;
    for (fs::directory_iterator fd(process / "fd", error), end; !error && fd != end;
         fd.increment(error)) {
        struct stat info {};
        if (::stat(fd->path().c_str(), &info) == 0 && S_ISCHR(info.st_mode) &&
            info.st_rdev == rdev) {
            return true;
        }
    }
    return false;
}

std::string describe(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/comm");
    std::string name;
    std::getline(file, name);
    return fmt::format("{} (process {})", name.empty() ? "a process" : name, pid);
}

// The process that holds a flock(2) on the device; the kernel lists these for everybody.
std::optional<std::string> lock_owner(const struct stat& device) {
    std::ifstream locks("/proc/locks");
    std::string line;
    while (std::getline(locks, line)) {
        std::array<char, 16> kind{};
        long pid = 0;
        unsigned on_major = 0;
        unsigned on_minor = 0;
        unsigned long long inode = 0;
        const int fields = std::sscanf(line.c_str(),
                                       "%*s %15s %*s %*s %ld %x:%x:%llu",
                                       kind.data(),
                                       &pid,
                                       &on_major,
                                       &on_minor,
                                       &inode);
        if (fields == 5 && std::string(kind.data()) == "FLOCK" && inode == device.st_ino &&
            on_major == major(device.st_dev) && on_minor == minor(device.st_dev)) {
            return std::to_string(pid);
        }
    }
    return std::nullopt;
}

}  // namespace

std::string holder_of(const std::string& device) {
    struct stat info {};
    if (::stat(device.c_str(), &info) != 0) {
        return "another process";
    }
    if (const auto pid = lock_owner(info)) {
        return describe(*pid);
    }
    const std::string self = std::to_string(::getpid());
    std::error_code error;
    for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
        const std::string pid = at->path().filename();
        if (is_number(pid) && pid != self && has_open(at->path(), info.st_rdev)) {
            return describe(pid);
        }
    }
    return "another process";
}

}  // namespace liftwarden::modbus
