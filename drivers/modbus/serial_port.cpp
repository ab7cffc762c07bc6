#include "drivers/modbus/serial_port.hpp"

#include "drivers/modbus/device_holder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace liftwarden::modbus {
namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
}

// The C library refuses settings that the driver takes only in part, such as parity on a pseudo
// terminal, unless something else changes with them. After a process that was killed nothing would:
// it left all as it had set it.
void forget_settings(int fd) {
    termios settings{};
    if (::tcgetattr(fd, &settings) == 0) {
        settings.c_oflag |= OPOST;  // always off afterwards
        ::tcsetattr(fd, TCSANOW, &settings);
    }
}

char parity_letter(ports::Parity parity) {
    switch (parity) {
        case ports::Parity::none:
            return 'N';
        case ports::Parity::even:
            return 'E';
        case ports::Parity::odd:
            return 'O';
    }
    return 'E';
}

}  // namespace

SerialPort::SerialPort(const ports::BusSettings& settings)
    : settings_(settings),
      context_(::modbus_new_rtu(settings.device.c_str(),
                                settings.baud,
                                parity_letter(settings.parity),
                                8,
                                settings.stop_bits)) {
    if (context_ != nullptr) {
        ::modbus_set_error_recovery(context_, MODBUS_ERROR_RECOVERY_NONE);
        ::modbus_set_slave(context_, 1);  // only to be allowed to connect
    }
}

SerialPort::~SerialPort() {
    close();
    ::modbus_free(context_);
}

std::string SerialPort::open() {
    close();
    if (context_ == nullptr) {
        return fmt::format("{}: not a possible serial setting", settings_.device);
    }
    std::string why = claim();
    if (why.empty()) {
        why = set_up();
    }
    if (!why.empty()) {
        close();
    }
    return why;
}

std::string SerialPort::claim() {
    lock_fd_ = ::open(settings_.device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (lock_fd_ < 0) {
        return errno == EBUSY ? in_use() : fmt::format("{}: {}", settings_.device, reason(errno));
    }
    return ::flock(lock_fd_, LOCK_EX | LOCK_NB) == 0 ? std::string{} : in_use();
}

std::string SerialPort::set_up() {
    forget_settings(lock_fd_);
    if (::modbus_connect(context_) != 0) {
        return fmt::format("{}: {}", settings_.device, reason(errno));
    }
    open_ = true;
    if (fd() >= FD_SETSIZE) {
        return fmt::format("descriptor {} is beyond the limit of {}", fd(), FD_SETSIZE);
    }
    if (::ioctl(fd(), TIOCEXCL) != 0) {
        return fmt::format("{}: no exclusive use: {}", settings_.device, reason(errno));
    }
    return {};
}

std::string SerialPort::in_use() const {
    return fmt::format("{} is in use by {}", settings_.device, holder_of(settings_.device));
}

int SerialPort::fd() const {
    return open_ ? ::modbus_get_socket(context_) : -1;
}

bool SerialPort::gone() const {
    pollfd state{fd(), 0, 0};
    return ::poll(&state, 1, 0) > 0;  // only errors and hang-ups are reported unasked
}

void SerialPort::close() {
    if (open_) {
        // Else the kernel would wait, for up to half a minute, until it had sent the rest.
        ::tcflush(fd(), TCIOFLUSH);
        ::ioctl(fd(), TIOCNXCL);
        ::modbus_close(context_);
        open_ = false;
    }
    if (lock_fd_ >= 0) {
        ::close(lock_fd_);
        lock_fd_ = -1;
    }
}

}  // namespace liftwarden::modbus
