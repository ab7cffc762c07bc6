#include "src/adapters/system/secret_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

namespace liftwarden::system {
namespace {

constexpr std::size_t size_limit = 4096;

core::Error refuse(const std::string& path, const std::string& why) {
    return {core::ErrorClass::permanent, "secret file " + path + ": " + why};
}

std::optional<std::string> unfit(int fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) {
        return std::strerror(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return "not a regular file";
    }
    if ((status.st_mode & (S_IROTH | S_IWOTH)) != 0) {
        return "others may read or write it; chmod o-rw";
    }
    return std::nullopt;
}

core::Result<std::string> read_all(int fd, const std::string& path) {
    std::string content;
    std::array<char, 512> part{};
    ssize_t count = 0;
    while ((count = ::read(fd, part.data(), part.size())) > 0) {
        content.append(part.data(), static_cast<std::size_t>(count));
        if (content.size() > size_limit) {
            return refuse(path, "longer than " + std::to_string(size_limit) + " bytes");
        }
    }
    if (count < 0) {
        return refuse(path, std::strerror(errno));
    }
    return content;
}

}  // namespace

core::Result<std::string> read_secret_file(const std::string& path) {
    // Without O_NONBLOCK a FIFO at that path would hold us for ever.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return refuse(path, std::strerror(errno));
    }
    const std::optional<std::string> problem = unfit(fd);
    core::Result<std::string> content = problem ? refuse(path, *problem) : read_all(fd, path);
    ::close(fd);
    if (!content) {
        return content;
    }
    std::string secret = *content;
    for (const char end : {'\n', '\r'}) {
        if (!secret.empty() && secret.back() == end) {
            secret.pop_back();
        }
    }
    if (secret.empty()) {
        return refuse(path, "empty");
    }
    return secret;
}

}  // namespace liftwarden::system
