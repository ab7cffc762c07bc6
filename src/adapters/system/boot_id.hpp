#pragma once

#include <liftwarden/core/error.hpp>

#include <string>

namespace liftwarden::system {

// The kernel's name for this boot, 36 characters; other after each start of the machine, the same
// for every process until then. Needs /proc/sys (not a unit with ProcSubset=pid).
[[nodiscard]] core::Result<std::string> boot_id();

}  // namespace liftwarden::system
