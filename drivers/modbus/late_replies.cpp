#include "drivers/modbus/late_replies.hpp"

#include <algorithm>
#include <chrono>

namespace liftwarden::modbus {
namespace {

// Later than this nothing is expected any more: a unit that understands no probe at all would
// otherwise stay unreadable for ever.
constexpr IoClock::duration forget_after_least = std::chrono::seconds{10};
constexpr IoClock::duration quiet_most = std::chrono::seconds{5};
constexpr std::size_t missing_most = 8;  // a unit

}  // namespace

LateReplies::LateReplies(IoClock::duration response_timeout, IoClock::duration configured)
    : quiet_time_(configured > IoClock::duration::zero() ? configured : response_timeout),
      adaptive_(configured <= IoClock::duration::zero()) {}

void LateReplies::missed(const ReplyKind& kind, IoClock::time_point now) {
    Unit& unit = units_[kind.unit];
    if (answering_.erase(kind.unit) > 0) {
        line_quiet_until_ = now + quiet_time_;
        line_waits_for_ = kind.unit;
    }
    if (unit.missing.size() == missing_most) {
        unit.missing.erase(unit.missing.begin());
    }
    unit.missing.push_back({kind, now});
    unit.quiet_until = now + quiet_time_;
}

void LateReplies::arrived(const ReplyKind& kind, std::optional<IoClock::time_point> at) {
    const auto unit = units_.find(kind.unit);
    if (unit == units_.end()) {
        return;
    }
    auto& missing = unit->second.missing;
    const auto found = std::find_if(
        missing.begin(), missing.end(), [&kind](const Missing& late) { return late.kind == kind; });
    if (found == missing.end()) {
        return;
    }
    if (adaptive_ && at) {
        const auto lateness = (*at - found->deadline) * 5 / 4;
        quiet_time_ = std::clamp(lateness, quiet_time_, std::max(quiet_time_, quiet_most));
    }
    // In order: what was asked before it will not be answered any more.
    missing.erase(missing.begin(), found + 1);
    if (missing.empty()) {
        answered(kind.unit);
    }
}

void LateReplies::answered(std::uint8_t unit) {
    units_.erase(unit);
    answering_.insert(unit);
    if (line_waits_for_ == unit) {
        line_quiet_until_ = {};
        line_waits_for_.reset();
    }
}

std::vector<ReplyKind> LateReplies::awaited(IoClock::time_point now) {
    forget_old(now);
    std::vector<ReplyKind> kinds;
    for (const auto& [id, unit] : units_) {
        for (const Missing& missing : unit.missing) {
            kinds.push_back(missing.kind);
        }
    }
    return kinds;
}

IoClock::time_point LateReplies::unit_quiet_until(std::uint8_t unit) const {
    const auto found = units_.find(unit);
    return found == units_.end() ? IoClock::time_point{} : found->second.quiet_until;
}

bool LateReplies::confusable(const ReplyKind& kind, IoClock::time_point now) {
    forget_old(now);
    const auto found = units_.find(kind.unit);
    if (found == units_.end()) {
        return false;
    }
    const auto& missing = found->second.missing;
    return std::any_of(
        missing.begin(), missing.end(), [&kind](const Missing& late) { return late.kind == kind; });
}

void LateReplies::forget_old(IoClock::time_point now) {
    const auto life = std::max(forget_after_least, 4 * quiet_time_);
    for (auto& [id, unit] : units_) {
        std::erase_if(unit.missing,
                      [&](const Missing& late) { return now - late.deadline > life; });
    }
    std::erase_if(units_, [](const auto& entry) { return entry.second.missing.empty(); });
}

}  // namespace liftwarden::modbus
