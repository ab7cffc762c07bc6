#pragma once

#include <liftwarden/ports/settings.hpp>

#include <modbus/modbus.h>

#include <string>

namespace liftwarden::modbus {

// One serial device, opened and set up by libmodbus and held exclusively: flock(2) against other
// instances, TIOCEXCL against whoever opens it later. Reading and writing are the owner's.
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
    // What was not sent yet is thrown away.
    void close();

  private:
    [[nodiscard]] std::string claim() const;

    ports::BusSettings settings_;
    modbus_t* context_;
    bool open_ = false;
};

}  // namespace liftwarden::modbus
