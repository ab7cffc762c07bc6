#include "src/core/ledger.hpp"

#include "src/core/breakage.hpp"

namespace liftwarden::core {

Seen compare_with_ledger(const Command& command,
                         const std::string& who,
                         const CommandRow& row,
                         const std::string& boot_id,
                         TimePoint now,
                         Duration repeat_window) {
    if (who != row.party.who && command.source != row.command.source) {
        return Seen::other_source;
    }
    if (command.content != row.command.content && !broken(Breakage::accept_conflicts)) {
        return Seen::other_content;
    }
    if (row.boot_id != boot_id || now - row.received_at > repeat_window) {
        return Seen::too_old;
    }
    return Seen::repeat;
}

}  // namespace liftwarden::core
