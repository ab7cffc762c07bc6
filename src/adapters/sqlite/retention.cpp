#include "src/adapters/sqlite/retention.hpp"

#include <algorithm>
#include <chrono>

namespace liftwarden::sqlite {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t rows_a_slice = 256;
constexpr auto slice_budget = std::chrono::milliseconds{5};

constexpr std::string_view uptime_key = "uptime_ms";
constexpr std::string_view boot_key = "uptime_boot_id";
constexpr std::string_view at_key = "uptime_boot_ms";

}  // namespace

Retention::Retention(Connection& connection,
                     Store& store,
                     core::Duration retention,
                     std::uint64_t audit_limit,
                     std::string boot_id,
                     core::TimePoint now)
    : connection_(connection),
      store_(store),
      retention_ms_(core::to_ms(retention)),
      audit_limit_(audit_limit),
      boot_id_(std::move(boot_id)),
      started_(now),
      next_commands_(connection,
                     "SELECT id, uptime, changed_uptime,"
                     " status IN ('accepted', 'sent', 'unknown') FROM command WHERE id > ?"
                     " ORDER BY id"),
      next_audit_(connection, "SELECT id, uptime FROM audit ORDER BY id") {
    base_ms_ = store_.meta_integer(uptime_key).value_or(0);
    if (store_.meta_text(boot_key) == boot_id_) {
        const std::int64_t saved_at = store_.meta_integer(at_key).value_or(0);
        base_ms_ += std::max<std::int64_t>(core::to_ms(now.time_since_epoch()) - saved_at, 0);
    }
}

std::int64_t Retention::uptime_ms(core::TimePoint now) const {
    return base_ms_ + core::to_ms(now - started_);
}

void Retention::save_uptime(core::TimePoint now) {
    store_.set_meta(uptime_key, uptime_ms(now));
    store_.set_meta(boot_key, boot_id_);
    store_.set_meta(at_key, core::to_ms(now.time_since_epoch()));
}

bool Retention::slice(core::TimePoint now) {
    const auto start = steady_clock::now();
    const auto read_end = start + slice_budget / 2;
    const auto end = start + slice_budget;
    const std::int64_t cutoff = uptime_ms(now) - retention_ms_;
    const std::vector<std::int64_t> commands = old_commands(cutoff, read_end);
    const std::vector<std::int64_t> audit = old_audit(cutoff, read_end);
    if (commands.empty() && audit.empty()) {
        cursor_ = walk_done_ ? 0 : cursor_;
        return !walk_done_;
    }
    Transaction transaction(connection_);
    const auto remove = [&](const std::vector<std::int64_t>& ids, auto&& one) {
        for (const std::int64_t id : ids) {
            one(id);
            if (steady_clock::now() >= end) {
                return;
            }
        }
    };
    remove(audit, [&](std::int64_t id) { store_.remove_audit(id); });
    remove(commands, [&](std::int64_t id) {
        store_.remove_command(id);
        cursor_ = id;
    });
    store_.save_counts();
    transaction.commit();
    return true;
}

std::vector<std::int64_t> Retention::old_commands(std::int64_t cutoff, SteadyTime end) {
    std::vector<std::int64_t> ids;
    Run run(next_commands_);
    run.bind(cursor_);
    // Receipts are in order of id, so the first young one ends the pass. A command that is old but
    // open, or was finished late, is passed over until it is its turn.
    walk_done_ = false;
    while (ids.size() < rows_a_slice && steady_clock::now() < end) {
        if (!run.step() || run.integer(1) >= cutoff) {
            walk_done_ = true;
            break;
        }
        const bool open = run.integer(3) != 0;
        if (!open && run.integer(2) < cutoff) {
            ids.push_back(run.integer(0));
        } else if (ids.empty()) {
            cursor_ = run.integer(0);  // not again in this pass
        }
    }
    return ids;
}

std::vector<std::int64_t> Retention::old_audit(std::int64_t cutoff, SteadyTime end) {
    std::uint64_t surplus =
        store_.audit_rows() > audit_limit_ ? store_.audit_rows() - audit_limit_ : 0;
    std::vector<std::int64_t> ids;
    Run run(next_audit_);
    while (ids.size() < rows_a_slice && run.step() && (run.integer(1) < cutoff || surplus > 0)) {
        ids.push_back(run.integer(0));
        surplus -= surplus > 0 ? 1 : 0;
        if (steady_clock::now() >= end) {
            break;
        }
    }
    return ids;
}

}  // namespace liftwarden::sqlite
