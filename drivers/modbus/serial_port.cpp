#include "drivers/modbus/serial_port.hpp"

#include "drivers/modbus/device_holder.hpp"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>

#include <cerrno>
#include <system_error>

namespace liftwarden::modbus {
namespace {

std::string reason(int error) {
    return std::generic_category().message(error);
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
    if (::modbus_connect(context_) != 0) {
        const int error = errno;
        return error == EBUSY
                   ? fmt::format(
                         "{} is in use by {}", settings_.device, holder_of(settings_.device))
                   : fmt::format("{}: {}", settings_.device, reason(error));
    }
    open_ = true;
    std::string why = claim();
    if (!why.empty()) {
        close();
    }
    return why;
}

std::string SerialPort::claim() const {
    if (fd() >= FD_SETSIZE) {
        return fmt::format("descriptor {} is beyond the limit of {}", fd(), FD_SETSIZE);
    }
    if (::flock(fd(), LOCK_EX | LOCK_NB) != 0) {
        return fmt::format("{} is in use by {}", settings_.device, holder_of(settings_.device));
    }
    if (::ioctl(fd(), TIOCEXCL) != 0) {
        return fmt::format("{}: no exclusive use: {}", settings_.device, reason(errno));
    }
    return {};
}

int SerialPort::fd() const {
    return open_ ? ::modbus_get_socket(context_) : -1;
}

void SerialPort::close() {
    if (open_) {
        // Else the kernel would wait, for up to half a minute, until it had sent the rest.
        ::tcflush(fd(), TCIOFLUSH);
        ::ioctl(fd(), TIOCNXCL);
        ::modbus_close(context_);
        open_ = false;
    }
}

}  // namespace liftwarden::modbus
