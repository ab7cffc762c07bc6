#pragma once

#include "drivers/sim/file_descriptor.hpp"

#include <liftwarden/core/error.hpp>
#include <liftwarden/ports/settings.hpp>

#include <string>

namespace liftwarden::sim {

// Opens a terminal device raw and non-blocking, 8 data bits. The error's text is the reason alone,
// without the device.
[[nodiscard]] core::Result<FileDescriptor> open_serial_port(const std::string& device,
                                                            int baud,
                                                            ports::Parity parity,
                                                            int stop_bits);

}  // namespace liftwarden::sim
