#pragma once

#include <string>

namespace liftwarden::modbus {

// "minicom (process 4711)": another process that has `device` open, as far as this one may see it;
// else "another process".
[[nodiscard]] std::string holder_of(const std::string& device);

}  // namespace liftwarden::modbus
