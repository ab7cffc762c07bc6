#pragma once

#include <liftwarden/core/error.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace liftwarden::mqtt {

// Numeric addresses of `host`, in the system's order of preference; a numeric host is returned as
// it is. Waits at most `limit` and gives up early when `cancelled` says so: the look-up itself
// cannot be interrupted, so it runs in a thread of its own that is left behind. At most one such
// thread exists at a time; while it hangs, further calls fail at once.
[[nodiscard]] core::Result<std::vector<std::string>> resolve(
    const std::string& host,
    std::chrono::milliseconds limit,
    const std::function<bool()>& cancelled);

}  // namespace liftwarden::mqtt
