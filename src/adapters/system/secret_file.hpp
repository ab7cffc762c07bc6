#pragma once

#include <liftwarden/core/error.hpp>

#include <string>

namespace liftwarden::system {

// The content of a small file that holds a password, without its last line break. Refused: anything
// but a regular file, a file that others may read or write, one above 4 KiB, and an empty one. The
// error names the file and never its content.
[[nodiscard]] core::Result<std::string> read_secret_file(const std::string& path);

}  // namespace liftwarden::system
