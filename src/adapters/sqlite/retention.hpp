// Forgetting what is old, by the time the gateway has been up and not by any wall clock.
#pragma once

#include "src/adapters/sqlite/database.hpp"
#include "src/adapters/sqlite/store.hpp"

#include <liftwarden/core/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace liftwarden::sqlite {

// Keeps the accumulated uptime and deletes finished commands and audit rows that are older by it
// than the retention. Time down counts only within one boot, where it is known exactly; what a
// crash or a power cut hides makes rows live longer, never shorter. Used by the journal thread;
// throws SqlError.
class Retention {
  public:
    // `now`: this boot's time. `audit_limit`: rows of the audit trail kept at most.
    Retention(Connection& connection,
              Store& store,
              core::Duration retention,
              std::uint64_t audit_limit,
              std::string boot_id,
              core::TimePoint now);

    [[nodiscard]] std::int64_t uptime_ms(core::TimePoint now) const;
    // Writes the uptime, inside the caller's transaction.
    void save_uptime(core::TimePoint now);

    // One slice in a transaction of its own, deleting for at most 5 ms. True: there may be more.
    bool slice(core::TimePoint now);

  private:
    using SteadyTime = std::chrono::steady_clock::time_point;

    // Ids of the next rows to delete, a few at a time.
    [[nodiscard]] std::vector<std::int64_t> old_commands(std::int64_t cutoff, SteadyTime end);
    [[nodiscard]] std::vector<std::int64_t> old_audit(std::int64_t cutoff, SteadyTime end);

    Connection& connection_;
    Store& store_;
    std::int64_t retention_ms_;
    std::uint64_t audit_limit_;
    std::string boot_id_;
    core::TimePoint started_;
    std::int64_t base_ms_ = 0;  // accumulated uptime at started_
    std::int64_t cursor_ = 0;   // commands up to this id have been looked at in this pass
    bool walk_done_ = false;    // the last walk ended at a young row or the end
    Statement next_commands_;
    Statement next_audit_;
};

}  // namespace liftwarden::sqlite
