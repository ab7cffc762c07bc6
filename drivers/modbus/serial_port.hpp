#pragma once

#include <liftwarden/ports/settings.hpp>

#include <modbus/modbus.h>

#include <string>

namespace liftwarden::modbus {

// One serial device, set up by libmodbus and held exclusively: flock(2) against other instances,
// taken before anything of the line is changed; TIOCEXCL against whoever opens it later. Reading
// and writing are the owner's.
class SerialPort {
  public:
    explicit SerialPort(const ports::BusSettings& settings);
    ~SerialPort();
    SerialPort(const SerialPort&) = delete;
    SerialPort& operator=(const SerialPort&) = delete;

    // Empty on success, else why not; if another process has the device, its name and id.
    [[nodiscard]] std::string open();
    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] int fd() const;
    // True once the device is unplugged.
    [[nodiscard]] bool gone() const;
    // What was not sent yet is thrown away.
    void close();

  private:
    [[nodiscard]] std::string claim();
    [[nodiscard]] std::string set_up();
    [[nodiscard]] std::string in_use() const;

    ports::BusSettings settings_;
    modbus_t* context_;
    int lock_fd_ = -1;
    bool open_ = false;
};

}  // namespace liftwarden::modbus
