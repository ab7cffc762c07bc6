#include "src/adapters/redis/known_server.hpp"

namespace liftwarden::redis {
namespace {

using namespace std::chrono_literals;

// Slewing and rounding stay far below it for as long as probes come.
constexpr core::Duration most_drift = 200ms;

// Bounds of server clock minus our clock.
core::Duration least_offset(const ServerTime& time) {
    return time.shown.time_since_epoch() - time.answered_at.time_since_epoch();
}
core::Duration largest_offset(const ServerTime& time) {
    return time.shown.time_since_epoch() - time.asked_at.time_since_epoch();
}

}  // namespace

void KnownServer::tell(const std::string& instance, const std::optional<ServerTime>& time) {
    const std::lock_guard lock(mutex_);
    if (!instance.empty()) {
        instance_ = instance;
    }
    if (time) {
        time_ = time;
    }
}

bool KnownServer::is(const std::string& instance) const {
    const std::lock_guard lock(mutex_);
    return instance == instance_;
}

KnownServer::Verdict KnownServer::judge(const std::string& instance, const ServerTime& time) const {
    const std::lock_guard lock(mutex_);
    if (instance_.empty() || !time_) {
        return Verdict::not_probed;
    }
    if (instance != instance_) {
        return Verdict::other;
    }
    const bool apart = least_offset(time) > largest_offset(*time_) + most_drift ||
                       largest_offset(time) + most_drift < least_offset(*time_);
    return apart ? Verdict::clock_set : Verdict::same;
}

}  // namespace liftwarden::redis
