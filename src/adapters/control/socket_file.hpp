// The file a Unix socket is bound to.
#pragma once

#include <liftwarden/core/error.hpp>

#include <sys/types.h>

#include <optional>
#include <string>

namespace liftwarden::control {

// Tells one file from a later one at the same path.
struct FileId {
    dev_t device{};
    ino_t inode{};
    friend bool operator==(const FileId&, const FileId&) = default;
};

[[nodiscard]] std::optional<FileId> file_id(const std::string& path);

// Makes sure that `path` can be bound: fits into an address, its directory exists, and what stands
// there is nothing or a socket nobody listens on, which is removed.
[[nodiscard]] std::optional<core::Error> clear_path(const std::string& path);

// Login name of a user id from /etc/passwd, else "uid N". Reads that one file and asks no name
// service, which could block.
[[nodiscard]] std::string user_name(uid_t uid);

}  // namespace liftwarden::control
