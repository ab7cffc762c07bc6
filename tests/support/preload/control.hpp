// What a test and a preloaded process share: one page, mapped by both.
#pragma once

#include <atomic>
#include <cstdint>

namespace liftwarden::test {

// Environment variable with the path of the page.
inline constexpr const char* preload_variable = "LIFTWARDEN_TEST_PRELOAD";

// All zero: nothing happens. `path` part is fixed: only files whose name contains "journal".
struct PreloadControl {
    // Added to the wall clock of the process, nanoseconds.
    std::atomic<std::int64_t> wall_offset_ns;
    // What writes and syncs of the journal's files fail with, once `let_pass` more of them were
    // allowed; 0: they do not.
    std::atomic<int> write_error;
    std::atomic<int> sync_error;
    std::atomic<int> let_pass;
    // How many did fail, since the start.
    std::atomic<std::uint64_t> failed;
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace liftwarden::test
