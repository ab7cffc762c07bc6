// What the loader asks of the file system.
#pragma once

#include "src/adapters/config/draft.hpp"

#include <liftwarden/core/error.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace liftwarden::config {

inline constexpr std::size_t file_bytes_max = 1U << 20U;
inline constexpr std::size_t elevator_files_max = 256;

// The text of a regular file of at most 1 MiB. Never blocks on a pipe or device.
[[nodiscard]] core::Result<std::string> read_file(const std::string& path);

// The *.yaml files of elevators.d beside the main file, by name; empty if there is no such folder.
// Reports what looks like a configuration but is not loaded.
[[nodiscard]] std::vector<std::string> elevator_files(Report& report,
                                                      std::uint32_t main_file,
                                                      const std::string& main_path);

// Reports a named file that is missing, unreadable or not regular, and a secret that everybody on
// the machine may read, change or run.
void check_file(Report& report, const FileUse& use);

}  // namespace liftwarden::config
