// The rules for a seq that has been seen before.
#pragma once

#include <liftwarden/core/command.hpp>
#include <liftwarden/core/journal.hpp>

#include <string>

namespace liftwarden::core {

enum class Seen {
    repeat,         // same sender or group, same content, recent: answered with the latest status
    other_content,  // conflict
    other_source,   // conflict
    too_old,        // conflict: nobody repeats a command after repeat_window
};

// Compares a received command with the row the ledger has under its (elevator, seq). `who` is the
// sender or its group. Times of another boot cannot be compared and count as too old.
[[nodiscard]] Seen compare_with_ledger(const Command& command,
                                       const std::string& who,
                                       const CommandRow& row,
                                       const std::string& boot_id,
                                       TimePoint now,
                                       Duration repeat_window);

}  // namespace liftwarden::core
