#include "tests/support/pseudo_terminal.hpp"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

namespace liftwarden::test {

int open_pseudo_terminal(const std::string& link) {
    const int fd = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    std::array<char, 64> name{};
    if (fd < 0 || ::grantpt(fd) != 0 || ::unlockpt(fd) != 0 ||
        ::ptsname_r(fd, name.data(), name.size()) != 0) {
        throw std::runtime_error("no pseudo terminal");
    }
    termios raw{};
    ::tcgetattr(fd, &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(fd, TCSANOW, &raw);
    ::unlink(link.c_str());
    if (::symlink(name.data(), link.c_str()) != 0) {
        throw std::runtime_error("no link " + link);
    }
    return fd;
}

}  // namespace liftwarden::test
