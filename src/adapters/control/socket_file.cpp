#include "src/adapters/control/socket_file.hpp"

#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace liftwarden::control {
namespace {

core::Error problem(core::ErrorClass kind, const std::string& path, const std::string& what) {
    return {kind, "control socket " + path + ": " + what};
}

// 0 if somebody listens at `path`, else the errno of connect().
int try_connect(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return errno;
    }
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how the socket API wants it.
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    const int failed = ::connect(fd, generic, sizeof address) == 0 ? 0 : errno;
    ::close(fd);
    return failed;
}

}  // namespace

std::optional<FileId> file_id(const std::string& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        return std::nullopt;
    }
    return FileId{status.st_dev, status.st_ino};
}

std::optional<core::Error> clear_path(const std::string& path) {
    using core::ErrorClass;
    if (path.empty() || path.size() >= sizeof sockaddr_un{}.sun_path) {
        return problem(ErrorClass::permanent, path, "the path must have 1 to 107 bytes");
    }
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
        return std::nullopt;  // whatever else is wrong with it, bind() will say
    }
    if (!S_ISSOCK(status.st_mode)) {
        return problem(ErrorClass::permanent, path, "something that is no socket stands there");
    }
    const int failed = try_connect(path);
    if (failed == 0 || failed == EAGAIN) {
        return problem(
            ErrorClass::refused, path, "another liftwarden is running and answers there");
    }
    if (failed != ECONNREFUSED && failed != ENOENT) {
        return problem(ErrorClass::permanent, path, std::strerror(failed));
    }
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
        return problem(ErrorClass::permanent, path, std::strerror(errno));
    }
    return std::nullopt;
}

std::string user_name(uid_t uid) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen("/etc/passwd", "re"),
                                                               &std::fclose};
    passwd entry{};
    passwd* found = nullptr;
    char texts[1024];
    while (file && ::fgetpwent_r(file.get(), &entry, texts, sizeof texts, &found) == 0) {
        if (found->pw_uid == uid) {
            return found->pw_name;
        }
    }
    return "uid " + std::to_string(uid);
}

}  // namespace liftwarden::control
