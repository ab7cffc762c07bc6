#include "src/core/lock_watch.hpp"

#include <algorithm>

namespace liftwarden::core {
namespace {

constexpr Duration stall = 2s;
constexpr Duration report_age_max = 30s;
constexpr std::size_t nodes_max = 1024;  // the ACL bounds them; this bounds a broken one
constexpr int steady_probes = 10;
constexpr Duration healthy_min = 10s;
constexpr Duration healthy_max = 10min;
constexpr Duration flap_memory = 1h;
constexpr Duration clock_step_min = 200ms;

}  // namespace

void LockWatch::tick(TimePoint now) {
    if (last_call_ && now - *last_call_ > stall) {
        failures_ = 0;
        successes_ = 0;
        outage_since_.reset();
        usable_since_.reset();
        times_.reset();
    }
    last_call_ = now;
}

void LockWatch::probed(const LockProbed& probe, TimePoint now) {
    LockProbed seen = probe;
    if (seen.health == Health::usable && nodes_say_lost(now)) {
        seen.health = Health::outage;
        seen.detail = "every dispatch node says that it cannot reach the lock service";
    }
    health_ = seen.health;
    detail_ = seen.detail;
    if (!seen.instance.empty()) {
        note_memory(seen, now);  // whatever else is wrong with it
    }
    switch (seen.health) {
        case Health::usable:
            succeeded(seen);
            break;
        case Health::outage:
            failed(seen);
            break;
        case Health::misconfigured:
            // Says nothing about whether others can take locks.
            failures_ = 0;
            successes_ = 0;
            usable_since_.reset();
            break;
    }
}

void LockWatch::failed(const LockProbed& probe) {
    successes_ = 0;
    usable_since_.reset();
    ++failures_;
    if (!outage_since_) {
        outage_since_ = probe.started_at;
    }
}

void LockWatch::note_memory(const LockProbed& probe, TimePoint now) {
    if (probe.instance != instance_) {
        successes_ = 0;
        usable_since_.reset();
        times_.reset();
        instance_ = probe.instance;
    }
    if (times_ && probe.server_time) {
        // Both answers were made somewhere between question and answer.
        const Duration passed = *probe.server_time - times_->server;
        const bool back = passed < probe.started_at - times_->answered - clock_step_min;
        const bool ahead = passed > now - times_->asked + clock_step_min;
        clock_steps_ += back || ahead ? 1U : 0U;
    }
    if (probe.server_time) {
        times_ = Times{probe.started_at, now, *probe.server_time};
    }
    memory_ = instance_ + (clock_steps_ == 0 ? "" : "/" + std::to_string(clock_steps_));
}

void LockWatch::succeeded(const LockProbed& probe) {
    failures_ = 0;
    ++successes_;
    if (!usable_since_) {
        usable_since_ = probe.started_at;
    }
    if (successes_ >= window) {
        outage_since_.reset();
    }
}

bool LockWatch::steadily_usable(TimePoint now) const {
    return successes_ >= steady_probes && usable_since_ &&
           now - *usable_since_ >= healthy_time(now);
}

Duration LockWatch::healthy_time(TimePoint now) const {
    Duration needed = healthy_min;
    const auto recent = std::count_if(
        takeovers_.begin(), takeovers_.end(), [&](TimePoint at) { return now - at < flap_memory; });
    for (auto i = recent; i > 1 && needed < healthy_max; --i) {
        needed *= 2;
    }
    return std::min(needed, healthy_max);
}

void LockWatch::took_over(TimePoint now) {
    if (counted_outage_ && outage_since_ == counted_outage_) {
        return;  // another elevator of the same outage
    }
    counted_outage_ = outage_since_;
    takeovers_.erase(std::remove_if(takeovers_.begin(),
                                    takeovers_.end(),
                                    [&](TimePoint at) { return now - at >= flap_memory; }),
                     takeovers_.end());
    takeovers_.push_back(now);
}

void LockWatch::node_reported(const NodeReported& report, TimePoint now) {
    if (report.lock_service == NodeReported::LockService::gone) {
        nodes_.erase(report.node);
    } else if (report.live && (nodes_.size() < nodes_max || nodes_.contains(report.node))) {
        nodes_[report.node] = {report.lock_service == NodeReported::LockService::lost, now};
    }
}

// At least one node, and every node that has reported live of late.
bool LockWatch::nodes_say_lost(TimePoint now) const {
    bool any = false;
    for (const auto& [node, report] : nodes_) {
        if (now - report.at > report_age_max) {
            continue;
        }
        if (!report.lost) {
            return false;
        }
        any = true;
    }
    return any;
}

}  // namespace liftwarden::core
