#include "drivers/sim/serial_port.hpp"

#include <fcntl.h>
#include <termios.h>

#include <cerrno>
#include <cstring>
#include <map>

namespace liftwarden::sim {
namespace {

core::Error error(const std::string& text) {
    return {core::ErrorClass::permanent, text};
}

const std::map<int, speed_t> speeds{{1200, B1200},
                                    {2400, B2400},
                                    {4800, B4800},
                                    {9600, B9600},
                                    {19200, B19200},
                                    {38400, B38400},
                                    {57600, B57600},
                                    {115200, B115200}};

void set_format(termios& settings, ports::Parity parity, int stop_bits) {
    ::cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    settings.c_cflag &= ~static_cast<tcflag_t>(PARENB | PARODD | CSTOPB);
    if (parity != ports::Parity::none) {
        settings.c_cflag |= PARENB;
    }
    if (parity == ports::Parity::odd) {
        settings.c_cflag |= PARODD;
    }
    if (stop_bits == 2) {
        settings.c_cflag |= CSTOPB;
    }
}

}  // namespace

core::Result<FileDescriptor> open_serial_port(const std::string& device,
                                              int baud,
                                              ports::Parity parity,
                                              int stop_bits) {
    const auto speed = speeds.find(baud);
    if (speed == speeds.end()) {
        return error("a baud rate of " + std::to_string(baud) + " is not supported");
    }
    FileDescriptor fd{::open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)};
    termios settings{};
    if (!fd.valid() || ::tcgetattr(fd.get(), &settings) != 0) {
        return error(std::strerror(errno));
    }
    set_format(settings, parity, stop_bits);
    if (::cfsetspeed(&settings, speed->second) != 0 ||
        ::tcsetattr(fd.get(), TCSANOW, &settings) != 0) {
        return error(std::strerror(errno));
    }
    return fd;
}

}  // namespace liftwarden::sim
