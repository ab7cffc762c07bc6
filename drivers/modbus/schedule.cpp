#include "drivers/modbus/schedule.hpp"

#include <liftwarden/core/assert.hpp>

#include <algorithm>
#include <utility>

namespace liftwarden::modbus {
namespace {

// A machine that was suspended in mid-question must not suspend the unit for hours.
constexpr core::Duration rest_most = std::chrono::minutes{1};

}  // namespace

Schedule::Schedule(const std::vector<core::Duration>& polls, core::TimePoint now) {
    for (const core::Duration poll : polls) {
        LIFTWARDEN_ASSERT(poll > core::Duration::zero());
        Unit unit;
        unit.poll = poll;
        unit.poll_at = now;
        unit.state_at = now;
        units_.push_back(unit);
    }
}

std::optional<core::GrantId> Schedule::request_grant(std::size_t unit, core::GrantId grant) {
    Unit& at = units_.at(unit);
    const auto pushed_out = std::exchange(at.grant, grant);
    if (!pushed_out) {
        at.grant_order = ++order_;
    }
    return pushed_out;
}

bool Schedule::withdraw_grant(std::size_t unit, core::GrantId grant) {
    Unit& at = units_.at(unit);
    if (at.grant != grant) {
        return false;
    }
    at.grant.reset();
    return true;
}

void Schedule::request_read(std::size_t unit, core::ReadKind kind) {
    Unit& at = units_.at(unit);
    if (!at.read) {
        at.read = kind;
        at.read_order = ++order_;
    } else if (kind == core::ReadKind::full) {
        at.read = kind;
    }
}

void Schedule::request_heartbeat(std::size_t unit, std::uint16_t value) {
    Unit& at = units_.at(unit);
    // A unit that does not answer is asked by its poll alone, or it would cost two time-outs.
    if (!at.silent) {
        at.heartbeat = value;
    }
}

std::optional<Job> Schedule::next(core::TimePoint now) {
    if (auto job = take_rejection(now)) {
        return job;
    }
    const bool grant_waits = std::any_of(
        units_.begin(), units_.end(), [](const Unit& unit) { return unit.grant.has_value(); });
    if (!(grant_waits && poll_went_first_)) {
        if (auto job = take_overdue_poll(now)) {
            poll_went_first_ = grant_waits;
            return job;
        }
    }
    poll_went_first_ = false;
    if (auto job = take_grant()) {
        return job;
    }
    if (auto job = take_read()) {
        return job;
    }
    if (auto job = take_heartbeat()) {
        return job;
    }
    return take_due_poll(now);
}

std::optional<core::TimePoint> Schedule::wake_at() const {
    std::optional<core::TimePoint> earliest;
    for (const Unit& unit : units_) {
        earliest = earliest ? std::min(*earliest, unit.poll_at) : unit.poll_at;
    }
    return earliest;
}

void Schedule::completed(std::size_t unit,
                         Outcome outcome,
                         core::TimePoint started,
                         core::TimePoint finished) {
    Unit& at = units_.at(unit);
    if (outcome == Outcome::silent) {
        at.silent = true;
        at.poll_at = finished + rest_after(unit, finished - started);
        at.heartbeat.reset();
        return;
    }
    at.silent = false;
    at.asked_again = false;
    if (outcome == Outcome::answered) {
        return;
    }
    if (outcome == Outcome::fresh) {
        const core::Duration took = finished - started;
        at.reading_time =
            at.reading_time == core::Duration::zero() ? took : (at.reading_time * 7 + took) / 8;
        at.state_at = started;
    }
    // Counted from the start, so that the period is kept; never in the past, so that a bus that
    // cannot keep up is not asked to catch up.
    at.poll_at = std::max(started + at.poll, finished);
}

// A failure that cost nothing, as without a connection, is worth asking again at the usual pace.
core::Duration Schedule::rest_after(std::size_t unit, core::Duration cost) {
    Unit& at = units_.at(unit);
    const bool others_answer = std::any_of(units_.begin(), units_.end(), [&at](const Unit& other) {
        return &other != &at && !other.silent;
    });
    const core::Duration rest =
        std::max(at.poll, std::min(others_answer ? cost * rest_share : cost, rest_most));
    return rest == at.poll || std::exchange(at.asked_again, true) ? rest : at.poll;
}

bool Schedule::suspended(std::size_t unit, core::TimePoint now) const {
    const Unit& at = units_.at(unit);
    return at.silent && now < at.poll_at;
}

std::optional<Job> Schedule::take_rejection(core::TimePoint now) {
    for (std::size_t i = 0; i < units_.size(); ++i) {
        if (!suspended(i, now)) {
            continue;
        }
        if (const auto grant = std::exchange(units_[i].grant, std::nullopt)) {
            return Job{Job::Kind::reject_grant, i, *grant, {}, 0};
        }
        if (std::exchange(units_[i].read, std::nullopt)) {
            return Job{Job::Kind::reject_read, i, {}, {}, 0};
        }
    }
    return std::nullopt;
}

std::optional<Job> Schedule::take_overdue_poll(core::TimePoint now) {
    const core::Duration round = round_time();
    std::optional<std::size_t> oldest;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        const Unit& unit = units_[i];
        const core::Duration bound = 2 * std::max(unit.poll, round);
        const bool overdue = !unit.silent && now >= unit.poll_at && now - unit.state_at > bound;
        if (overdue && (!oldest || unit.state_at < units_[*oldest].state_at)) {
            oldest = i;
        }
    }
    return oldest ? std::optional{take_poll(*oldest)} : std::nullopt;
}

std::optional<Job> Schedule::take_grant() {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        if (units_[i].grant && (!first || units_[i].grant_order < units_[*first].grant_order)) {
            first = i;
        }
    }
    if (!first) {
        return std::nullopt;
    }
    return Job{Job::Kind::grant, *first, *std::exchange(units_[*first].grant, std::nullopt), {}, 0};
}

std::optional<Job> Schedule::take_read() {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        if (units_[i].read && (!first || units_[i].read_order < units_[*first].read_order)) {
            first = i;
        }
    }
    if (!first) {
        return std::nullopt;
    }
    return Job{Job::Kind::read, *first, {}, *std::exchange(units_[*first].read, std::nullopt), 0};
}

std::optional<Job> Schedule::take_heartbeat() {
    for (std::size_t i = 0; i < units_.size(); ++i) {
        if (const auto value = std::exchange(units_[i].heartbeat, std::nullopt)) {
            return Job{Job::Kind::heartbeat, i, {}, {}, *value};
        }
    }
    return std::nullopt;
}

std::optional<Job> Schedule::take_due_poll(core::TimePoint now) {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        const bool due = units_[i].poll_at <= now;
        if (due && (!first || units_[i].poll_at < units_[*first].poll_at)) {
            first = i;
        }
    }
    return first ? std::optional{take_poll(*first)} : std::nullopt;
}

Job Schedule::take_poll(std::size_t unit) {
    units_[unit].read.reset();
    return Job{Job::Kind::poll, unit, {}, core::ReadKind::full, 0};
}

core::Duration Schedule::round_time() const {
    core::Duration sum{};
    for (const Unit& unit : units_) {
        if (!unit.silent) {
            sum += unit.reading_time;
        }
    }
    return sum;
}

}  // namespace liftwarden::modbus
